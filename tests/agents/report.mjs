// The tables that are printed, and the page of the documentation.

import { readFileSync, writeFileSync } from 'node:fs';
import { AGENTS } from './agents.mjs';
import { percent, statsBeside } from './bounds.mjs';
import { HOOKS } from './hooks.mjs';

const grouped = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, ',');
const signed = (number) => `${number > 0 ? '+' : number < 0 ? '−' : ''}${Math.abs(number).toFixed(1)} %`;
const HEAD = [
  'agent',
  'session',
  'way',
  'results',
  'tool list',
  'whole session',
  'to bare',
  'tools',
  '`tamis_read`',
  'new errors',
  '`tamis stats`: bare, now, lists',
];

function cells(row, bare) {
  const name = `${AGENTS[row.agent].title}`;
  const through = row.variant !== 'bare';
  const reads = row.readToolWorks === undefined ? '' : row.readToolWorks ? ', works' : ', **fails**';
  const stats = through && row.stats ? statsBeside(row.stats, row, bare) : undefined;
  const list = [
    name,
    row.session,
    row.variant === 'bare' ? 'bare' : row.variant.replace('-', ', '),
    grouped(row.resultTokens),
    grouped(row.listTokens),
    grouped(row.sessionTokens),
    through ? signed(row.toBare) : `${signed(percent(row.emptyTokens, row.sessionTokens))} if empty`,
    row.tools.length,
    through ? `${row.readToolOffered}×${reads}` : '',
    through ? row.newErrors.length : '',
    stats ? `${grouped(stats.bare[0])}, ${grouped(stats.now[0])}, ${grouped(stats.lists[0])}` : '',
  ];
  return list.map(String);
}

function rowsOf({ rows }) {
  return rows.map((row) =>
    cells(
      row,
      rows.find((other) => other.agent === row.agent && other.session === row.session && other.variant === 'bare'),
    ),
  );
}

const skipped = ({ installed }, known = AGENTS) =>
  Object.entries(installed)
    .filter(([name, { reason }]) => reason && known[name])
    .map(([name, { reason }]) => `SKIPPED ${AGENTS[name].title}: ${reason}`);

/** Lines of cells, for a terminal. */
function columns(lines) {
  const widths = lines[0].map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  return lines.map((line) =>
    line
      .map((cell, column) => (/^[−+\d]/.test(cell) ? cell.padStart(widths[column]) : cell.padEnd(widths[column])))
      .join('  ')
      .trimEnd(),
  );
}

/** For a terminal. */
export const table = (report) => [...columns([HEAD, ...rowsOf(report)]), ...skipped(report)].join('\n');

const HOOK_HEAD = [
  'agent',
  'hook',
  'log, 16 KB',
  'log, 103 KB',
  'failing command',
  '`cat` of a small file',
  'MCP result',
  'the original',
  'without `tamis`',
];

/** How many tokens of a step's output reach the model, bare and with the hook. */
function stepCell({ figures }, step) {
  const { bare, hook, state } = figures[step] ?? {};
  if (bare === undefined) return '';
  return state === 'unchanged' ? `${grouped(bare)}, unchanged` : `${grouped(bare)} → ${grouped(hook)}`;
}

function hookRow(row) {
  const hook = HOOKS[row.agent];
  const works = (words, good) => {
    const checks = row.bounds.filter(({ name }) => words.test(name));
    return !checks.length ? '' : checks.every(({ holds }) => holds) ? good : '**no**';
  };
  const answers = hook.replaces.length > 0;
  const missing = works(/^missing:/, hook.missing ? `**lost**: the model gets ${hook.missing}` : 'unchanged');
  const reaches = hook.reaches ? `reaches the model as ${hook.reaches}` : 'does not reach the model';
  const why = hook.runs === false ? 'no hook ran' : `an answer to ${hook.event} ${reaches}`;
  return [
    AGENTS[row.agent].title,
    answers ? hook.event : `not supported: ${why}`,
    ...['report', 'large', 'fails', 'file', 'graph'].map((step) => stepCell(row, step)),
    answers ? works(/^hook: (the original|read by)/, 'read back') : '',
    [missing, hook.withholds ? works(/^withheld:/, 'withheld if the policy redacts') : ''].filter(Boolean).join('; '),
  ];
}

/** The hooks, for a terminal. */
export const hookTable = (report) =>
  [...columns([HOOK_HEAD, ...report.hooks.map(hookRow)]), ...skipped(report, HOOKS)].join('\n');

/** The bounds that do not hold, a line each. */
export function failures({ rows, hooks }) {
  const named = [
    ...rows.map((row) => [`${row.agent} ${row.session} ${row.variant}`, row]),
    ...hooks.map((row) => [`${row.agent} hooks`, row]),
  ];
  const lines = named.flatMap(([title, { bounds }]) =>
    bounds
      .filter(({ holds }) => !holds)
      .map(({ name, figure, bound }) => `  ${title}: ${name}: ${figure}; bound: ${bound}`),
  );
  // Errors quote what agents were told, with line ends and temporary folders.
  return lines.map((line) => line.replace(/\n/g, ' ').replace(/\/\S*tamis-agents-\w+\//g, '')).join('\n');
}

const markdown = (line) => `| ${line.join(' | ')} |\n`;

function figuresPart(report) {
  const heads = (head) => markdown(head) + markdown(head.map((_, column) => (column > 2 ? '--:' : '---')));
  const agents = Object.entries(AGENTS).map(([name, agent]) => {
    const { version, reason } = report.installed[name];
    return markdown([
      `${agent.title} ${version ?? ''}`.trim(),
      agent.shows,
      agent.cap,
      agent.instructions ? 'yes' : 'no',
      signed(agent.most),
      reason ? `skipped: ${reason}` : '',
    ]);
  });
  const broken = failures({ ...report, hooks: [] });
  return [
    `Measured on ${report.date}.\n\n`,
    '| agent | its model gets of a result | its own cap on a result | `instructions` reach the model | large session to bare, at most | |\n|---|---|---|---|--:|---|\n',
    ...agents,
    '\n',
    heads(HEAD),
    ...rowsOf(report).map(markdown),
    broken ? `\nBounds that did not hold:\n\n${broken.replace(/^ {2}/gm, '- ')}\n` : '\nEvery bound held.\n',
  ].join('');
}

function hooksPart(report) {
  const broken = failures({ ...report, rows: [] });
  const versions = report.hooks.map(({ agent }) => `${AGENTS[agent].title} ${report.installed[agent].version}`);
  return [
    `Measured on ${report.date}: ${versions.join(', ')}.\n\n`,
    markdown(HOOK_HEAD),
    markdown(HOOK_HEAD.map(() => '---')),
    ...report.hooks.map((row) => markdown(hookRow(row))),
    ...skipped(report, HOOKS).map((line) => `\n${line}\n`),
    broken ? `\nChecks that failed:\n\n${broken.replace(/^ {2}/gm, '- ')}\n` : '\nEvery check held.\n',
  ].join('');
}

/** Writes parts of the page, each between its two marks: `figures`, `hooks`. */
export function page(file, report, { figures, hooks }) {
  let text = readFileSync(file, 'utf8');
  const put = (name, part) => {
    const [begin, end] = [`<!-- ${name}: written by \`make agents\` -->\n`, `<!-- /${name} -->`];
    const [before, rest] = text.split(begin);
    const after = rest?.split(end)[1];
    if (after === undefined) throw new Error(`${file} has no ${begin.trim()} and ${end}`);
    text = `${before}${begin}${part}${end}${after}`;
  };
  if (figures) put('figures', figuresPart(report));
  if (hooks) put('hooks', hooksPart(report));
  writeFileSync(file, text);
}
