// The four MCP servers of the sessions, the data that they serve, and the ways to reach them: bare, through `tamis run`,
// through `tamis serve`.

import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A name that stands once in the graph, once in the issues, and in no summary of either. */
export const NEEDLE = 'juniper-77';

/** Name, command and environment of each server. */
export function servers({ node, packages, data }) {
  const npm = (name, ...more) => [
    node,
    join(packages, 'servers/node_modules/@modelcontextprotocol', name, 'dist/index.js'),
    ...more,
  ];
  return [
    { name: 'everything', command: npm('server-everything'), env: {} },
    { name: 'fs', command: npm('server-filesystem', data.project), env: {} },
    { name: 'memory', command: npm('server-memory'), env: { MEMORY_FILE_PATH: data.memory } },
    { name: 'git', command: [join(packages, 'git/bin/mcp-server-git'), '--repository', data.project], env: {} },
  ];
}

/** As `tamis install` writes them, for clients that this `tamis` does not know. */
export function wrapped(servers, { tamis, readServer }) {
  const run = [tamis, 'run', ...(readServer ? ['--no-read-tool'] : [])];
  const all = servers.map((server) => ({
    ...server,
    command: [...run, '--server', server.name, '--', ...server.command],
  }));
  return readServer ? [...all, { name: 'tamis', command: [tamis, 'mcp'], env: {} }] : all;
}

/** The end of the filters.toml of `tamis serve` in front of them. */
export function servePolicy(servers, { readToolOnce, serverEnv, ready }) {
  const list = (words) => `[${words.map((word) => JSON.stringify(word)).join(', ')}]`;
  const table = (object) =>
    `{ ${Object.entries(object)
      .map(([name, value]) => `${name} = ${JSON.stringify(value)}`)
      .join(', ')} }`;
  const tables = servers.map(({ name, command, env }) => {
    const words = serverEnv ? command : ['env', ...Object.entries(env).map((pair) => pair.join('=')), ...command];
    const keys = [`command = ${list(words)}`];
    if (serverEnv && Object.keys(env).length) keys.push(`env = ${table(env)}`);
    if (ready) keys.push('ready = 1');
    return `[server.${name}]\n${keys.join('\n')}\n`;
  });
  return [...(readToolOnce ? ['[serve]\nread-tool = "once"\n'] : []), ...tables].join('\n');
}

/** The URLs of `tamis serve`, once it says where it listens. */
export function served(listening) {
  const urls = [...listening.matchAll(/^\s+(http:\/\/\S+\/([\w-]+)\/mcp)$/gm)];
  return urls.map(([, url, name]) => ({ name, url, env: {} }));
}

// Numbers that look drawn by lot, and are the same in every run.
function lot(seed) {
  const next = () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const whole = (least, most) => least + Math.floor(next() * (most - least + 1));
  return { next, whole, one: (list) => list[whole(0, list.length - 1)] };
}

/** Writes the project, a git repository, and the memory server's graph. */
export function writeData(folder) {
  const { next, whole, one } = lot(7);
  const project = join(folder, 'project');
  const memory = join(folder, 'memory.jsonl');
  const write = (name, text) => {
    mkdirSync(join(project, name, '..'), { recursive: true });
    writeFileSync(join(project, name), text);
  };
  const names = ['amber', 'basil', 'cedar', 'dune', 'ember', 'fern', 'grove', 'hazel'];
  const count = (length, make) => Array.from({ length }, (_, index) => make(index));

  const issues = count(400, (index) => ({
    id: index + 1,
    name: index === 213 ? NEEDLE : `${one(names)}-${index + 1}`,
    status: one(['open', 'closed', 'pending']),
    assignee: null,
    labels: [],
    score: Math.round(next() * 10000) / 100,
    url: `https://tracker.example.com/projects/alpha/issues/${index + 1}`,
    createdAt: `2026-0${whole(1, 9)}-${whole(10, 28)}T10:00:00Z`,
  }));
  write('issues.json', JSON.stringify(issues, null, 2));
  write('small.json', JSON.stringify(issues.slice(0, 6), null, 2));

  const note = (index) => (n) => `note ${n} about item ${index}: ${one(names)} prefers ${one(names)}`;
  const entities = count(150, (index) => ({
    type: 'entity',
    name: index === 5 ? NEEDLE : `${one(names)}-${index}`,
    entityType: one(['person', 'service', 'team']),
    observations: count(2, note(index)),
  }));
  const relations = count(150, (index) => ({
    type: 'relation',
    from: entities[index].name,
    to: entities[(index * 7 + 3) % 150].name,
    relationType: one(['owns', 'uses', 'knows']),
  }));
  writeFileSync(memory, [...entities, ...relations].map((row) => JSON.stringify(row)).join('\n'));

  for (const place of ['src/app/handlers', 'src/app/models', 'docs']) {
    for (const name of names) write(`${place}/${name}.ts`, `export const ${name} = 1; // needle ${name}\n`.repeat(3));
  }
  const two = (number) => String(number).padStart(2, '0');
  const line = (index) =>
    `2026-11-22T10:${two(Math.floor(index / 60))}:${two(index % 60)}Z [${one(['INFO', 'WARN', 'ERROR'])}] worker-${whole(1, 8)}: ` +
    `\x1b[32m${one(['started', 'finished', 'retrying'])}\x1b[0m job ${whole(1000, 9999)} in ${whole(1, 900)}ms\n`;
  write('app.log', count(2000, line).join(''));

  const git = (...words) => execFileSync('git', words, { cwd: project, env: { ...process.env, ...GIT } });
  git('init', '--quiet', '--initial-branch=main');
  git('add', '.');
  git('commit', '--quiet', '--message=first');
  return { project, memory };
}

/** Git as on a machine where nobody has configured it, at a fixed time. */
export const GIT = {
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.com',
  GIT_AUTHOR_DATE: '2026-11-22T10:00:00+0000',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.com',
  GIT_COMMITTER_DATE: '2026-11-22T10:00:00+0000',
};
