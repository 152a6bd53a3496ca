export default {
  input: './openapi.json',
  output: { path: './made', tsConfigPath: new URL('./tsconfig.json', import.meta.url).pathname },
  logs: { file: false, level: 'warn' },
};
