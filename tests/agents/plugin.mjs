// Calls the plugin for opencode as opencode does, with each output of a JSON list on standard input, and prints what became
// of them and what the plugin logged.
//
//     node plugin.mjs PLUGIN < outputs.json

import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const { Tamis } = await import(pathToFileURL(process.argv[2]));
const outputs = JSON.parse(readFileSync(0, 'utf8'));
const logged = [];
const client = {
  app: { log: async ({ body }) => logged.push(body.message) },
  // As where no terminal is.
  tui: {
    showToast() {
      throw new Error('no terminal');
    },
  },
};
const hooks = await Tamis({ client, directory: process.cwd() });
for (const output of outputs)
  await hooks['tool.execute.after'](
    { tool: 'bash', sessionID: 'ses_1', callID: 'call_1', args: { command: 'make' } },
    output,
  );
process.stdout.write(JSON.stringify({ outputs, logged }));
