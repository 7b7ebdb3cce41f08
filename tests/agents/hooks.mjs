// The hooks: how each agent is told to run `tamis hook`, and what becomes of the output of its own shell then.
//
//   event      the agent's name for the moment after a tool
//   shell      the agent's own tool that runs a command: a call of it
//   hook       files by their paths in HOME, or a command that writes them. `documented` is the text that
//              docs/outside-mcp.md has below a heading: where Tamis supports the hook, it is tried as it stands there
//   replaces   the steps whose output reaches the model filtered; every other passes unchanged
//   runs       whether the agent runs the hook at all (default: true)
//   answer     for agents that `tamis hook` does not answer: the agent's own form of "put this text in its place"
//   reaches    as what the text of that answer was seen to reach the model; '' if it did not
//   calls      calls of MCP servers, for agents that let a hook replace the results of these alone
//   missing    as what an output reaches the model if the program of the hook is missing (default: unchanged)
//   log        a folder in HOME, in whose files the agent's user finds that a hook did not run
//   withholds  whether nothing passes if the policy redacts and the program is missing

import { join } from 'node:path';

/** Words that a hook's answer has, and nothing else. */
export const ANSWERED = 'an answer of a hook: heron-58';
/** What a redacting policy removes. */
export const SECRET = 'ada@example.org';
/** In the last line of the command that fails. */
export const FAILURE = 'error: the disk is full';

const json = (value) => JSON.stringify(value, null, 2);
const shell = (tool, more) => (command) => ({ tool, args: { command, ...more } });
const hookCommand = { type: 'command', command: 'tamis hook' };
/** Of agents that took this form over from Claude Code. */
const after = (event, matcher) => ({ [event]: [{ matcher, hooks: [hookCommand] }] });

export const HOOKS = {
  claude: {
    event: '`PostToolUse`',
    shell: shell('Bash', { description: 'Does a step' }),
    hook: ({ documented }) => ({ files: { '.claude/settings.json': documented('Claude Code') } }),
    replaces: ['report', 'large'],
  },
  opencode: {
    event: '`tool.execute.after`',
    shell: shell('bash', { description: 'Does a step' }),
    hook: ({ documented }) => ({ command: documented('opencode') }),
    replaces: ['report', 'large', 'fails'],
    log: '.local/share/opencode/log',
    withholds: true,
  },
  copilot: {
    event: '`postToolUse`',
    shell: shell('bash', { description: 'Does a step' }),
    hook: ({ documented }) => ({ files: { '.copilot/hooks/tamis.json': documented('Copilot CLI') } }),
    replaces: ['report', 'fails'],
  },
  codex: {
    event: '`PostToolUse`',
    shell: (cmd) => ({ tool: 'exec_command', args: { cmd, yield_time_ms: 20000 } }),
    hook: ({ documented }) => ({ files: { '.codex/hooks.json': documented('Codex') } }),
    replaces: ['graph'],
    calls: [{ id: 'graph', server: 'memory', tool: 'read_graph', args: {} }],
  },
  gemini: {
    event: '`AfterTool`',
    shell: shell('run_shell_command', { description: 'Does a step' }),
    hook: () => ({ settings: { '.gemini/settings.json': { hooks: after('AfterTool', '*') } } }),
    replaces: [],
    answer: { decision: 'deny', reason: ANSWERED },
    reaches: 'an error',
    // It takes any exit code over 1 for "deny", so also that of a shell that finds no such program.
    missing: 'an error',
  },
  qwen: {
    event: '`PostToolUse`',
    // It may lose what a command prints as it ends.
    shell: (line) =>
      shell('run_shell_command', { description: 'Does a step', is_background: false })(
        `${line}; status=$?; sleep 0.3; exit $status`,
      ),
    hook: () => ({ settings: { '.qwen/settings.json': { hooks: after('PostToolUse', '*') } } }),
    replaces: [],
    answer: { hookSpecificOutput: { hookEventName: 'PostToolUse', updatedToolOutput: ANSWERED } },
    reaches: '',
  },
  kimi: {
    event: '`PostToolUse`',
    shell: shell('Bash'),
    hook: () => ({
      settings: { '.kimi-code/config.toml': '[[hooks]]\nevent = "PostToolUse"\ncommand = "tamis hook"\n' },
    }),
    replaces: [],
    answer: { hookSpecificOutput: { hookEventName: 'PostToolUse', updatedToolOutput: ANSWERED } },
    reaches: '',
  },
  cline: {
    event: '`PostToolUse`',
    shell: (command) => ({ tool: 'run_commands', args: { commands: [command] } }),
    hook: () => ({ scripts: { 'Documents/Cline/Hooks/PostToolUse': '#!/bin/sh\nexec tamis hook\n' } }),
    replaces: [],
    answer: { contextModification: ANSWERED, updatedToolOutput: ANSWERED },
    reaches: '',
  },
  continue: {
    event: '`PostToolUse`',
    shell: shell('Bash'),
    hook: () => ({ files: { '.continue/settings.json': json({ hooks: after('PostToolUse', '*') }) } }),
    replaces: [],
    runs: false,
    answer: { hookSpecificOutput: { hookEventName: 'PostToolUse', updatedToolOutput: ANSWERED } },
    reaches: '',
  },
};

/** The block of code below a heading of a page. */
export function documentedIn(page) {
  return (heading) => {
    const [, below] = page.split(`\n### ${heading}\n`);
    const [, block] = /\n```\w+\n([^]*?)\n```\n/.exec(below?.split('\n### ')[0] ?? '') ?? [];
    if (!block) throw new Error(`docs/outside-mcp.md has no block of code below "${heading}"`);
    return block;
  };
}

/** The commands of the session, by the names of its steps. */
export const commands = {
  report: './report',
  large: './report large',
  file: 'cat src/app/models/fern.ts',
  fails: './fails',
};

/** The programs of the session, and what each prints. */
export function programs(project, log) {
  const lines = log.split('\n');
  const first = (count) => `${lines.slice(0, count).join('\n')}\n`;
  // Below the caps of all agents, and above them.
  const [report, large] = [`${SECRET} asked for it\n${first(220)}`, `${SECRET} asked for it\n${first(1400)}`];
  const fails = `${first(160)}${FAILURE}, asked ${SECRET}\n`;
  const script = (...words) => `#!/bin/sh\n${words.join('\n')}\n`;
  const at = (name) => join(project, '.git', name);
  return {
    printed: { report, large, fails },
    files: { [at('report')]: report, [at('large')]: large, [at('failing')]: fails },
    scripts: {
      [join(project, 'report')]: script('exec cat "${0%/*}/.git/${1:-report}"'),
      [join(project, 'fails')]: script('cat "${0%/*}/.git/failing" >&2', 'exit 3'),
    },
  };
}
