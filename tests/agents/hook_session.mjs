// The sessions of one agent with `tamis hook`: its model calls the agent's own shell, bare and with the hook, and the
// requests are compared.
//
//   bare       no hook
//   hook       the hook of the documentation, and the default policy
//   missing    the same hook, and no program `tamis` on the PATH
//   withheld   the same under a policy that redacts, for agents whose hook fails closed
//   probe      a hook that gives a fixed answer, for agents that `tamis hook` does not answer

import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { AGENTS } from './agents.mjs';
import { unframed } from './figures.mjs';
import { ANSWERED, FAILURE, HOOKS, SECRET, commands, documentedIn, programs } from './hooks.mjs';
import { model } from './model.mjs';
import { AGENT_LIMIT_MS, command, configure, environment, homes, record } from './once.mjs';
import { endWithHome, start } from './processes.mjs';
import { NEEDLE, servers, writeData } from './servers.mjs';

const DELAY_MS = 20;
/** A figure that is a text is cut here. */
const FIGURE_CHARACTERS = 200;
const REDACTING = '[[chain]]\nname = "redacting"\non = ["*"]\nsteps = [{ filter = "redact", hide = ["emails"] }]\n';
const REFERENCE = /ref\\*"?[:=]\s*\\*"?([a-z0-9]{12,})/;
const withoutTamis = (path) => path.split(delimiter).filter((folder) => !existsSync(join(folder, 'tamis')));

/** All ways of an agent, `jobs` at once, and which of the checks hold. */
export async function runHooks({ name, folder, kit, can, jobs }) {
  const hook = HOOKS[name];
  const ways = ['bare', 'hook', 'missing', ...(hook.withholds ? ['withheld'] : []), ...(hook.answer ? ['probe'] : [])];
  const ran = {};
  const waiting = [...ways];
  const worker = async () => {
    for (let way = waiting.shift(); way; way = waiting.shift())
      ran[way] = await runWay({ name, way, folder: join(folder, way), kit, can });
  };
  await Promise.all(Array.from({ length: jobs }, worker));
  const tokens = (way, step) => kit.count(ran[way].results[step]?.text ?? '');
  const figures = Object.fromEntries(
    Object.keys(ran.bare.results).map((step) => [
      step,
      { bare: tokens('bare', step), hook: tokens('hook', step), state: state(ran, 'hook', step) },
    ]),
  );
  return { agent: name, ways, figures, calls: ran.hook.calls, bounds: checks(name, ran) };
}

async function runWay({ name, way, folder, kit, can }) {
  const [agent, hook] = [AGENTS[name], HOOKS[name]];
  const home = join(folder, 'home');
  const bin = join(folder, 'bin');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(home, 'tmp'), { recursive: true });
  mkdirSync(bin);
  homes.add(home);
  const data = writeData(folder);
  const { project } = data;
  const log = readFileSync(join(project, 'app.log'), 'utf8').split('\n');
  log.splice(110, 0, `2026-11-22T10:01:49Z [WARN] worker-3: ${NEEDLE} is late`);
  const { printed, files, scripts } = programs(project, log.join('\n'));
  write('', files);
  write('', scripts, 0o755);
  const steps = Object.entries(commands).map(([id, line]) => ({ id, ...hook.shell(line) }));
  steps.push(...(hook.calls ?? []));
  const [of] = hook.replaces;
  const read = steps.length;
  if (way === 'hook' && of) steps.push({ ...hook.shell(`tamis read $REF --grep ${NEEDLE}`), of });
  const leftOut = new Set();
  const scripted = await model({ steps, delayMs: DELAY_MS }, leftOut);
  const place = { cwd: project, env: environment({ home, node: kit.node, wayOut: scripted.url }) };
  const path = withoutTamis(place.env.PATH);
  place.env.PATH = [bin, ...path].join(delimiter);
  // Codex runs commands in a login shell, which has a PATH of its own.
  write(home, { '.profile': `PATH='${bin}':"$PATH"\n` });
  try {
    const noted = join(folder, 'calls');
    const shim = (line) => write(bin, { tamis: `#!/bin/sh\necho "$1" >>'${noted}'\n${line}\n` }, 0o755);
    if (way === 'probe') shim(`cat >'${folder}/event'; printf '%s' '${JSON.stringify(hook.answer)}'`);
    else if (way !== 'bare') shim(`exec '${can.tamis}' "$@"`);
    if (way === 'withheld') write(home, { '.config/tamis/filters.toml': REDACTING });
    const alone = servers({ node: kit.node, packages: kit.packages, data });
    const reached = hook.calls ? alone.filter((server) => hook.calls.some((call) => call.server === server.name)) : [];
    const { program } = kit.installed[name];
    await configure({ agent, program, home, place, files: { servers: reached, model: scripted.url } });
    if (way !== 'bare') hookInto({ home, place, hook, documented: documentedIn(kit.hookPage) });
    // An agent waits a few seconds for a hook, and filters are compiled when they run for the first time.
    if (way === 'hook') command(can.tamis, ['apply', '--tool', 'warm-up', join(project, 'issues.json')], place);
    if (way === 'missing' || way === 'withheld') rmSync(join(bin, 'tamis'));
    rmSync(noted, { force: true });

    const { args, env } = agent.run({ model: scripted.url, home });
    const run = start(program, args, { ...place, env: { ...place.env, ...env }, limitMs: AGENT_LIMIT_MS });
    const end = await run.ended;
    await endWithHome(home);
    const { requests } = scripted;
    if (kit.record) {
      const kept = join(kit.record, `${name}-hooks-${way}`);
      record(kept, { run, requests });
      if (existsSync(join(folder, 'event'))) cpSync(join(folder, 'event'), join(kept, 'event.json'));
    }
    const last = requests.reduce((most, { results }) => (results.length >= most.length ? results : most), []);
    const named = steps.map(({ id }, index) => [id, last[index]]).filter(([id, result]) => id && result);
    const original = (text) => {
      const [, reference] = REFERENCE.exec(text) ?? [];
      return reference && command(can.tamis, ['read', reference], place);
    };
    const results = Object.fromEntries(named);
    const filtered = way === 'hook' ? hook.replaces : [];
    return {
      results,
      printed,
      originals: Object.fromEntries(filtered.map((step) => [step, original(results[step]?.text ?? '')])),
      readBack: last[read]?.text ?? '',
      calls: existsSync(noted) ? readFileSync(noted, 'utf8').split('\n').length - 1 : 0,
      secrets: requests.filter(({ body }) => JSON.stringify(body).includes(SECRET)).length,
      log: hook.log ? textsIn(join(home, hook.log)) : '',
      errors: [
        ...(end.error ? [`the agent: ${end.error}`] : []),
        ...[...leftOut].map(({ tool }) => `${tool} is not offered`),
      ],
    };
  } finally {
    scripted.close();
    await endWithHome(home);
    homes.delete(home);
  }
}

function write(folder, files, mode) {
  for (const [name, text] of Object.entries(files)) {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    if (mode) chmodSync(file, mode);
  }
}

/** Writes the hook into the agent's configuration. */
function hookInto({ home, place, hook, documented }) {
  const { files = {}, settings = {}, scripts = {}, command: line } = hook.hook({ documented });
  write(home, files);
  write(home, scripts, 0o755);
  for (const [name, more] of Object.entries(settings)) {
    const file = join(home, name);
    const before = readFileSync(file, 'utf8');
    const merged = () => JSON.stringify({ ...JSON.parse(before), ...more }, null, 2);
    writeFileSync(file, typeof more === 'string' ? `${before}\n${more}` : merged());
  }
  if (line) command('sh', ['-ec', line], place);
}

function textsIn(folder) {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n');
}

/** A result without the ids, times and names of files that differ from run to run. */
const steady = ({ text = '' } = {}) =>
  unframed(text)
    .replace(/(Chunk ID|Wall time|Process Group PGID|task_id|shellId): \S+|Use TaskOutput\(task_id=\S+\)/g, 'ID')
    .replace(/\/\S*\/(tmp|\.\w[\w-]*)\/\S+/g, 'ID')
    .trimEnd();
/** The text of a command without colours, which some agents remove, and without how it ended, which some add. */
const plain = (text) => text.replace(/\x1b\[\d*m/g, '').trim();

/** What became of a step's result, compared with bare. */
function state(ran, way, step) {
  const [here, bare] = [ran[way].results[step], ran.bare.results[step]];
  if (!here) return 'not called';
  if (steady(here) === steady(bare)) return 'unchanged';
  return here.failed && !bare?.failed ? 'an error' : 'changed';
}

/** What is held: `{ name, figure, bound, holds }`. */
function checks(name, ran) {
  const hook = HOOKS[name];
  const found = [];
  const holds = (way, what, figure, bound) =>
    found.push({
      name: `${way}: ${what}`,
      figure: String(figure).slice(0, FIGURE_CHARACTERS),
      bound: String(bound),
      holds: figure === bound,
    });
  const { bare, hook: here } = ran;
  const steps = [...Object.keys(commands), ...(hook.calls ?? []).map(({ id }) => id)];
  for (const way of Object.keys(ran).sort()) holds(way, 'errors', ran[way].errors.join('; ') || 'none', 'none');
  for (const step of steps) {
    const filtered = hook.replaces.includes(step);
    holds('bare', `${step} is called`, bare.results[step] ? 'yes' : 'no', 'yes');
    holds('hook', step, state(ran, 'hook', step), filtered ? 'changed' : 'unchanged');
    holds('missing', step, state(ran, 'missing', step), hook.missing ?? 'unchanged');
    if (!filtered) continue;
    const whole = bare.printed[step];
    const original = here.originals[step] ?? 'no reference';
    const is = whole === undefined ? original.includes(NEEDLE) : plain(original) === plain(whole);
    holds('hook', `the original of ${step}`, is ? 'whole' : `${original.length} bytes`, 'whole');
  }
  const has = (way, step, words) => ((way.results[step]?.text ?? '').includes(words) ? 'shown' : 'not shown');
  holds('hook', 'the error of a command', has(here, 'fails', FAILURE), has(bare, 'fails', FAILURE));
  if (hook.replaces.length)
    holds('hook', 'read by the model', here.readBack.includes(NEEDLE) ? 'works' : here.readBack, 'works');
  holds('hook', 'the agent runs it', here.calls > 0 ? 'yes' : 'no', hook.runs === false ? 'no' : 'yes');
  if (hook.log) {
    const said = ran.missing.log.match(/tamis hook does not answer.*not filtered/g) ?? [];
    holds('missing', 'lines of the log that say so', said.length, 1);
  }
  if (ran.withheld) {
    holds('withheld', 'requests with the secret', ran.withheld.secrets, 0);
    for (const step of steps) holds('withheld', step, has(ran.withheld, step, '[tamis] Withheld'), 'shown');
  }
  if (ran.probe)
    holds('probe', 'a replaced output', reached(ran.probe), hook.reaches || 'does not reach the model');
  return found;
}

/** As what the fixed answer of a hook reached the model. */
function reached({ results }) {
  const given = Object.values(results).filter(({ text }) => text.includes(ANSWERED));
  if (!given.length) return 'does not reach the model';
  if (given.some(({ text, failed }) => failed || /"error"/.test(text))) return 'an error';
  return given.some(({ text }) => steady({ text }) === ANSWERED) ? 'the output' : 'text beside the output';
}
