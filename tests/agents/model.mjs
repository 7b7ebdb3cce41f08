// A scripted model on a loopback port. It calls the tools that a session names, one after the other: the place in the
// session is the number of results that the conversation has. A step whose tool is not offered is left out. It keeps every
// request.
//
// It is the way out to the network, too (`HTTPS_PROXY`): it leads to this machine, and refuses all else.

import http from 'node:http';
import net from 'node:net';
import zlib from 'node:zlib';
import { PROTOCOLS } from './protocols.mjs';

// A tool that a search does not find at once may be of a server that starts slowly.
const SEARCHES = 2;
const REFERENCE = /ref\\*"?[:=]\s*\\*"?([a-z0-9]{12,})/;
const DECODERS = { gzip: zlib.gunzipSync, br: zlib.brotliDecompressSync, zstd: zlib.zstdDecompressSync };

/** Serves one session; resolves to its address, what was asked, and how to end it. `leftOut` grows by steps without a tool. */
export async function model({ steps, delayMs }, leftOut) {
  const requests = [];
  const searched = new Map();
  const refused = new Set();
  const server = http.createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      answer(request, response, Buffer.concat(chunks)).catch((error) => {
        response.writeHead(400, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ error: { message: error.message } }));
      });
    });
  });
  async function answer(request, response, raw) {
    const url = request.url.split('?')[0];
    const json = (body, status = 200) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    };
    if (/count_tokens$/.test(url)) return json({ input_tokens: 10 });
    if (/:countTokens$/.test(url)) return json({ totalTokens: 10 });
    if (/\/models$/.test(url))
      return json({
        object: 'list',
        data: [{ id: 'scripted', object: 'model', type: 'model', display_name: 'scripted', created: 1, owned_by: 'x' }],
        models: [],
        has_more: false,
      });
    const protocol = request.method === 'POST' && PROTOCOLS.find(({ path }) => path.test(url));
    if (!protocol) return json({ error: { message: `no such path: ${url}` } }, 404);
    const decode = DECODERS[request.headers['content-encoding']] ?? ((bytes) => bytes);
    const body = JSON.parse(decode(raw).toString());
    const conversation = protocol.read(body);
    const decision = decide(steps, leftOut, searched, conversation);
    requests.push({ url, body, ...conversation, decision });
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    const written = protocol.write(body, decision, String(requests.length).padStart(6, '0'), url);
    if (written.json) return json(written.json);
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    for (const [event, data] of written.events)
      response.write(
        `${event ? `event: ${event}\n` : ''}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`,
      );
    response.end();
  }
  server.on('connect', (request, client, head) => {
    const [host, port] = request.url.split(':');
    client.on('error', () => {});
    if (!['127.0.0.1', 'localhost'].includes(host)) {
      refused.add(host);
      return client.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    }
    const target = net.connect(Number(port), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      target.write(head);
      target.pipe(client).pipe(target);
    });
    target.on('error', () => client.destroy());
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    requests,
    refused,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** The next call of the session, or its last words. */
function decide(steps, leftOut, searched, { tools, results, answer }) {
  if (answer) return { text: answer };
  if (!tools.length) return { text: 'A title' };
  for (;;) {
    const step = steps.filter((step) => !leftOut.has(step))[results.length];
    if (!step) return { text: `All ${results.length} steps done.` };
    const tool = find(tools, step);
    if (tool)
      return {
        tool,
        args: filled(
          step,
          steps.filter((step) => !leftOut.has(step)),
          results,
        ),
      };
    const search = tools.find(({ name }) => /tool.?search/i.test(name));
    const times = searched.get(step) ?? 0;
    if (search && times < SEARCHES) {
      searched.set(step, times + 1);
      return { tool: search, args: { query: step.tool, max_results: 5 } };
    }
    leftOut.add(step);
  }
}

const plain = (name) => name.toLowerCase().replace(/[^a-z0-9]/g, '');

// Tools come bare (`echo`), with their server (`mcp__everything__echo`), or in a namespace.
function find(tools, { tool, server }) {
  const fits = tools.filter(({ name }) => plain(name).endsWith(plain(tool)));
  const here = server && fits.filter(({ name, namespace = '' }) => plain(namespace + name).includes(plain(server)));
  return here?.[0] ?? fits.sort((one, other) => one.name.length - other.name.length)[0];
}

/** The arguments; `$REF` is the reference in the result of the call that is read back, else in the last result that has one. */
function filled({ args = {}, of }, done, results) {
  if (of === undefined) return args;
  const first = results[done.findIndex(({ id }) => id === of)]?.text ?? '';
  const reference = [first, ...results.map(({ text }) => text).reverse()]
    .map((text) => REFERENCE.exec(text)?.[1])
    .find(Boolean);
  return JSON.parse(JSON.stringify(args).replaceAll('$REF', reference ?? 'no-reference-in-the-results'));
}
