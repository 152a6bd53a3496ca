// Uses a client that was made from the server's document, as a program of
// somebody else would: it completes a run, with a call that another key signs.
import { createClient, createConfig } from './made/client/index.js';
import { decide, followRun, listAgents, openConversation, readRun, sendMessage } from './made/sdk.gen.js';

const [baseUrl, starts, signs] = process.argv.slice(2);
const as = (key: string) => createClient(createConfig({ baseUrl, auth: () => key }));
const [starter, signer] = [as(starts!), as(signs!)];

const agents = await listAgents({ client: starter, throwOnError: true });
const opened = await openConversation({ client: starter, throwOnError: true, body: { agent: agents.data.data[0]!.id } });
const sent = await sendMessage({
  client: starter, throwOnError: true, path: { conversation: opened.data.id }, body: { text: 'Write it.' },
  headers: { 'Idempotency-Key': 'once' },
});
const path = { run: sent.data.run_id };
for (;;) {
  const run = (await readRun({ client: starter, throwOnError: true, path, query: { wait: 30 } })).data;
  if (run.result || run.error) {
    console.log(run.result?.final_output ?? run.error?.code);
    break;
  }
  for (const { approval } of run.interruptions) {
    const decisions = approval!.calls.map((call) => ({ call_id: call.call_id, decision: 'once' as const }));
    await decide({ client: signer, throwOnError: true, path, body: { decisions } });
  }
}
const refused = await readRun({ client: starter, path: { run: 'r_none' } });
console.log(refused.error?.error.code);
let last = '';
for await (const frame of (await followRun({ client: starter, path })).stream) {
  last = (frame as unknown as { type: string }).type;
}
console.log(last);
