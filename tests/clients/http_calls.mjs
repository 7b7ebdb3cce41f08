// Calls tools of a server over HTTP through the TypeScript SDK, and prints what each gave, a line a call.
//
//   http_calls.mjs URL TOOL…

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const PATIENCE_MS = 20_000;
const [url, ...tools] = process.argv.slice(2);

for (const tool of tools) {
  // A client of its own: an answer that it cannot read may end its connection.
  const client = new Client({ name: 'http_calls.mjs', version: '1.0.0' }, { capabilities: {} });
  try {
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    const result = await client.callTool({ name: tool, arguments: {} }, undefined, { timeout: PATIENCE_MS });
    console.log(JSON.stringify({ [tool]: result }));
  } catch (error) {
    console.log(JSON.stringify({ [tool]: String(error) }));
  }
  await client.close().catch(() => {});
}
process.exit(0);
