// Runs programs with a time limit, and leaves none of their processes behind.

import { execFileSync, spawn } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { basename } from 'node:path';

/**
 * Starts a program that is killed after `limitMs`. `ended` resolves to `{ error }`, or `{}` where it ended well; `says`
 * resolves to standard output as soon as it holds a pattern.
 */
export function start(program, words, { cwd, env, limitMs }) {
  const child = spawn(program, words, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const run = { output: '', log: '' };
  child.stdout.on('data', (chunk) => (run.output += chunk));
  child.stderr.on('data', (chunk) => (run.log += chunk));
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    child.kill('SIGKILL');
  }, limitMs);
  run.ended = new Promise((resolve) => {
    child.on('error', (error) => resolve({ error: error.message }));
    // Not `close`: a daemon may keep the pipes open.
    child.on('exit', (code, signal) =>
      resolve(
        late
          ? { error: `it did not end within ${limitMs / 1000} s` }
          : code === 0
            ? {}
            : { error: `it ended with ${code ?? signal}` },
      ),
    );
  }).finally(() => clearTimeout(timer));
  run.says = (pattern) =>
    new Promise((resolve, reject) => {
      const look = () => pattern.test(run.output) && resolve(run.output);
      child.stdout.on('data', look);
      look();
      run.ended.then(({ error }) => reject(new Error(`${program} ${words[0]}: ${error ?? 'it ended'}\n${run.log}`)));
    });
  run.end = (signal) => {
    child.kill(signal);
    return run.ended;
  };
  return run;
}

// Long enough for a proxy on a loaded machine to write what it has counted.
const PATIENCE_MS = 5_000;
const LOOK_MS = 50;

/**
 * Ends every process that has this HOME: agents leave servers and daemons behind. Those of `program` are let come to
 * their end, which begins when the others are gone.
 */
export async function endWithHome(home, program) {
  const until = Date.now() + PATIENCE_MS;
  for (;;) {
    const running = withHome(home);
    const patient = Date.now() < until ? running.filter((process) => process.program === program) : [];
    for (const { pid } of running.filter((process) => !patient.includes(process))) kill(pid);
    if (!patient.length) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

function kill(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

/** Process id and program of each. */
function withHome(home) {
  const wanted = `HOME=${home}`;
  if (process.platform !== 'linux') {
    const lines = execFileSync('ps', ['axeww', '-o', 'pid=,command='], { encoding: 'utf8', maxBuffer: 1 << 26 }).split(
      '\n',
    );
    const words = lines.map((line) => line.trim().split(/\s+/));
    return words
      .filter((line) => line.includes(wanted))
      .map(([pid, program]) => ({ pid: Number(pid), program: basename(program) }));
  }
  const read = (pid, file) => {
    try {
      return readFileSync(`/proc/${pid}/${file}`, 'utf8').split('\0');
    } catch {
      return [''];
    }
  };
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && read(name, 'environ').includes(wanted));
  return pids.map((pid) => ({ pid: Number(pid), program: basename(read(pid, 'cmdline')[0]) }));
}
