// An MCP server with one tool, which writes a line to a file and never answers.
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [ledger] = process.argv.slice(2);
const results = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'Ledger', version: '1' } }),
  ping: () => ({}),
  'tools/list': () => ({
    tools: [{ name: 'append', title: 'Append a line', description: 'Appends a line to the ledger.', inputSchema: { type: 'object', properties: { line: { type: 'string' } } } }],
  }),
};
for await (const text of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(text);
  if (method === 'tools/call') appendFileSync(ledger, `${params.arguments.line}\n`);
  else if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: results[method](params) }));
}
