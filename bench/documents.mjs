/** Deterministic documents: about 200 bytes of dag-cbor with 8 fields, ids `doc-0000042`. */

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

/** The same pseudo-random order of `count` numbers in every run. */
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
