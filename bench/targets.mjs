/**
 * The targets of Fixpoint, by place and row. A target has a limit for strict durability, and may
 * have a second one for relaxed durability.
 */

const atLeast = (strict, relaxed) => ({
  isMet: (value, limit) => value >= limit,
  sign: '≥',
  scaled: (value, speed) => value / speed,
  strict,
  relaxed,
});
/** A target for bytes, which don't depend on the speed of the machine. */
const bytesAtMost = (strict) => ({ isMet: (value, limit) => value <= limit, sign: '≤', strict });
const atMost = (strict, relaxed) => ({
  isMet: (value, limit) => value <= limit,
  sign: '≤',
  scaled: (value, speed) => value * speed,
  strict,
  relaxed,
});

/** Results of the machine for which the targets were set, by row. */
const TARGETS_MACHINE = { 'dag-cbor encodes a document': 120_000, 'SHA-256 of a document': 640_000 };

/**
 * Returns the speed of this machine relative to the machine for which the targets were set.
 * @param limitOf returns the median of a measured limit of this machine
 */
export function speedOfMachine(limitOf) {
  const ratios = Object.entries(TARGETS_MACHINE).map(([what, there]) => limitOf(what) / there);
  return Math.sqrt(ratios.reduce((product, ratio) => product * ratio, 1));
}

const NODE = {
  'one durable put after another': atLeast(4000, 12_000),
  'p99 of a put': atMost(2),
  'import of the package': atMost(40),
  '64 puts in flight': atLeast(25_000),
  'bulk of 10000': atLeast(40_000),
  'random gets, warm': atLeast(100_000),
  'random gets after opening': atLeast(15_000),
  'all 10000 documents': atMost(80),
  'all 10000 documents, first call': atMost(60),
  'first query, builds the index': atMost(150),
  'range of about 90 rows': atMost(2),
  'query after 100 more documents': atMost(15),
  'search after 100 more documents, declared': atMost(3),
  'search after each put, declared, p50': atMost(1),
  'first search after opening, declared': atMost(5),
  'put to subscriber, p50': atMost(0.3),
  'open and first get': atMost(10),
  'open and first get after 5 updates': atMost(15),
  'bytes on disk after compaction, 10000 documents': bytesAtMost(3.2),
  'bytes of 1000 puts, closed at once': bytesAtMost(1),
  'bytes of 10000 documents in bulk, closed at once': bytesAtMost(4),
  'bytes after 5 updates of each document, closed at once': bytesAtMost(8),
  'peak memory of the bulk run': bytesAtMost(200),
};

const CHROMIUM = {
  'one durable put after another': atLeast(800, 1600),
  'p99 of a put': atMost(6),
  'bulk of 10000': atLeast(28_000),
  'random gets, warm': atLeast(50_000),
  'random gets after opening': atLeast(5000),
  'all 10000 documents': atMost(60),
  'all 10000 documents, first call': atMost(60),
  'first query, builds the index': atMost(150),
  'range of about 90 rows': atMost(2),
  'query after 100 more documents': atMost(10),
  'search after 100 more documents, declared': atMost(3),
  'search after each put, declared, p50': atMost(1),
  'first search after opening, declared': atMost(5),
  'put to subscriber, p50': atMost(1.5, 0.7),
  'open and first get': atMost(8),
  'open and first get after 5 updates': atMost(15),
  'script of a page': bytesAtMost(60),
};

const CLOUD = {
  '10000 documents from client to client': atMost(0.3),
  'one change from client to client, p50': atMost(30),
  'one change from client to client, p99': atMost(150),
  'small requests': atLeast(10_000),
  'memory of the server with 10000 quiet sockets': bytesAtMost(600),
  '16 databases that wrote 1000 documents each apart, until all have all': atMost(2),
};

const TARGETS = { Node: NODE, Chromium: CHROMIUM, 'Sync and gateway': CLOUD };

/**
 * Returns the target of a row as text, and says whether the medians meet the target. For a missed
 * target, adds the value scaled to the machine for which the targets were set. Returns an empty
 * text for a row without a target.
 */
export function targetOf(place, what, { strict, relaxed }, speed) {
  const target = TARGETS[place]?.[what];
  if (target === undefined) return '';
  const judged = (value, limit) => {
    const goal = `${target.sign} ${limit.toLocaleString('en-US')}`;
    if (target.isMet(value, limit)) return `${goal} met`;
    const scaled =
      target.scaled && Number(target.scaled(value, speed).toPrecision(3)).toLocaleString('en-US');
    return `${goal} **missed**${scaled === undefined ? '' : ` (scaled ${scaled})`}`;
  };
  const parts = [judged(strict, target.strict)];
  if (target.relaxed !== undefined && relaxed !== undefined)
    parts.push(`relaxed ${judged(relaxed, target.relaxed)}`);
  return parts.join('; ');
}
