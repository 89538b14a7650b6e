/** What Fixpoint has to reach, by place and row: strict, or strict and relaxed. */

const atLeast = (strict, relaxed) => ({
  isMet: (value, limit) => value >= limit,
  sign: '≥',
  strict,
  relaxed,
});
const atMost = (strict, relaxed) => ({ isMet: (value, limit) => value <= limit, sign: '≤', strict, relaxed });

const NODE = {
  'one durable put after another': atLeast(3000, 8000),
  'p99 of a put': atMost(5),
  '64 puts in flight': atLeast(25_000),
  'bulk of 10000': atLeast(40_000),
  'random gets, warm': atLeast(100_000),
  'random gets after opening': atLeast(15_000),
  'all 10000 documents': atMost(80),
  'first query, builds the index': atMost(250),
  'range of about 90 rows': atMost(2),
  'query after 100 more documents': atMost(15),
  'put to subscriber, p50': atMost(0.5),
  'open and first get': atMost(20),
  'bytes on disk after compaction, 10000 documents': atMost(3.5),
  'most memory of that run': atMost(200),
};

const CHROMIUM = {
  'one durable put after another': atLeast(500, 1200),
  'bulk of 10000': atLeast(28_000),
  'random gets, warm': atLeast(50_000),
  'random gets after opening': atLeast(5000),
  'all 10000 documents': atMost(60),
  'first query, builds the index': atMost(300),
  'range of about 90 rows': atMost(2),
  'query after 100 more documents': atMost(10),
  'put to subscriber, p50': atMost(1.5, 1),
  'open and first get': atMost(15),
  'script of a page': atMost(60),
};

const CLOUD = {
  '10000 documents from client to client': atMost(3),
  'one change from client to client, p50': atMost(30),
  'one change from client to client, p99': atMost(150),
  'small requests': atLeast(10_000),
  'memory of the server with 10000 quiet sockets': atMost(600),
};

const TARGETS = { Node: NODE, Chromium: CHROMIUM, 'Sync and gateway': CLOUD };

/** The target of a row and whether the medians reach it; empty for a row without one. */
export function targetOf(place, what, { strict, relaxed }) {
  const target = TARGETS[place]?.[what];
  if (target === undefined) return '';
  const judged = (value, limit) =>
    `${target.sign} ${limit.toLocaleString('en-US')} ${target.isMet(value, limit) ? 'met' : '**missed**'}`;
  const parts = [judged(strict, target.strict)];
  if (target.relaxed !== undefined && relaxed !== undefined)
    parts.push(`relaxed ${judged(relaxed, target.relaxed)}`);
  return parts.join('; ');
}
