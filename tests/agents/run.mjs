// Runs released coding agents against a scripted model, with four MCP servers: bare, and through Tamis.
//
//     node run.mjs [--agents codex,gemini] [--variants bare,run] [--sessions small] …    (see HELP)
//
// agents.mjs has an entry for each agent, servers.mjs the servers and their data, sessions.mjs the calls; once.mjs runs
// one session, figures.mjs counts, bounds.mjs has the bounds. The session `hooks` is of `tamis hook` instead: hooks.mjs
// has an entry for each agent that has hooks, hook_session.mjs runs and judges them.

import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { AGENTS } from './agents.mjs';
import { bounds, percent } from './bounds.mjs';
import { newErrors } from './figures.mjs';
import { runHooks } from './hook_session.mjs';
import { HOOKS } from './hooks.mjs';
import { install, programOf } from './install.mjs';
import { abilities, endAll, runOnce } from './once.mjs';
import { failures, hookTable, page, table } from './report.mjs';
import { SESSIONS } from './sessions.mjs';

const HELP = `node tests/agents/run.mjs [OPTION…]

  --agents NAMES     of ${Object.keys(AGENTS).join(', ')}
  --variants NAMES   of bare, run, run-cold, run-again, serve, serve-cold; bare is always run
  --sessions NAMES   of large, small (through MCP), hooks (with \`tamis hook\`)
  --tamis FILE       the program to measure (default: target/release/tamis)
  --packages DIR     where agents and servers are installed (default: target/agents/packages)
  --latest           the newest versions, instead of those in versions.json
  --install          install, and run nothing
  --installed        install nothing, and leave out agents that are not installed
  --jobs N           so many agents at once, and so many ways of a session of hooks (default: 1)
  --json FILE        write all figures
  --record DIR       write every request to the model, a file each, and what the agents printed
  --page FILE        write each table of the page of the documentation of which nothing was left out

Exit codes: 0 every bound holds, 1 one does not, 2 an error.
`;

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const MCP_SESSIONS = Object.keys(SESSIONS);
const VARIANTS = ['bare', 'run', 'run-cold', 'run-again', 'serve', 'serve-cold'];
/** How often a session runs again if a server was late for its first request, or was without Tamis, and not both. */
const LATE = 3;
const log = (line) => process.stderr.write(`${line}\n`);

const options = parseArgs({
  options: {
    agents: { type: 'string' },
    variants: { type: 'string' },
    sessions: { type: 'string' },
    tamis: { type: 'string', default: join(ROOT, 'target/release/tamis') },
    packages: { type: 'string', default: join(ROOT, 'target/agents/packages') },
    latest: { type: 'boolean' },
    install: { type: 'boolean' },
    installed: { type: 'boolean' },
    jobs: { type: 'string', default: '1' },
    json: { type: 'string' },
    record: { type: 'string' },
    page: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
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
  const add = (name, wanted) =>
    install(join(packages, name), wanted, { latest: options.latest, installed: options.installed, log });
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

async function runAgent(name, { work, kit, can, variants, sessions }) {
  const rows = [];
  for (const sessionName of sessions) {
    let bare;
    for (const variant of variants) {
      const run = (variant, ledger) =>
        runOnce({ name, variant, sessionName, folder: join(work, name), kit, can, bare, ledger });
      // The second session of a user, whose first one the ledger knows.
      const before = variant === 'run-again' ? (await run('run')).ledger : undefined;
      let here = await run(variant, before);
      // A busy machine may have kept a server from answering in time; all else is compared with this.
      if (variant === 'bare' && here.leftOut.length) here = await run(variant);
      if (variant === 'bare') bare = here;
      // The first request may not wait for all servers. A session is beside one without Tamis whose first request has
      // the same tools; if there is none, it runs again.
      let beside = bare;
      const late = ({ toolsAtFirst }) => bare.tools.filter((tool) => !toolsAtFirst.includes(tool)).join();
      for (let again = 0; late(here) !== late(beside) && again < LATE; again++) {
        beside = await run('bare');
        if (late(here) === late(beside) && !beside.leftOut.length) break;
        log(`${name} ${sessionName} ${variant}: a server was late, again`);
        here = await run(variant, before);
        beside = bare;
      }
      if (beside !== bare) log(`${name} ${sessionName} ${variant}: beside another session without Tamis, as late`);
      const errors = variant === 'bare' ? here.errors : newErrors(here, beside);
      // The ledger of a second session has both.
      const stats = variant === 'run-again' ? undefined : here.stats;
      const held =
        variant === 'bare' ? [] : bounds({ agent: AGENTS[name], sessionName, here, bare: beside, newErrors: errors, stats });
      const broken = held.filter(({ holds }) => !holds).length;
      log(
        `${name} ${sessionName} ${variant}: ${here.seconds} s, ${here.sessionTokens} tokens${broken ? `, ${broken} bounds do not hold` : ''}`,
      );
      rows.push({
        agent: name,
        session: sessionName,
        variant,
        ...here,
        toBare: percent(here.sessionTokens, beside.sessionTokens),
        ledger: undefined,
        newErrors: errors,
        bounds: held,
      });
    }
  }
  return rows;
}

async function main() {
  if (options.help) return process.stdout.write(HELP);
  const agents = chosen('agents', Object.keys(AGENTS));
  const variants = [...new Set(['bare', ...chosen('variants', VARIANTS)])];
  const sessions = chosen('sessions', [...MCP_SESSIONS, 'hooks']);
  const mcpSessions = sessions.filter((name) => MCP_SESSIONS.includes(name));
  const kit = {
    ...installAll(agents),
    defaultPolicy: join(ROOT, 'host/src/cli/default.toml'),
    hookPage: readFileSync(join(ROOT, 'docs/outside-mcp.md'), 'utf8'),
    record: options.record,
  };
  if (options.install) return;
  const can = abilities(resolve(options.tamis));
  const work = realpathSync(mkdtempSync(join(tmpdir(), 'tamis-agents-')));
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.once(signal, async () => {
      await endAll();
      rmSync(work, { recursive: true, force: true });
      process.exit(2);
    });
  }
  const jobs = Number(options.jobs);
  const rows = [];
  const hooks = [];
  try {
    const waiting = agents.filter((name) => kit.installed[name].program);
    const worker = async () => {
      for (let name = waiting.shift(); name; name = waiting.shift()) {
        rows.push(...(await runAgent(name, { work, kit, can, variants, sessions: mcpSessions })));
        if (!sessions.includes('hooks') || !HOOKS[name]) continue;
        const began = Date.now();
        const here = await runHooks({ name, folder: join(work, name), kit, can, jobs });
        const seconds = Math.round((Date.now() - began) / 1000);
        const broken = here.bounds.filter(({ holds }) => !holds).length;
        log(`${name} hooks: ${seconds} s${broken ? `, ${broken} of ${here.bounds.length} checks fail` : ''}`);
        hooks.push(here);
      }
    };
    await Promise.all(Array.from({ length: jobs }, worker));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  for (const list of [rows, hooks])
    list.sort((one, other) => agents.indexOf(one.agent) - agents.indexOf(other.agent));
  const report = { date: new Date().toISOString().slice(0, 10), installed: kit.installed, rows, hooks };
  if (options.json) writeFileSync(options.json, JSON.stringify(report, null, 1));
  if (mcpSessions.length) process.stdout.write(`${table(report)}\n`);
  if (sessions.includes('hooks')) process.stdout.write(`${hookTable(report)}\n`);
  const allAgents = agents.length === Object.keys(AGENTS).length;
  const parts = {
    figures: allAgents && variants.length === VARIANTS.length && mcpSessions.length === MCP_SESSIONS.length,
    hooks: allAgents && sessions.includes('hooks'),
  };
  if (options.page) {
    page(options.page, report, parts);
    const left = Object.keys(parts).filter((part) => !parts[part]);
    if (left.length) log(`${options.page}: unchanged, because something was left out: ${left.join(', ')}`);
  }
  const broken = failures(report);
  if (broken) process.stdout.write(`\nThese bounds do not hold:\n${broken}\n`);
  process.exitCode = broken ? 1 : 0;
}

main().catch((error) => {
  log(`tests/agents: ${error.message}`);
  process.exitCode = 2;
});
