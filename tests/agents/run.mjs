// Runs released coding agents against a scripted model, with four MCP servers: bare, and through Tamis.
//
//     node run.mjs [--agents codex,gemini] [--variants bare,run] [--sessions small] …    (see HELP)
//
// agents.mjs says how each agent is configured and run, servers.mjs which servers and data it has, sessions.mjs which
// tools are called, figures.mjs what is counted, bounds.mjs what is asked of it.

import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { AGENTS } from './agents.mjs';
import { bounds } from './bounds.mjs';
import { figures, newErrors } from './figures.mjs';
import { install, programOf } from './install.mjs';
import { model } from './model.mjs';
import { endWithHome, start } from './processes.mjs';
import { failures, page, table } from './report.mjs';
import { GIT, served, servePolicy, servers, wrapped, writeData } from './servers.mjs';
import { PROGRAMS, SESSIONS, session } from './sessions.mjs';

const HELP = `node tests/agents/run.mjs [OPTION…]

  --agents NAMES     of ${Object.keys(AGENTS).join(', ')}
  --variants NAMES   of bare, run, run-cold, serve, serve-cold; bare is always run
  --sessions NAMES   of large, small
  --tamis FILE       the program to measure (default: target/release/tamis)
  --packages DIR     where agents and servers are installed (default: target/agents/packages)
  --latest           the newest versions, instead of those in versions.json
  --install          install, and run nothing
  --jobs N           so many agents at once (default: 1)
  --json FILE        write all figures
  --record DIR       write every request to the model, a file each, and what the agents printed
  --page FILE        write the page of the documentation, if nothing was left out

Exit codes: 0 every bound holds, 1 one does not, 2 an error.
`;

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const VARIANTS = ['bare', 'run', 'run-cold', 'serve', 'serve-cold'];
const AGENT_LIMIT_MS = 120_000;
const COMMAND_LIMIT_MS = 60_000;
/** HOMEs of sessions that run. */
const homes = new Set();
const log = (line) => process.stderr.write(`${line}\n`);

const options = parseArgs({
  options: {
    agents: { type: 'string' }, variants: { type: 'string' }, sessions: { type: 'string' },
    tamis: { type: 'string', default: join(ROOT, 'target/release/tamis') },
    packages: { type: 'string', default: join(ROOT, 'target/agents/packages') },
    latest: { type: 'boolean' }, install: { type: 'boolean' }, jobs: { type: 'string', default: '1' },
    json: { type: 'string' }, record: { type: 'string' }, page: { type: 'string' }, help: { type: 'boolean', short: 'h' },
  },
}).values;

/** The chosen ones, in the order of `known`. */
function chosen(option, known) {
  const names = (options[option] ?? '').split(/[\s,]+/).filter(Boolean);
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length) throw new Error(`--${option}: unknown: ${unknown.join(', ')}; known: ${known.join(', ')}`);
  return names.length ? known.filter((name) => names.includes(name)) : known;
}

/** Installs what every session needs, and the agents. An agent that does not install has a `reason`. */
function installAll(names) {
  const packages = resolve(options.packages);
  const add = (name, wanted) => install(join(packages, name), wanted, { latest: options.latest, log });
  add('node', { npm: 'node' });
  add('tokens', { npm: 'gpt-tokenizer' });
  add('servers', { npm: ['everything', 'filesystem', 'memory'].map((name) => `@modelcontextprotocol/server-${name}`) });
  add('git', { pypi: 'mcp-server-git' });
  const installed = {};
  for (const name of names) {
    const wanted = AGENTS[name].package;
    try {
      const [version] = Object.values(add(name, wanted));
      installed[name] = { version, program: programOf(join(packages, name), wanted, AGENTS[name].program) };
    } catch (error) {
      installed[name] = { reason: error.message };
      log(`SKIPPED ${AGENTS[name].title}: ${error.message}`);
    }
  }
  const node = join(packages, 'node/node_modules/node/bin/node');
  const { encode } = createRequire(join(packages, 'tokens/'))('gpt-tokenizer/encoding/o200k_base');
  return { packages, node, installed, count: (text) => encode(text, { allowedSpecial: 'all' }).length };
}

/** What this `tamis` can do: an older one is measured as it is. */
function abilities(tamis) {
  const ask = (...words) => spawnSync(tamis, words, { encoding: 'utf8', env: { PATH: process.env.PATH }, timeout: COMMAND_LIMIT_MS });
  const { error, stdout } = ask('install', '--help');
  if (error) throw new Error(`${tamis} does not run (${error.message}): build it with \`make build\`, or name another with --tamis`);
  const clients = stdout.slice(stdout.indexOf('--client'), stdout.indexOf('--server'));
  const { serve, server } = JSON.parse(ask('schema').stdout).properties;
  return {
    tamis,
    clients: [...clients.matchAll(/^ +- ([\w-]+):/gm)].map(([, name]) => name),
    readServer: ask('mcp', '--help').status === 0,
    readToolOnce: 'read-tool' in serve.properties,
    serverEnv: 'env' in server.additionalProperties.properties,
  };
}

/** Runs one session of an agent, and counts. HOME and project have the same paths in all variants: they are in requests. */
async function runOnce({ name, variant, sessionName, folder, kit, can, bare }) {
  const agent = AGENTS[name];
  const home = join(folder, 'home');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(home, 'tmp'), { recursive: true });
  homes.add(home);
  const data = writeData(folder);
  const alone = servers({ node: kit.node, packages: kit.packages, data });
  const script = session((agent.programs ? PROGRAMS : SESSIONS)[sessionName], { project: data.project, wait: agent.wait, reads: variant !== 'bare' });
  const env = {
    ...GIT, HOME: home, TMPDIR: join(home, 'tmp'), LANG: 'C.UTF-8', TZ: 'UTC', TERM: 'dumb',
    PATH: `${dirname(kit.node)}${delimiter}${process.env.PATH}`, DO_NOT_TRACK: '1',
  };
  const at = { cwd: data.project, env };
  const tamis = (...words) => {
    const { status, stdout, stderr, error } = spawnSync(can.tamis, words, { ...at, encoding: 'utf8', timeout: COMMAND_LIMIT_MS });
    if (status !== 0) throw new Error(`tamis ${words.join(' ')}: ${error?.message ?? `it ended with ${status}`}\n${stdout}${stderr}`);
    return stdout;
  };
  // Calls that bare could not make are not made here.
  const expected = new Set(script.steps.filter((_, index) => bare?.leftOut.includes(index)));
  const leftOut = new Set(expected);
  const scripted = await model(script, leftOut);
  const began = Date.now();
  let proxy;
  try {
    const through = variant.replace('-cold', '');
    const program = kit.installed[name].program;
    const agentEnv = { ...env, HTTPS_PROXY: scripted.url, https_proxy: scripted.url, NO_PROXY: '127.0.0.1,localhost', no_proxy: '127.0.0.1,localhost' };
    if (through !== 'bare' && !variant.endsWith('-cold')) tamis('apply', '--tool', 'warm-up', join(data.project, 'issues.json'));
    let reached = alone;
    if (through === 'serve') {
      const policy = join(folder, 'filters.toml');
      writeFileSync(policy, `${readFileSync(kit.defaultPolicy, 'utf8')}\n${servePolicy(alone, can)}`);
      proxy = start(can.tamis, ['serve', '--config', policy, '--listen', '127.0.0.1:0'], { ...at, limitMs: 2 * AGENT_LIMIT_MS });
      const urls = alone.length + (can.readToolOnce ? 1 : 0);
      reached = served(await proxy.says(new RegExp(`(/mcp\\n[^]*){${urls}}`)));
    }
    const known = can.clients.includes(agent.client);
    if (through === 'run' && !known) reached = wrapped(alone, can);
    if (agent.before) {
      const { error } = await start(program, agent.before({ model: scripted.url }), { ...at, env: agentEnv, limitMs: COMMAND_LIMIT_MS }).ended;
      if (error) throw new Error(`${program} ${agent.before({}).join(' ')}: ${error}`);
    }
    for (const [file, text] of Object.entries(agent.configure({ servers: reached, model: scripted.url }))) {
      mkdirSync(dirname(join(home, file)), { recursive: true });
      writeFileSync(join(home, file), text);
    }
    if (through === 'run' && known) tamis('install', '--yes');
    if (variant.endsWith('-cold')) rmSync(join(home, '.cache/tamis'), { recursive: true, force: true });

    const { args, env: own } = agent.run({ model: scripted.url, home });
    const run = start(program, args, { cwd: data.project, env: { ...agentEnv, ...own }, limitMs: AGENT_LIMIT_MS });
    const end = await run.ended;
    // What is saved is in the ledger when the proxies have ended, which they do after their clients.
    await proxy?.end('SIGTERM');
    await endWithHome(home, basename(can.tamis));
    const counted = figures({ session: script, leftOut, expected, requests: scripted.requests, end, count: kit.count });
    if (options.record) record(join(options.record, `${name}-${variant}-${sessionName}`), { run, proxy, requests: scripted.requests });
    return {
      ...counted,
      leftOut: script.steps.flatMap((step, index) => (leftOut.has(step) ? [index] : [])),
      seconds: Math.round((Date.now() - began) / 1000),
      refused: [...scripted.refused].sort(),
      wrapped: through === 'run' ? (known ? 'tamis install' : 'by hand') : undefined,
      stats: through === 'bare' ? undefined : JSON.parse(tamis('stats', '--json')),
    };
  } finally {
    await proxy?.end('SIGKILL');
    scripted.close();
    await endWithHome(home);
    homes.delete(home);
  }
}

function record(folder, { run, proxy, requests }) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  requests.forEach((request, index) => writeFileSync(join(folder, `${String(index).padStart(3, '0')}.json`), JSON.stringify(request, null, 1)));
  writeFileSync(join(folder, 'agent.log'), `${run.output}\n${run.log}`);
  if (proxy) writeFileSync(join(folder, 'serve.log'), `${proxy.output}\n${proxy.log}`);
}

async function runAgent(name, { work, kit, can, variants, sessions }) {
  const rows = [];
  for (const sessionName of sessions) {
    let bare;
    for (const variant of variants) {
      const here = await runOnce({ name, variant, sessionName, folder: join(work, name), kit, can, bare });
      if (variant === 'bare') bare = here;
      const errors = variant === 'bare' ? here.errors : newErrors(here, bare);
      const held = variant === 'bare' ? [] : bounds({ agent: AGENTS[name], sessionName, here, bare, newErrors: errors, stats: here.stats });
      const broken = held.filter(({ holds }) => !holds).length;
      log(`${name} ${sessionName} ${variant}: ${here.seconds} s, ${here.sessionTokens} tokens${broken ? `, ${broken} bounds do not hold` : ''}`);
      rows.push({ agent: name, session: sessionName, variant, ...here, newErrors: errors, bounds: held });
    }
  }
  return rows;
}

async function main() {
  if (options.help) return process.stdout.write(HELP);
  const agents = chosen('agents', Object.keys(AGENTS));
  const variants = [...new Set(['bare', ...chosen('variants', VARIANTS)])];
  const sessions = chosen('sessions', Object.keys(SESSIONS));
  const kit = { ...installAll(agents), defaultPolicy: join(ROOT, 'host/src/cli/default.toml') };
  if (options.install) return;
  const can = abilities(resolve(options.tamis));
  const work = realpathSync(mkdtempSync(join(tmpdir(), 'tamis-agents-')));
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.once(signal, async () => {
      for (const home of homes) await endWithHome(home);
      rmSync(work, { recursive: true, force: true });
      process.exit(2);
    });
  }
  const rows = [];
  try {
    const waiting = agents.filter((name) => kit.installed[name].program);
    const worker = async () => {
      for (let name = waiting.shift(); name; name = waiting.shift()) rows.push(...(await runAgent(name, { work, kit, can, variants, sessions })));
    };
    await Promise.all(Array.from({ length: Number(options.jobs) }, worker));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  rows.sort((one, other) => agents.indexOf(one.agent) - agents.indexOf(other.agent));
  const report = { date: new Date().toISOString().slice(0, 10), installed: kit.installed, rows };
  if (options.json) writeFileSync(options.json, JSON.stringify(report, null, 1));
  process.stdout.write(`${table(report)}\n`);
  const whole = agents.length === Object.keys(AGENTS).length && variants.length === VARIANTS.length && sessions.length === Object.keys(SESSIONS).length;
  if (options.page && whole) page(options.page, report);
  else if (options.page) log(`${options.page} stays as it is: agents, variants or sessions were left out`);
  const broken = failures(report);
  if (broken) process.stdout.write(`\nThese bounds do not hold:\n${broken}\n`);
  process.exitCode = broken ? 1 : 0;
}

main().catch((error) => {
  log(`tests/agents: ${error.message}`);
  process.exitCode = 2;
});
