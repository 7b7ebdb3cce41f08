// Holds one MCP session through the TypeScript SDK and prints what a client gets to see of it.
//
//     node session.mjs SDK SCENARIO COMMAND [ARGUMENT…]
//
// SDK is 1 or 2 (see sdk.mjs); the rest, and what is printed, is as session.py says.

import { readFileSync, realpathSync } from 'node:fs';
import { open } from './sdk.mjs';

// Long enough for a loaded machine; the test that starts this has a harder limit of its own.
const PATIENCE_MS = 30_000;

// The SDK has things to say, too: they must not stand in the transcript.
console.log = console.info = console.debug = console.error;

const FOLDER = realpathSync('.');
const read = (path) => JSON.parse(readFileSync(path, 'utf8'));
const VOLATILE = read(new URL('volatile.json', import.meta.url)).map(({ name, pattern }) => ({
  name: `<${name}>`,
  pattern: new RegExp(pattern, 'g'),
}));
const KINDS = {
  'notifications/message': 'log',
  'notifications/resources/updated': 'updated',
  'notifications/resources/list_changed': 'resources-changed',
  'notifications/tools/list_changed': 'tools-changed',
  'notifications/prompts/list_changed': 'prompts-changed',
};
const LISTS = {
  'list-tools': 'listTools',
  'list-resources': 'listResources',
  'list-templates': 'listResourceTemplates',
  'list-prompts': 'listPrompts',
};

const [sdk, scenarioPath, ...command] = process.argv.slice(2);
const scenario = read(scenarioPath);
const filled = (value) => JSON.parse(JSON.stringify(value).replaceAll('{folder}', FOLDER));

function report(step, outcome) {
  let line = JSON.stringify({ step, ...outcome }).replaceAll(FOLDER, '<folder>');
  for (const { name, pattern } of VOLATILE) line = line.replace(pattern, name);
  process.stdout.write(`${line}\n`);
}

// Everything that the server sent without being asked, by kind, in order of arrival.
const heard = {};
let arrived = later();
function later() {
  const deferred = {};
  deferred.promise = new Promise((resolve) => (deferred.resolve = resolve));
  return deferred;
}
function note(kind, what) {
  // Messages that the server draws by lot.
  if (kind === 'log' && scenario['random-logs'] && new RegExp(scenario['random-logs']).test(what.data)) return;
  (heard[kind] ??= []).push(what ?? null);
  arrived.resolve();
  arrived = later();
}
async function waitFor(kind, count) {
  const deadline = setTimeout(() => {
    report(`await ${kind}`, { error: `timed out: ${heard[kind]?.length ?? 0} of ${count} came` });
    process.exit(1);
  }, PATIENCE_MS);
  while ((heard[kind]?.length ?? 0) < count) await arrived.promise;
  clearTimeout(deadline);
}

let roots = filled(scenario.roots);
const answers = {
  'roots/list': () => {
    note('asked', { 'roots/list': {} });
    return { roots };
  },
  'sampling/createMessage': (params) => {
    note('asked', { 'sampling/createMessage': params });
    const content = { type: 'text', text: 'the model says <nothing>' };
    return { role: 'assistant', content, model: 'model-1', stopReason: 'endTurn' };
  },
  'elicitation/create': (params) => {
    note('asked', { 'elicitation/create': params });
    if (params.mode === 'url') return { action: 'accept' };
    const known = { name: 'Ada', check: true, integer: 7, number: 2.5, interpretation: 'snake' };
    const wanted = params.requestedSchema.properties;
    return { action: 'accept', content: Object.fromEntries(Object.entries(known).filter(([key]) => key in wanted)) };
  },
};

const { client, transport, callAsTask } = await open(sdk, answers, (method, params) => note(KINDS[method], params));
const listed = new Set();
const progress = [];

async function listAll(kind) {
  const pages = [];
  let cursor;
  do {
    pages.push(await client[LISTS[kind]](cursor ? { cursor } : undefined));
    cursor = pages.at(-1).nextCursor;
  } while (cursor);
  if (kind === 'list-tools') for (const page of pages) for (const tool of page.tools) listed.add(tool.name);
  return pages;
}

async function call(step) {
  const params = { name: step.tool, arguments: step.arguments };
  const options = { timeout: PATIENCE_MS };
  if (step.task && callAsTask) {
    // How often the status is asked for depends on the machine: each state is noted once.
    const seen = [];
    for await (const message of callAsTask(params, options)) {
      if (message.type === 'error') throw message.error;
      if (message.type !== 'taskStatus') seen.push(message);
      else if (seen.at(-1)?.status !== message.task.status) seen.push({ status: message.task.status });
    }
    return seen;
  }
  const request = () => client.callTool(params, ...(sdk === '1' ? [undefined, options] : [options]));
  if (!step.progress) return request();
  progress.length = 0;
  const abort = new AbortController();
  options.signal = abort.signal;
  options.onprogress = () => step.cancel && abort.abort('the test cancels');
  try {
    return { result: await request(), progress };
  } catch (error) {
    if (!step.cancel) throw error;
    return { cancelled: String(error), progress: progress.slice(0, 1) };
  }
}

async function perform(step) {
  switch (step.do) {
    case 'await':
      return waitFor(step.kind, step.count);
    case 'ping':
      return client.ping();
    case 'list-tools':
    case 'list-resources':
    case 'list-templates':
    case 'list-prompts':
      return listAll(step.do);
    case 'call':
      return call(step);
    case 'read':
      return client.readResource({ uri: step.uri });
    case 'subscribe':
      return client.subscribeResource({ uri: step.uri });
    case 'unsubscribe':
      return client.unsubscribeResource({ uri: step.uri });
    case 'get-prompt':
      return client.getPrompt({ name: step.name, arguments: step.arguments });
    case 'complete':
      return client.complete({
        ref: step.ref,
        argument: step.argument,
        ...(step.context && { context: { arguments: step.context } }),
      });
    case 'set-level':
      return client.setLoggingLevel(step.level);
    case 'set-roots':
      roots = step.roots;
      return client.sendRootsListChanged();
    default:
      throw new Error(`session.mjs: no such step: ${step.do}`);
  }
}

const server = transport({ command: command[0], args: command.slice(1), env: process.env });
await client.connect(server);
// The SDK drops reports of progress that it reads together with the call's result, so they are
// taken down before it gets them.
const receive = server.onmessage;
server.onmessage = (message, ...rest) => {
  if (message.method === 'notifications/progress') progress.push(message.params);
  return receive(message, ...rest);
};
report('greeting', {
  server: client.getServerVersion(),
  capabilities: client.getServerCapabilities(),
  instructions: client.getInstructions(),
  version: client.getNegotiatedProtocolVersion?.(),
});
for (const step of filled(scenario.steps)) {
  const name = ['do', 'kind', 'tool', 'uri', 'name', 'level'].flatMap((key) => step[key] ?? []).join(' ');
  try {
    report(name, { result: (await perform(step)) ?? null });
  } catch (error) {
    // Either the server's error or the SDK's own refusal.
    report(name, { error: { message: String(error), code: error.code, data: error.data } });
  }
}
const called = new Set(scenario.steps.filter((step) => step.do === 'call').map((step) => step.tool));
report('tools that no step calls', { result: [...listed].filter((tool) => !called.has(tool)).sort() });
for (const kind of Object.keys(heard).sort()) {
  for (const what of heard[kind]) report(`heard ${kind}`, { result: what });
}
await client.close();
// Timers of the SDK's task store would keep the process; what was written may still be on its way.
process.stdout.write('', () => process.exit(0));
