// The two lines of the TypeScript SDK behind one face, for session.mjs: the old single package,
// which ends at protocol 2025-11-25 and has its tasks, and the client package of the 2026-07-28
// era, which asks the server first what it speaks.
//
// `open(sdk, answers)` gives `{ client, transport }`, not yet connected. `answers` are functions by
// method for what a server may ask, and `hear(method, params)` for what it notifies of.

const CAPABILITIES = {
  roots: { listChanged: true },
  sampling: {},
  elicitation: { form: {}, url: {} },
};
const NOTIFICATIONS = [
  'notifications/message',
  'notifications/resources/updated',
  'notifications/resources/list_changed',
  'notifications/tools/list_changed',
  'notifications/prompts/list_changed',
];
const ME = { name: 'session.mjs', version: '1.0.0' };

export async function open(sdk, answers, hear) {
  if (sdk === '1') return open1(answers, hear);
  if (sdk === '2') return open2(answers, hear);
  throw new Error(`no such SDK: ${sdk} (1 or 2)`);
}

async function open1(answers, hear) {
  const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
  const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js');
  const { InMemoryTaskStore } = await import('@modelcontextprotocol/sdk/experimental/tasks');
  const types = await import('@modelcontextprotocol/sdk/types.js');
  const taskStore = new InMemoryTaskStore();
  const capabilities = {
    ...CAPABILITIES,
    // The server may hand its requests over as tasks and come back for the answers.
    tasks: { requests: { sampling: { createMessage: {} }, elicitation: { create: {} } } },
  };
  const client = new Client(ME, { capabilities, taskStore });
  const schemas = {
    'roots/list': types.ListRootsRequestSchema,
    'sampling/createMessage': types.CreateMessageRequestSchema,
    'elicitation/create': types.ElicitRequestSchema,
  };
  for (const [method, answer] of Object.entries(answers)) {
    client.setRequestHandler(schemas[method], async (request, extra) => {
      const result = await answer(request.params);
      if (!request.params?.task) return result;
      const task = await extra.taskStore.createTask({ ttl: 60_000 });
      await extra.taskStore.storeTaskResult(task.taskId, 'completed', result);
      return { task };
    });
  }
  for (const schema of [
    types.LoggingMessageNotificationSchema,
    types.ResourceUpdatedNotificationSchema,
    types.ResourceListChangedNotificationSchema,
    types.ToolListChangedNotificationSchema,
    types.PromptListChangedNotificationSchema,
  ]) {
    client.setNotificationHandler(schema, ({ method, params }) => hear(method, params));
  }
  const callAsTask = (params, options) =>
    client.experimental.tasks.callToolStream(params, types.CallToolResultSchema, options);
  return { client, callAsTask, transport: (server) => new StdioClientTransport(server) };
}

async function open2(answers, hear) {
  const { Client } = await import('@modelcontextprotocol/client');
  const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio');
  const client = new Client(ME, {
    capabilities: CAPABILITIES,
    versionNegotiation: { mode: 'auto' },
  });
  for (const [method, answer] of Object.entries(answers)) {
    client.setRequestHandler(method, (request) => answer(request.params));
  }
  for (const method of NOTIFICATIONS) {
    client.setNotificationHandler(method, ({ params }) => hear(method, params));
  }
  return { client, transport: (server) => new StdioClientTransport(server) };
}
