// The table that is printed, and the page of the documentation.

import { readFileSync, writeFileSync } from 'node:fs';
import { AGENTS } from './agents.mjs';
import { percent, statsBeside } from './bounds.mjs';

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
    through ? signed(percent(row.sessionTokens, bare.sessionTokens)) : '',
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

const skipped = ({ installed }) =>
  Object.entries(installed)
    .filter(([, { reason }]) => reason)
    .map(([name, { reason }]) => `SKIPPED ${AGENTS[name].title}: ${reason}`);

/** For a terminal. */
export function table(report) {
  const lines = [HEAD, ...rowsOf(report)];
  const widths = HEAD.map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  const shown = lines.map((line) =>
    line
      .map((cell, column) => (/^[−+\d]/.test(cell) ? cell.padStart(widths[column]) : cell.padEnd(widths[column])))
      .join('  ')
      .trimEnd(),
  );
  return [...shown, ...skipped(report)].join('\n');
}

/** The bounds that do not hold, a line each. */
export function failures({ rows }) {
  const lines = rows.flatMap((row) =>
    row.bounds
      .filter(({ holds }) => !holds)
      .map(
        ({ name, figure, bound }) =>
          `  ${row.agent} ${row.session} ${row.variant}: ${name}: ${figure}; bound: ${bound}`,
      ),
  );
  // Errors quote what agents were told, with line ends and temporary folders.
  return lines.map((line) => line.replace(/\n/g, ' ').replace(/\/\S*tamis-agents-\w+\//g, '')).join('\n');
}

const BEGIN = '<!-- figures: written by `make agents` -->\n';
const END = '<!-- /figures -->';

/** Writes the figures between the two marks of the page. */
export function page(file, report) {
  const text = readFileSync(file, 'utf8');
  const [before, rest] = text.split(BEGIN);
  const after = rest?.split(END)[1];
  if (after === undefined) throw new Error(`${file} has no ${BEGIN.trim()} and ${END}`);
  const markdown = (line) => `| ${line.join(' | ')} |\n`;
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
  const shown = [
    `Measured on ${report.date}.\n\n`,
    '| agent | its model gets of a result | its own cap on a result | `instructions` reach the model | large session to bare, at most | |\n|---|---|---|---|--:|---|\n',
    ...agents,
    '\n',
    heads(HEAD),
    ...rowsOf(report).map(markdown),
    failures(report)
      ? `\nBounds that did not hold:\n\n${failures(report).replace(/^ {2}/gm, '- ')}\n`
      : '\nEvery bound held.\n',
  ];
  writeFileSync(file, `${before}${BEGIN}${shown.join('')}${END}${after}`);
}
