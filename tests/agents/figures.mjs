// The figures of one session: tokens (o200k) of what the model was sent, the tools that it was offered, errors.

import { deferred, named } from './protocols.mjs';

/** Images are no text to a model. */
const withoutImages = (text) => text.replace(/data:image[^"]*|iVBOR[^"\\]*/g, '');
const asIs = (text) => text;
const plain = (name) => name.toLowerCase().replace(/[^a-z0-9]/g, '');
const isReadTool = (name) => plain(name).endsWith('tamisread');
const WRONG = /\b([Ee]rror|[Ff]ailed|not found|Unexpected token)\b/;
/**
 * A result without what agents put around it, as Tamis knows it: how long the call took, marks of what is not to be
 * trusted, where an image was saved.
 */
const ATTACHED = /Original attachment saved at:[\s\S]*/g;
export const unframed = (text) => {
  let inner = text;
  try {
    // Gemini.
    inner = JSON.parse(text).output ?? text;
  } catch {
    // No JSON, so no frame of JSON.
  }
  return inner
    .replace(/^Wall time: [\d.]+ seconds\n(Output:\n)?/, '')
    .replace(/<\/?untrusted_context>\n?/g, '')
    .replace(/Original attachment saved at:[\s\S]*|\[Tool '[^']*' provided[^\]]*\]\n|\[[Ii]mage: [^\]]*\]\n?/gm, '');
};
/** An error says so at its beginning; texts of files may hold the words anywhere. */
const BEGINNING = 160;

/**
 * `imagesAreText`: the agent sends images as base64 in a text. `leftOut` are steps whose tools were not offered, `expected` those of them that bare had to leave out, too.
 */
export function figures({ session, imagesAreText, leftOut, expected, requests, end, count }) {
  const steps = session.steps.filter((step) => !leftOut.has(step));
  const length = session.calls.filter((step) => !leftOut.has(step)).length;
  // Titles and the like are asked for without tools.
  const talk = requests.filter(({ tools }) => tools.length);
  const { waits } = session;
  const counts = imagesAreText ? asIs : withoutImages;
  // Bare says its last words when it has all results; what comes after that here is reading back.
  const whole = talk.findIndex(({ results }) => results.length >= length);
  const inSession = talk.slice(0, whole < 0 ? undefined : whole + 1).filter(({ results }) => results.length >= waits);
  const results = talk.reduce((most, { results }) => (results.length >= most.length ? results : most), []);
  const tokens = results.map(({ text }) => count(counts(text)));
  const inner = results.map(({ text }) => count(counts(unframed(text))));
  // Where the client's words around a result are counted, but not what it says of a file that it kept.
  const attached = results.map(({ text }) => count(counts(text.replace(ATTACHED, ''))));
  const sum = (numbers) => numbers.reduce((one, other) => one + other, 0);
  const offers = talk.map(offered);
  const tools = (offers) => [...new Set(offers.flat())].filter((name) => !isReadTool(name)).sort();
  const reads = session.steps
    .filter((step) => step.shows)
    .map((step) => results[steps.indexOf(step)]?.text.includes(step.shows) ?? false);
  return {
    requests: inSession.length,
    results: tokens.slice(waits, length),
    resultTokens: sum(tokens.slice(waits, length)),
    reads: Math.max(0, results.length - length),
    readBackTokens: sum(tokens.slice(length)),
    /** Beside `tamis stats`. */
    counted: {
      results: sum(inner.slice(waits, length)),
      withWords: sum(attached.slice(waits, length)),
      readBack: sum(inner.slice(length)),
    },
    listTokens: inSession.length ? count(JSON.stringify(inSession.at(-1).body.tools)) : 0,
    sessionTokens: sum(inSession.map(({ body }) => count(counts(JSON.stringify(body))))),
    /** The same without results. */
    emptyTokens: sum(inSession.map((request) => count(counts(withoutResults(request))))),
    tools: tools(offers),
    toolsAtFirst: tools(offers.slice(0, 1)),
    readToolOffered: Math.max(0, ...offers.map((names) => names.filter(isReadTool).length)),
    readToolWorks: reads.length ? reads.every(Boolean) : undefined,
    values: steps.map((step, index) => (step.computes ? results[index]?.text : undefined)),
    errors: errors({
      steps,
      length,
      results,
      end,
      offers,
      missing: [...leftOut].filter((step) => !expected.has(step)),
    }),
  };
}

/** A request whose results are empty, as JSON. */
function withoutResults({ body, results }) {
  const forms = (text) => [JSON.stringify(text).slice(1, -1), text];
  return results.reduce((json, { text }) => {
    const form = text && forms(text).find((form) => json.includes(form));
    return form ? json.replace(form, () => '') : json;
  }, JSON.stringify(body));
}

/** All names, as often as they are there. */
function offered({ body, tools }) {
  const listed = tools.map(({ name, namespace }) => (namespace ? `${namespace}.${name}` : name));
  const searched = new Set([...named(body.messages), ...deferred(body.messages)]);
  return [...listed, ...[...searched].filter((name) => !listed.includes(name))];
}

function errors({ steps, length, results, end, offers, missing }) {
  const found = missing.map(({ tool }) => `${tool} is not offered`);
  if (end.error) found.push(`the agent: ${end.error}`);
  if (results.length < length) found.push(`ended after ${results.length} of ${length} calls`);
  results.forEach(({ text, failed }, index) => {
    if (failed || WRONG.test(text.slice(0, BEGINNING)))
      found.push(`call ${index + 1}, ${steps[index]?.tool}: ${text.slice(0, BEGINNING)}`);
  });
  const twice = new Set(offers.flatMap((names) => names.filter((name, index) => names.indexOf(name) !== index)));
  for (const name of twice) found.push(`more than one tool is called ${name}`);
  return [...new Set(found)];
}

/** Errors that the session without Tamis does not have, at whatever call; and programs that compute another value. */
export function newErrors(here, bare) {
  const place = (error) => error.split(':')[0];
  const known = new Set(bare.errors.map(place));
  const differs = here.values
    .map((value, index) => ({ call: index + 1, value, expected: bare.values[index] }))
    .filter(({ value, expected }) => value !== undefined && value !== expected)
    .map(({ call, value, expected }) => `program, call ${call}: ${value.slice(0, BEGINNING)}, bare ${expected}`);
  return [...here.errors.filter((error) => !known.has(place(error))), ...differs];
}
