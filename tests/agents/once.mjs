// One session of one agent: a HOME of its own, servers bare or through Tamis, the scripted model, and the figures.

import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';
import { AGENTS } from './agents.mjs';
import { figures } from './figures.mjs';
import { model } from './model.mjs';
import { endWithHome, start } from './processes.mjs';
import { GIT, served, servePolicy, servers, wrapped, writeData } from './servers.mjs';
import { PROGRAMS, SESSIONS, session } from './sessions.mjs';

export const AGENT_LIMIT_MS = 120_000;
/** Time for the servers' processes to start that `tamis serve` starts ahead. */
const SERVERS_START_MS = 4_000;
const COMMAND_LIMIT_MS = 60_000;

/** Below HOME: what Tamis keeps, and what it notes of sessions. */
const STATE = '.local/state/tamis';
const LEDGER = join(STATE, 'ledger.sqlite');

/** HOMEs of sessions that run. */
export const homes = new Set();

/** Ends the processes of all sessions that run. */
export async function endAll() {
  for (const home of homes) await endWithHome(home);
}

/** What this `tamis` can do: an older one is measured as it is. */
export function abilities(tamis) {
  const ask = (...words) =>
    spawnSync(tamis, words, { encoding: 'utf8', env: { PATH: process.env.PATH }, timeout: COMMAND_LIMIT_MS });
  const { error, stdout } = ask('install', '--help');
  if (error)
    throw new Error(
      `${tamis} does not run (${error.message}): build it with \`make build\`, or name another with --tamis`,
    );
  const [, clients = ''] = /--client <NAME>[^]*?Possible values:\n([^]*?)\n\n/.exec(stdout) ?? [];
  const { serve, server } = JSON.parse(ask('schema').stdout).properties;
  return {
    tamis,
    clients: [...clients.matchAll(/^ +- ([\w-]+):/gm)].map(([, name]) => name),
    readServer: ask('mcp', '--help').status === 0,
    readToolOnce: 'read-tool' in serve.properties,
    serverEnv: 'env' in server.additionalProperties.properties,
    ready: 'ready' in server.additionalProperties.properties,
  };
}

/**
 * Runs one session of an agent, and counts. HOME and project have the same paths in all variants: they are in requests.
 * `ledger`: that of a session before, as this function returns it.
 */
export async function runOnce({ name, variant, sessionName, folder, kit, can, bare, ledger }) {
  const agent = AGENTS[name];
  const program = kit.installed[name].program;
  const [through, mode] = variant.split('-');
  const cold = mode === 'cold';
  const home = join(folder, 'home');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(home, 'tmp'), { recursive: true });
  homes.add(home);
  const data = writeData(folder);
  const { project } = data;
  const alone = servers({ node: kit.node, packages: kit.packages, data });
  const script = session((agent.programs ? PROGRAMS : SESSIONS)[sessionName], {
    project,
    wait: agent.wait,
    reads: through !== 'bare',
  });
  // Calls that bare could not make are not made here.
  const expected = new Set(script.steps.filter((_, index) => bare?.leftOut.includes(index)));
  const leftOut = new Set(expected);
  const scripted = await model(script, leftOut);
  const place = { cwd: project, env: environment({ home, node: kit.node, wayOut: scripted.url }) };
  const tamis = (...words) => command(can.tamis, words, place);
  const began = Date.now();
  let proxy;
  try {
    if (ledger) {
      mkdirSync(join(home, STATE), { recursive: true, mode: 0o700 });
      writeFileSync(join(home, LEDGER), ledger, { mode: 0o600 });
    }
    if (through !== 'bare' && !cold) tamis('apply', '--tool', 'warm-up', join(project, 'issues.json'));
    let reached = alone;
    if (through === 'serve') {
      const policy = join(folder, 'filters.toml');
      writeFileSync(policy, `${readFileSync(kit.defaultPolicy, 'utf8')}\n${servePolicy(alone, can)}`);
      const words = ['serve', '--config', policy, '--listen', '127.0.0.1:0'];
      proxy = start(can.tamis, words, { ...place, limitMs: 2 * AGENT_LIMIT_MS });
      const urls = alone.length + (can.readToolOnce ? 1 : 0);
      reached = served(await proxy.says(new RegExp(`(/mcp\\n[^]*){${urls}}`)));
      // It runs before an agent comes, so the processes that wait for sessions are there.
      if (can.ready) await new Promise((resolve) => setTimeout(resolve, SERVERS_START_MS));
    }
    const known = can.clients.includes(agent.client);
    if (through === 'run' && !known) reached = wrapped(alone, can);
    await configure({ agent, program, home, place, files: { servers: reached, model: scripted.url } });
    if (through === 'run') {
      if (known) tamis('install', '--yes');
      if (cold) rmSync(join(home, '.cache/tamis'), { recursive: true, force: true });
    }

    const { args, env } = agent.run({ model: scripted.url, home });
    const run = start(program, args, { cwd: project, env: { ...place.env, ...env }, limitMs: AGENT_LIMIT_MS });
    const end = await run.ended;
    // The ledger is complete when the proxies have ended, which they do after their clients.
    await proxy?.end('SIGTERM');
    await endWithHome(home, basename(can.tamis));
    const { requests, refused } = scripted;
    if (kit.record) record(join(kit.record, `${name}-${variant}-${sessionName}`), { run, proxy, requests });
    return {
      ...figures({ session: script, imagesAreText: agent.imagesAreText, leftOut, expected, requests, end, count: kit.count }),
      leftOut: script.steps.flatMap((step, index) => (leftOut.has(step) ? [index] : [])),
      seconds: Math.round((Date.now() - began) / 1000),
      refused: [...refused].sort(),
      wrapped: through === 'run' ? (known ? 'tamis install' : 'by hand') : undefined,
      stats: through === 'bare' ? undefined : JSON.parse(tamis('stats', '--json')),
      ledger: through === 'run' ? readFileSync(join(home, LEDGER)) : undefined,
    };
  } finally {
    await proxy?.end('SIGKILL');
    scripted.close();
    await endWithHome(home);
    homes.delete(home);
  }
}

/** All that a program finds of this machine. */
export function environment({ home, node, wayOut }) {
  return {
    ...GIT,
    HOME: home,
    TMPDIR: join(home, 'tmp'),
    PATH: `${dirname(node)}${delimiter}${process.env.PATH}`,
    LANG: 'C.UTF-8',
    TZ: 'UTC',
    TERM: 'dumb',
    DO_NOT_TRACK: '1',
    HTTPS_PROXY: wayOut,
    https_proxy: wayOut,
    NO_PROXY: '127.0.0.1,localhost',
    no_proxy: '127.0.0.1,localhost',
  };
}

export async function configure({ agent, program, home, place, files }) {
  if (agent.before) {
    const words = agent.before(files);
    const { error } = await start(program, words, { ...place, limitMs: COMMAND_LIMIT_MS }).ended;
    if (error) throw new Error(`${program} ${words.join(' ')}: ${error}`);
  }
  for (const [file, text] of Object.entries(agent.configure(files))) {
    mkdirSync(dirname(join(home, file)), { recursive: true });
    writeFileSync(join(home, file), text);
  }
}

export function command(program, words, place) {
  const options = { ...place, encoding: 'utf8', timeout: COMMAND_LIMIT_MS };
  const { status, stdout, stderr, error } = spawnSync(program, words, options);
  if (status === 0) return stdout;
  const why = error?.message ?? `it ended with ${status}`;
  throw new Error(`${program} ${words.join(' ')}: ${why}\n${stdout}${stderr}`);
}

export function record(folder, { run, proxy, requests }) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  requests.forEach((request, index) =>
    writeFileSync(join(folder, `${String(index).padStart(3, '0')}.json`), JSON.stringify(request, null, 1)),
  );
  writeFileSync(join(folder, 'agent.log'), `${run.output}\n${run.log}`);
  if (proxy) writeFileSync(join(folder, 'serve.log'), `${proxy.output}\n${proxy.log}`);
}
