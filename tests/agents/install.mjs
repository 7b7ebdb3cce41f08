// Installs packages from npm and PyPI, each into a folder of its own, which holds what it was made from (`.stamp`).

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const LIMIT_MS = 600_000;
const PINNED = JSON.parse(readFileSync(new URL('versions.json', import.meta.url), 'utf8'));

/** Installs a package set: `{ npm: [names] }` or `{ pypi: name, python }`. Answers versions by name; throws the reason why not. */
export function install(folder, wanted, { latest = false, installed = false, log }) {
  const [registry, names] = wanted.npm ? ['npm', [wanted.npm].flat()] : ['pypi', [wanted.pypi]];
  const python = registry === 'pypi' && findPython(wanted.python ?? '3.10');
  const packages = names.map((name) => [name, latest ? 'latest' : PINNED[registry][name]]);
  const list = `${packages.map((pair) => pair.join(' ')).join('\n')}\n`;
  const stamp = `${list}${python ? python.version : ''}`;
  const stampFile = join(folder, '.stamp');
  const before = existsSync(stampFile) ? readFileSync(stampFile, 'utf8') : '';
  // What is there may be of another Python than the one that would be used now.
  const isThere = before === stamp || (installed && before.startsWith(list));
  // The newest may be another one today.
  if (latest || !isThere) {
    if (installed) throw new Error('not installed, see what tests/setup.sh says');
    log(`installing ${packages.map(([name, version]) => `${name} ${version}`).join(', ')}`);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    if (registry === 'npm') {
      writeFileSync(join(folder, 'package.json'), '{ "private": true }');
      command(folder, 'npm', [
        'install',
        '--no-audit',
        '--no-fund',
        '--no-package-lock',
        '--no-progress',
        '--loglevel=error',
        ...packages.map(([name, version]) => `${name}@${version}`),
      ]);
    } else {
      command(folder, python.program, ['-m', 'venv', '.']);
      const [[name, version]] = packages;
      command(folder, join(folder, 'bin/python'), [
        '-m',
        'pip',
        'install',
        '--quiet',
        '--disable-pip-version-check',
        version === 'latest' ? name : `${name}==${version}`,
      ]);
    }
    writeFileSync(stampFile, stamp);
  }
  return Object.fromEntries(names.map((name) => [name, versionOf(folder, registry, name)]));
}

/** The program of an installed package. */
export const programOf = (folder, wanted, name) => join(folder, wanted.npm ? 'node_modules/.bin' : 'bin', name);

function command(folder, program, words) {
  const { error, status, stdout, stderr } = spawnSync(program, words, {
    cwd: folder,
    encoding: 'utf8',
    timeout: LIMIT_MS,
  });
  if (status === 0) return;
  writeFileSync(join(folder, 'install.log'), `${program} ${words.join(' ')}\n${stdout}\n${stderr}\n`);
  const lines = (error?.message ?? stderr ?? '').split('\n').filter((line) => line.trim());
  const errors = lines.filter((line) => /error/i.test(line)).slice(0, 2);
  throw new Error(errors.join('; ') || `${program} ended with ${status}: ${lines.at(-1) ?? ''}`);
}

function findPython(least) {
  const version = least.split('.').map(Number);
  const names = [process.env.PYTHON, 'python3', 'python3.12', 'python3.13', 'python3.14'].filter(Boolean);
  const candidates = [...names, ...ofPyenv()];
  const test =
    'import sys, venv, ensurepip; print(sys.version.split()[0]); sys.exit(sys.version_info < tuple(map(int, sys.argv[1:])))';
  for (const program of candidates) {
    const { status, stdout } = spawnSync(program, ['-c', test, ...version.map(String)], { encoding: 'utf8' });
    if (status === 0) return { program, version: stdout.trim() };
  }
  throw new Error(
    `Python ${least} or newer with venv is missing (looked for ${names.join(', ')} and in pyenv; PYTHON names another)`,
  );
}

/** The versions that pyenv installed: on the PATH it has only the one that is chosen. */
function ofPyenv() {
  const folder = join(process.env.PYENV_ROOT ?? join(homedir(), '.pyenv'), 'versions');
  if (!existsSync(folder)) return [];
  return readdirSync(folder).map((version) => join(folder, version, 'bin', 'python3'));
}

function versionOf(folder, registry, name) {
  if (registry === 'npm')
    return JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')).version;
  const { stdout } = spawnSync(
    join(folder, 'bin/python'),
    ['-c', 'import importlib.metadata, sys; print(importlib.metadata.version(sys.argv[1]))', name],
    { encoding: 'utf8' },
  );
  return stdout.trim();
}
