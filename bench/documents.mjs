/**
 * Deterministic documents: flat ones with 8 fields and about 200 bytes of dag-cbor, and nested ones
 * of about 2 kB. Ids are ordered (`doc-0000042`) or scattered.
 */

export const idOf = (n) => `doc-${String(n).padStart(7, '0')}`;

export function documentOf(n, version = 0) {
  return {
    _id: idOf(n),
    title: `Document number ${n} of the benchmark`,
    author: `author-${(n * 7919) % 97}`,
    rank: (n * 104729) % 110,
    score: ((n * 31) % 1000) / 8,
    done: n % 3 === 0,
    tags: [`tag-${n % 11}`, `tag-${n % 13}`],
    note: `version ${version}: a short note that gives the document some length`,
  };
}

const WORDS = 'a note of some length about the state of one thing and of another that follows it'.split(' ');
const text = (n, words) =>
  Array.from({ length: words }, (_, at) => WORDS[(n * 31 + at * 7) % WORDS.length]).join(' ');

/** Returns a document with three levels. */
export function nestedOf(n) {
  return {
    _id: idOf(n),
    title: `Nested document ${n}`,
    rank: (n * 104729) % 110,
    body: {
      author: {
        name: `author-${n % 97}`,
        address: { city: `city-${n % 31}`, lines: [text(n, 4), text(n + 1, 4)] },
      },
      sections: Array.from({ length: 6 }, (_, at) => ({
        heading: text(n + at, 5),
        paragraphs: [text(n * 3 + at, 24), text(n * 5 + at, 24)],
        counts: { seen: (n * at) % 1000, kept: at / 8, open: at % 2 === 0 },
      })),
    },
  };
}

/** Returns ids that are scattered like random ones. The multiplier is odd, so they are unique. */
export const scatteredIdOf = (n) => `id-${(Math.imul(n, 2654435761) >>> 0).toString(16).padStart(8, '0')}`;

/** Returns the document with a scattered id. */
export const scatteredDocOf = (n, version = 0) => ({ ...documentOf(n, version), _id: scatteredIdOf(n) });

/** Returns `count` numbers in a pseudo-random order, the same in every run. */
export function shuffled(count) {
  const order = Array.from({ length: count }, (_, n) => n);
  let state = 42;
  for (let at = count - 1; at > 0; at--) {
    state = (state * 1664525 + 1013904223) % 4294967296;
    const other = state % (at + 1);
    [order[at], order[other]] = [order[other], order[at]];
  }
  return order;
}
