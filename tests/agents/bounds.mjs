// The bounds that every session through Tamis is held to.

/** A small session through Tamis, in per cent of bare, at most. */
export const SMALL_MOST = 1;
/** By so much, in per cent, do two sessions of one agent differ: ids and times are other tokens each time (Codex: 0.5). */
const NOISE = 1;
/** `tamis stats` beside what was counted, in per cent, at most; so few tokens do not matter. */
export const STATS_MOST = 5;
const FEW_TOKENS = 10;
/** So many missing tools are named. */
const NAMED = 5;

export const percent = (here, bare) => 100 * (here / bare - 1);

/**
 * `tamis stats --json` of a session beside what was counted: tokens of results as the client shows them bare, as it shows
 * them now, and of what was read back; and of what is added to the lists of tools, once for each call, which agents write
 * in forms of their own. Agents put words of their own around a result, of which `tamis stats` counts those that it knows: of
 * the counts with them and without them, the nearer. The one place that knows the report's keys.
 */
export function statsBeside({ total }, here, bare) {
  const added = (here.listTokens - bare.listTokens) * (here.results.length + here.reads);
  return {
    bare: nearest(total.tokens_before, bare.resultTokens, bare.counted.results, bare.counted.withWords),
    now: nearest(total.tokens_after, here.resultTokens, here.counted.results, here.counted.withWords),
    'read back': nearest(total.reread_tokens, here.readBackTokens, here.counted.readBack),
    lists: [total.listing_tokens ?? 0, added],
  };
}

const nearest = (said, ...counted) => [said, counted.sort((a, b) => Math.abs(a - said) - Math.abs(b - said))[0]];

/** Those that are held to the bound. */
const HELD = ['bare', 'now', 'read back'];

/** How far apart two counts are, in per cent of the one that was counted. */
const apart = ([said, counted]) =>
  Math.abs(said - counted) <= FEW_TOKENS ? 0 : counted === 0 ? Infinity : Math.abs(percent(said, counted));

/** The bounds of one session through Tamis: `{ name, figure, bound, holds }`. */
export function bounds({ agent, sessionName, here, bare, newErrors, stats }) {
  const found = [];
  const atMost = (name, figure, bound, unit) =>
    found.push({
      name,
      figure: `${figure.toFixed(1)} ${unit}`,
      bound: `at most ${bound} ${unit}`,
      holds: figure <= bound,
    });
  const is = (name, figure, bound) => found.push({ name, figure, bound, holds: figure === bound });
  atMost(
    'whole session against bare',
    percent(here.sessionTokens, bare.sessionTokens),
    sessionName === 'large' ? agent.most : SMALL_MOST + NOISE,
    '%',
  );
  is('calls that bare cannot make', bare.leftOut.length ? `${bare.leftOut.length}` : 'none', 'none');
  const missing = (key) => {
    const names = bare[key].filter((name) => !here[key].includes(name));
    const more = names.length > NAMED ? `, and ${names.length - NAMED} more` : '';
    return names.length ? names.slice(0, NAMED).join(', ') + more : 'none';
  };
  is('tools of bare that are not offered', missing('tools'), 'none');
  if (!agent.wait) is('tools of bare that are not offered in the first request', missing('toolsAtFirst'), 'none');
  // Programs find it by a search; no request lists it.
  if (!agent.programs)
    is('tamis_read is offered', here.readToolOffered === 1 ? '1 time' : `${here.readToolOffered} times`, '1 time');
  if (here.readToolWorks !== undefined) is('tamis_read works', here.readToolWorks ? 'yes' : 'no', 'yes');
  is('errors that bare does not have', newErrors.join('; ') || 'none', 'none');
  // Neither do requests list the servers' tools, so nothing is saved there.
  if (agent.programs && stats) is('tamis stats, tokens of lists', stats.total.listing_tokens ?? 0, 0);
  const beside = agent.programs || !stats ? {} : statsBeside(stats, here, bare);
  for (const [name, pair] of Object.entries(beside).filter(([name]) => HELD.includes(name))) {
    atMost(`tamis stats, tokens ${name} (${pair[0]}, counted ${pair[1]})`, apart(pair), STATS_MOST, '%');
  }
  return found;
}
