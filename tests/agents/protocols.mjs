// The protocols in which agents talk to their models: Anthropic Messages, OpenAI Responses, OpenAI Chat Completions and
// Gemini generateContent. Each reads a request, and writes an answer.
//
//   path      the URLs that it answers
//   read      of a request's body: `tools` that the model may call, `results` of the calls so far
//   write     the answer to it: `{ json }`, or `{ events }` of a stream, each `[name, data]`

// Calls of a tool search are no steps of a session.
const SEARCH = /tool.?search/i;
const USAGE = { in: 10, out: 5 };

export const textOf = (content) =>
  typeof content === 'string'
    ? content
    : Array.isArray(content)
      ? content.map((part) => part.text ?? '').join('\n')
      : JSON.stringify(content ?? '');
// Agents add reminders of their own to results.
const result = (content, failed) => ({
  text: textOf(content).replace(/\s*<system-reminder>[\s\S]*?<\/system-reminder>\s*/g, ''),
  failed: Boolean(failed),
});

const anthropic = {
  path: /\/v1\/messages$/,
  read(body) {
    const parts = (body.messages ?? []).flatMap((message) => (Array.isArray(message.content) ? message.content : []));
    const searches = new Set(
      parts.filter((part) => part.type === 'tool_use' && SEARCH.test(part.name)).map((part) => part.id),
    );
    return {
      tools: (body.tools ?? []).map(({ name }) => ({ name })),
      results: parts
        .filter((part) => part.type === 'tool_result' && !searches.has(part.tool_use_id))
        .map((part) => result(part.content, part.is_error)),
    };
  },
  write(body, decision, id) {
    const usage = {
      input_tokens: USAGE.in,
      output_tokens: USAGE.out,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
    };
    const message = {
      id: `msg_${id}`,
      type: 'message',
      role: 'assistant',
      model: body.model,
      stop_sequence: null,
      usage,
    };
    const calls = decision.tool !== undefined;
    const block = calls
      ? { type: 'tool_use', id: `toolu_${id}`, name: decision.tool.name, input: decision.args }
      : { type: 'text', text: decision.text };
    const stop_reason = calls ? 'tool_use' : 'end_turn';
    if (!body.stream) return { json: { ...message, content: [block], stop_reason } };
    const delta = calls
      ? { type: 'input_json_delta', partial_json: JSON.stringify(decision.args) }
      : { type: 'text_delta', text: decision.text };
    const events = [
      { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
      {
        type: 'content_block_start',
        index: 0,
        content_block: calls ? { ...block, input: {} } : { type: 'text', text: '' },
      },
      { type: 'content_block_delta', index: 0, delta },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: USAGE.out } },
      { type: 'message_stop' },
    ];
    return { events: events.map((event) => [event.type, event]) };
  },
};

const responses = {
  path: /\/responses$/,
  read(body) {
    const input = Array.isArray(body.input) ? body.input : [];
    const found = input.filter((item) => item.type === 'tool_search_output').flatMap((item) => item.tools ?? []);
    const tools = [...(body.tools ?? []), ...found].flatMap((tool) =>
      tool.type === 'namespace'
        ? (tool.tools ?? []).map(({ name, type }) => ({ name, namespace: tool.name, type }))
        : ['function', 'custom', 'tool_search'].includes(tool.type)
          ? [{ name: tool.name ?? tool.type, type: tool.type }]
          : [],
    );
    return {
      tools,
      results: input.filter((item) => /_call_output$/.test(item.type)).map((item) => result(item.output)),
    };
  },
  write(body, decision, id) {
    const { tool, args, text } = decision;
    const called = tool && { call_id: `call_${id}`, status: 'completed', id: `item_${id}` };
    const item = !tool
      ? {
          type: 'message',
          id: `item_${id}`,
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text, annotations: [] }],
        }
      : tool.type === 'tool_search'
        ? { ...called, type: 'tool_search_call', execution: 'client', arguments: args }
        : tool.type === 'custom'
          ? { ...called, type: 'custom_tool_call', name: tool.name, input: args.input ?? JSON.stringify(args) }
          : {
              ...called,
              type: 'function_call',
              name: tool.name,
              ...(tool.namespace && { namespace: tool.namespace }),
              arguments: JSON.stringify(args),
            };
    const usage = {
      input_tokens: USAGE.in,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: USAGE.out,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: USAGE.in + USAGE.out,
    };
    const response = {
      id: `resp_${id}`,
      object: 'response',
      created_at: 1,
      status: 'completed',
      model: body.model,
      output: [item],
      usage,
      error: null,
      incomplete_details: null,
    };
    if (!body.stream) return { json: response };
    const at = { output_index: 0, item_id: item.id };
    const part = { ...at, content_index: 0 };
    const begun =
      item.type === 'message' ? { content: [] } : typeof item.arguments === 'string' ? { arguments: '' } : {};
    const events = [
      { type: 'response.created', response: { ...response, status: 'in_progress', output: [], usage: null } },
      { type: 'response.output_item.added', output_index: 0, item: { ...item, status: 'in_progress', ...begun } },
      ...(item.type === 'message'
        ? [
            { type: 'response.content_part.added', ...part, part: { type: 'output_text', text: '', annotations: [] } },
            { type: 'response.output_text.delta', ...part, delta: text },
            { type: 'response.output_text.done', ...part, text },
            { type: 'response.content_part.done', ...part, part: item.content[0] },
          ]
        : item.type === 'function_call'
          ? [
              { type: 'response.function_call_arguments.delta', ...at, delta: item.arguments },
              { type: 'response.function_call_arguments.done', ...at, arguments: item.arguments },
            ]
          : []),
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response },
    ];
    return { events: events.map((event, sequence_number) => [event.type, { ...event, sequence_number }]) };
  },
};

const chat = {
  path: /\/chat\/completions$/,
  read(body) {
    const messages = body.messages ?? [];
    const calls = messages.flatMap((message) => message.tool_calls ?? []);
    const searches = new Set(calls.filter((call) => SEARCH.test(call.function?.name)).map((call) => call.id));
    const tools = (body.tools ?? []).filter((tool) => tool.function).map((tool) => ({ name: tool.function.name }));
    // Qwen Code names the tools of MCP servers in a text, and has one tool that calls them.
    if (tools.some(({ name }) => name === 'tool_call'))
      tools.push(...named(messages).map((name) => ({ name, through: 'tool_call' })));
    return {
      tools,
      results: messages
        .filter((message) => message.role === 'tool' && !searches.has(message.tool_call_id))
        .map((message) => result(message.content)),
    };
  },
  write(body, decision, id) {
    const { tool, args, text } = decision;
    const called =
      tool &&
      (tool.through
        ? { name: tool.through, arguments: JSON.stringify({ name: tool.name, arguments: args }) }
        : { name: tool.name, arguments: JSON.stringify(args) });
    const tool_calls = called && [{ index: 0, id: `call_${id}`, type: 'function', function: called }];
    const base = { id: `chatcmpl-${id}`, created: 1, model: body.model };
    const usage = { prompt_tokens: USAGE.in, completion_tokens: USAGE.out, total_tokens: USAGE.in + USAGE.out };
    const finish_reason = called ? 'tool_calls' : 'stop';
    if (!body.stream)
      return {
        json: {
          ...base,
          object: 'chat.completion',
          choices: [{ index: 0, message: { role: 'assistant', content: text ?? null, tool_calls }, finish_reason }],
          usage,
        },
      };
    const chunk = (choices, more) => [null, { ...base, object: 'chat.completion.chunk', choices, ...more }];
    const delta = (delta, finish_reason = null) => chunk([{ index: 0, delta, finish_reason }]);
    return {
      events: [
        delta({ role: 'assistant', content: text ?? null }),
        ...(called ? [delta({ tool_calls })] : []),
        delta({}, finish_reason),
        chunk([], { usage }),
        [null, '[DONE]'],
      ],
    };
  },
};

const gemini = {
  path: /:(streamG|g)enerateContent$/,
  read(body) {
    const parts = (body.contents ?? []).flatMap((content) => content.parts ?? []);
    const config = body.generationConfig ?? {};
    return {
      tools: (body.tools ?? []).flatMap((tool) => tool.functionDeclarations ?? []).map(({ name }) => ({ name })),
      results: parts
        .filter((part) => part.functionResponse)
        .map(({ functionResponse: { response } }) => result(JSON.stringify(response), response?.error)),
      // Gemini CLI has its model judge the conversation, too, and asks for JSON then.
      answer:
        (config.responseMimeType === 'application/json' || config.responseJsonSchema) &&
        '{"reasoning":"-","next_speaker":"user","complexity_reasoning":"-","complexity_score":1,"model_choice":"flash","title":"t"}',
    };
  },
  write(body, decision, id, url) {
    const part = decision.tool
      ? { functionCall: { name: decision.tool.name, args: decision.args, id: `call_${id}` } }
      : { text: decision.text };
    const json = {
      candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }],
      usageMetadata: {
        promptTokenCount: USAGE.in,
        candidatesTokenCount: USAGE.out,
        totalTokenCount: USAGE.in + USAGE.out,
      },
      modelVersion: 'scripted',
      responseId: `resp_${id}`,
    };
    return url.includes('stream') ? { events: [[null, json]] } : { json };
  },
};

export const PROTOCOLS = [anthropic, responses, chat, gemini];

/** Tools that a conversation names in its text, as agents do whose tools are behind a search. */
export const named = (messages) => [...new Set(JSON.stringify(messages ?? []).match(/(?<!\/)mcp__[\w-]+/g) ?? [])];

/** Claude Code's own tools that are behind its search. */
export function deferred(messages) {
  const lists = JSON.stringify(messages ?? []).matchAll(/deferred tools are now available.*?:((?:\\n[\w-]+)+)/g);
  return [...new Set([...lists].flatMap(([, list]) => list.split('\\n').slice(1)))];
}
