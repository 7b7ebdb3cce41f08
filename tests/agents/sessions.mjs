// The sessions: which tools the scripted model calls. `{project}` is the folder that the servers serve.

import { NEEDLE } from './servers.mjs';

const call = (server, tool, args = {}) => ({ server, tool, args });
const file = (name, tool = 'read_text_file') => call('fs', tool, { path: `{project}/${name}` });
// Through Tamis alone. `of` is the `id` of the call whose result is read back, and `shows` is in the answer.
const readBack = (of, args = {}) => ({ tool: 'tamis_read', args: { ref: '$REF', ...args }, of, shows: NEEDLE });
const search = (mode, more) => ({ tool: 'search_tool_functions', args: { mode, ...more } });
const program = (code) => ({
  tool: 'run_typescript',
  args: { code: `async function main() { ${code} }` },
  computes: true,
});

export const SESSIONS = {
  large: {
    delayMs: 400,
    steps: [
      call('everything', 'echo', { message: 'hello there' }),
      call('everything', 'get-structured-content', { location: 'New York' }),
      { ...call('memory', 'read_graph'), id: 'graph' },
      file('small.json'),
      { ...file('issues.json'), id: 'issues' },
      file('src', 'directory_tree'),
      call('git', 'git_log', { repo_path: '{project}' }),
      file('app.log'),
      call('everything', 'get-tiny-image'),
    ],
    readBack: [readBack('graph'), readBack('issues', { search: NEEDLE })],
  },
  small: {
    delayMs: 300,
    steps: [
      call('everything', 'echo', { message: 'a' }),
      file('', 'list_directory'),
      file('src/app/models/fern.ts'),
      call('git', 'git_status', { repo_path: '{project}' }),
    ],
    readBack: [],
  },
};

/** The same for agents whose model writes programs that call the tools: a program gets the result as a value. */
export const PROGRAMS = {
  large: {
    delayMs: 1500,
    steps: [
      search('best_match', { query: 'read text file' }),
      search('details', {
        functions: ['mcp_fs.read_text_file', 'mcp_memory.read_graph', 'mcp_everything.get_structured_content'],
      }),
      program(
        "const { content } = await tools.mcp_fs.read_text_file({ path: '{project}/issues.json' }); const rows = JSON.parse(content); return { n: rows.length, open: rows.filter((row) => row.status === 'open').length };",
      ),
      program(
        'const graph = await tools.mcp_memory.read_graph({}); return graph.entities.length + graph.relations.length;',
      ),
      program("return (await tools.mcp_fs.read_text_file({ path: '{project}/app.log' })).content.split('\\n').length;"),
    ],
    readBack: [],
  },
  small: {
    delayMs: 1500,
    steps: [
      search('details', { functions: ['mcp_everything.get_structured_content', 'mcp_fs.read_text_file'] }),
      program("return (await tools.mcp_everything.get_structured_content({ location: 'New York' })).temperature;"),
      program(
        "return JSON.parse((await tools.mcp_fs.read_text_file({ path: '{project}/small.json' })).content).length;",
      ),
    ],
    readBack: [],
  },
};

/** The session with the project's folder filled in. `wait` is a call before it, in agents that do not wait for their servers. */
export function session({ delayMs, steps, readBack }, { project, wait, reads }) {
  const inProject = (list) => JSON.parse(JSON.stringify(list).replaceAll('{project}', project));
  const calls = inProject(wait ? [wait, ...steps] : steps);
  return { delayMs, waits: wait ? 1 : 0, calls, steps: reads ? [...calls, ...inProject(readBack)] : calls };
}
