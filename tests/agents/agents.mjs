// The agents: an entry each. To add one, add an entry here and its version to versions.json.
//
//   package    where it comes from: `npm` or `pypi`
//   program    its command
//   client     how `tamis install --client` calls it
//   shows, cap, instructions   what its model was seen to get; for the page
//   wait       a call that takes a while, for agents that send requests before their servers have answered
//   most       the large session through Tamis, in per cent of bare, at most
//   configure  its files, by their paths in HOME. `servers` have a `command` (the program first) and `env`, or a `url`;
//              `model` is the scripted model's address
//   run        arguments and environment of one session without a terminal
//
// Keys are dummies. Each agent has telemetry and updates off.

import { join } from 'node:path';

const PROMPT = 'Do the steps.';
const KEY = 'dummy';
// In seconds. By default it drops servers that take three to answer, as some do on a busy machine, bare as well.
const CLINE_WAITS = { timeout: 60 };

/** An object of servers by name, each as `local` or `remote` writes it. */
const byName = (servers, local, remote) =>
  Object.fromEntries(servers.map((server) => [server.name, server.url ? remote(server) : local(server)]));
const split = ({ command: [command, ...args], env }) => ({ command, args, env });
const http = ({ url }) => ({ type: 'http', url });
const json = (value) => JSON.stringify(value, null, 2);
const quoted = (value) => JSON.stringify(value);
const tomlTable = (object) =>
  `{ ${Object.entries(object)
    .map(([key, value]) => `${key} = ${quoted(value)}`)
    .join(', ')} }`;

export const AGENTS = {
  claude: {
    title: 'Claude Code',
    package: { npm: '@anthropic-ai/claude-code' },
    program: 'claude',
    client: 'claude-code',
    shows: '`structuredContent` alone, else text',
    cap: 'over 25,000 tokens or 100,000 characters: a file, and a preview of 2 KB',
    instructions: true,
    most: -27,
    configure: ({ servers }) => ({
      '.claude.json': json({
        mcpServers: byName(servers, (server) => ({ type: 'stdio', ...split(server) }), http),
        hasCompletedOnboarding: true,
      }),
    }),
    run: ({ model }) => ({
      args: ['-p', PROMPT, '--dangerously-skip-permissions', '--model', 'claude-sonnet-4-6'],
      env: {
        IS_SANDBOX: '1',
        ANTHROPIC_BASE_URL: model,
        ANTHROPIC_API_KEY: KEY,
        DISABLE_AUTOUPDATER: '1',
        DISABLE_TELEMETRY: '1',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      },
    }),
  },
  codex: {
    title: 'Codex',
    package: { npm: '@openai/codex' },
    program: 'codex',
    client: 'codex',
    shows: '`structuredContent` alone, else text',
    cap: '12,000 characters, the middle cut',
    instructions: true,
    // Its first request goes out when a few of the servers have answered; after 10 s, it drops those that have not.
    wait: { tool: 'exec_command', args: { cmd: 'sleep 11', yield_time_ms: 20000 } },
    most: -15,
    configure: ({ servers, model }) => ({
      '.codex/config.toml': [
        'model = "scripted"\nmodel_provider = "scripted"\ncheck_for_update_on_startup = false\n',
        `[model_providers.scripted]\nname = "scripted"\nbase_url = "${model}/v1"\nwire_api = "responses"\nenv_key = "SCRIPTED_KEY"\n`,
        '[analytics]\nenabled = false\n',
        ...servers.map((server) => {
          const { command, args, env } = server.url ? {} : split(server);
          const lines = server.url
            ? [`url = ${quoted(server.url)}`]
            : [`command = ${quoted(command)}`, `args = ${quoted(args)}`];
          if (env && Object.keys(env).length) lines.push(`env = ${tomlTable(env)}`);
          return `[mcp_servers.${server.name}]\n${lines.join('\n')}\n`;
        }),
      ].join('\n'),
    }),
    run: () => ({
      args: [
        'exec',
        '--dangerously-bypass-approvals-and-sandbox',
        '--dangerously-bypass-hook-trust',
        '--skip-git-repo-check',
        PROMPT,
      ],
      env: { SCRIPTED_KEY: KEY },
    }),
  },
  gemini: {
    title: 'Gemini CLI',
    package: { npm: '@google/gemini-cli' },
    program: 'gemini',
    client: 'gemini-cli',
    shows: 'text',
    cap: 'the first 8,000 and the last 32,000 characters',
    instructions: true,
    // With empty results and the servers' own list of tools it would be -55: the rest is what Gemini CLI sends itself.
    most: -50,
    configure: ({ servers }) => ({
      '.gemini/settings.json': json({
        mcpServers: byName(servers, split, ({ url }) => ({ httpUrl: url })),
        security: { auth: { selectedType: 'gemini-api-key' } },
        general: { enableAutoUpdate: false },
        privacy: { usageStatisticsEnabled: false },
      }),
    }),
    run: ({ model }) => ({
      args: ['-p', PROMPT, '--approval-mode', 'yolo', '--skip-trust', '-m', 'gemini-2.5-pro'],
      env: { GEMINI_API_KEY: KEY, GOOGLE_GEMINI_BASE_URL: model, GEMINI_CLI_NO_RELAUNCH: 'true' },
    }),
  },
  opencode: {
    title: 'opencode',
    package: { npm: 'opencode-ai' },
    program: 'opencode',
    client: 'opencode',
    shows: 'text',
    cap: 'about 50 KB',
    instructions: true,
    most: -60,
    configure: ({ servers, model }) => ({
      '.config/opencode/opencode.json': json({
        autoupdate: false,
        share: 'disabled',
        model: 'scripted/scripted',
        small_model: 'scripted/scripted',
        provider: {
          scripted: {
            npm: '@ai-sdk/openai-compatible',
            name: 'scripted',
            options: { baseURL: `${model}/v1`, apiKey: KEY },
            models: { scripted: { name: 'scripted', limit: { context: 200000, output: 8000 } } },
          },
        },
        mcp: byName(
          servers,
          ({ command, env }) => ({ type: 'local', command, environment: env, enabled: true }),
          ({ url }) => ({ type: 'remote', url, enabled: true }),
        ),
      }),
    }),
    run: () => ({
      args: ['run', PROMPT],
      env: { OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' },
    }),
  },
  qwen: {
    title: 'Qwen Code',
    package: { npm: '@qwen-code/qwen-code' },
    program: 'qwen',
    client: 'qwen-code',
    shows: 'both',
    cap: 'a file, and a preview of 2 KB',
    instructions: true,
    most: -9,
    configure: ({ servers }) => ({
      '.qwen/settings.json': json({
        mcpServers: byName(servers, split, ({ url }) => ({ httpUrl: url })),
        telemetry: { enabled: false },
        privacy: { usageStatisticsEnabled: false },
        general: { enableAutoUpdate: false },
      }),
    }),
    run: ({ model }) => ({
      args: ['-p', PROMPT, '--auth-type', 'openai', '--yolo'],
      env: {
        OPENAI_API_KEY: KEY,
        OPENAI_BASE_URL: `${model}/v1`,
        OPENAI_MODEL: 'scripted',
        QWEN_CODE_NO_RELAUNCH: 'true',
      },
    }),
  },
  copilot: {
    title: 'Copilot CLI',
    package: { npm: '@github/copilot' },
    program: 'copilot',
    client: 'copilot-cli',
    shows: 'both',
    cap: 'a file, and a preview of 500 characters',
    instructions: false,
    most: 0,
    configure: ({ servers }) => ({
      '.copilot/mcp-config.json': json({
        mcpServers: byName(
          servers,
          (server) => ({ type: 'local', tools: ['*'], ...split(server) }),
          (server) => ({ ...http(server), tools: ['*'] }),
        ),
      }),
    }),
    run: ({ model }) => ({
      args: ['-p', PROMPT, '--allow-all-tools', '--allow-all-paths', '--no-auto-update'],
      env: {
        COPILOT_PROVIDER_BASE_URL: `${model}/v1`,
        COPILOT_PROVIDER_API_KEY: KEY,
        COPILOT_MODEL: 'gpt-4.1',
        COPILOT_OFFLINE: 'true',
        COPILOT_AUTO_UPDATE: 'false',
      },
    }),
  },
  kimi: {
    title: 'Kimi Code',
    package: { npm: '@moonshot-ai/kimi-code' },
    program: 'kimi',
    client: 'kimi-code',
    shows: 'text, then `structuredContent` unless the text parses equal',
    cap: '50,000 characters, then a file',
    instructions: false,
    most: -15,
    configure: ({ servers, model }) => ({
      '.kimi-code/mcp.json': json({ mcpServers: byName(servers, split, ({ url }) => ({ url })) }),
      '.kimi-code/config.toml': `default_model = "scripted"\ntelemetry = false\n\n[providers.scripted]\ntype = "openai"\nbase_url = "${model}/v1"\napi_key = "${KEY}"\n\n[models.scripted]\nprovider = "scripted"\nmodel = "scripted"\nmax_context_size = 200000\n`,
    }),
    run: () => ({ args: ['-p', PROMPT], env: { KIMI_CODE_NO_AUTO_UPDATE: '1' } }),
  },
  cline: {
    title: 'Cline CLI',
    package: { npm: 'cline' },
    program: 'cline',
    client: 'cline',
    shows: 'the raw result as JSON, images as base64',
    imagesAreText: true,
    cap: '8,000 characters, the middle cut',
    instructions: false,
    most: 0,
    // Its own command writes where its model is.
    before: ({ model }) => ['auth', '-p', 'openai', '-k', KEY, '-m', 'scripted', '-b', `${model}/v1`],
    configure: ({ servers }) => ({
      '.cline/data/settings/cline_mcp_settings.json': json({
        mcpServers: byName(
          servers,
          (server) => ({ transport: { type: 'stdio', ...split(server) }, ...CLINE_WAITS }),
          ({ url }) => ({ transport: { type: 'streamableHttp', url }, ...CLINE_WAITS }),
        ),
      }),
    }),
    run: () => ({ args: [PROMPT], env: { CLINE_NO_AUTO_UPDATE: '1', CLINE_TELEMETRY_DISABLED: '1' } }),
  },
  continue: {
    title: 'Continue',
    package: { npm: '@continuedev/cli' },
    program: 'cn',
    client: 'continue',
    shows: 'a JSON list of blocks, images as base64',
    imagesAreText: true,
    cap: 'none',
    instructions: false,
    most: -60,
    configure: ({ servers, model }) => ({
      '.continue/config.yaml': [
        'name: local\nversion: 1.0.0\nschema: v1',
        // A bare session is larger than the window that it takes for granted, and it drops messages then.
        `models: [{name: scripted, provider: openai, model: scripted, apiBase: "${model}/v1", apiKey: ${KEY}, roles: [chat], capabilities: [tool_use], defaultCompletionOptions: {contextLength: 1000000}}]`,
        servers.length ? 'mcpServers:' : '',
        ...servers.map((server) => {
          const keys = server.url ? { type: 'streamable-http', url: server.url } : split(server);
          const lines = Object.entries(keys).map(([key, value]) => `    ${key}: ${quoted(value)}`);
          return [`  - name: ${server.name}`, ...lines].join('\n');
        }),
        '',
      ].join('\n'),
    }),
    run: ({ home }) => ({
      args: ['-p', PROMPT, '--auto', '--config', join(home, '.continue/config.yaml')],
      env: { CONTINUE_TELEMETRY_ENABLED: '0', CONTINUE_CLI_ENABLE_TELEMETRY: '0', OPENAI_API_KEY: KEY },
    }),
  },
  vibe: {
    title: 'Mistral Vibe',
    package: { pypi: 'mistral-vibe', python: '3.12' },
    program: 'vibe',
    client: 'vibe',
    shows: 'nothing: programs get the value, typed by `outputSchema`',
    cap: 'none',
    instructions: false,
    programs: true,
    most: 0,
    configure: ({ servers, model }) => ({
      '.vibe/config.toml': [
        'active_model = "scripted"\nenable_telemetry = false\nenable_update_checks = false\nenable_auto_update = false\n',
        `[[providers]]\nname = "scripted"\napi_base = "${model}/v1"\napi_key_env_var = "MISTRAL_API_KEY"\napi_style = "openai"\nbackend = "generic"\n`,
        '[[models]]\nname = "scripted"\nprovider = "scripted"\nalias = "scripted"\n',
        ...servers.map((server) => {
          const { command, args, env } = server.url ? {} : split(server);
          const lines = server.url
            ? ['transport = "streamable-http"', `url = ${quoted(server.url)}`]
            : ['transport = "stdio"', `command = ${quoted(command)}`, `args = ${quoted(args)}`];
          if (env && Object.keys(env).length) lines.push(`env = ${tomlTable(env)}`);
          return `[[mcp_servers]]\nname = "${server.name}"\n${lines.join('\n')}\n`;
        }),
      ].join('\n'),
    }),
    run: () => ({ args: ['-p', PROMPT, '--auto-approve', '--trust'], env: { MISTRAL_API_KEY: KEY } }),
  },
};
