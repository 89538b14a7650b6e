/**
 * Sorts the edits of a tree without one long sort: batches are sorted as they arrive, and merged in
 * slices between which other work can run.
 */
import type { Pace } from '../base/pace.ts';
import type { Edit } from './put-many.ts';

/** Sorts edits, and keeps the last one of each key. */
export function sortedRun(edits: Edit[]): Edit[] {
  edits.sort((a, b) => (a[0] < b[0] ? -1 : a[0] === b[0] ? 0 : 1));
  return edits.filter((edit, at) => edit[0] !== edits[at + 1]?.[0]);
}

/** Merges sorted runs into one. Each key must be in only one of the given runs. */
export async function mergeRuns(runs: readonly (readonly Edit[])[], pace: Pace): Promise<readonly Edit[]> {
  let left = runs;
  while (left.length > 1) {
    const merged: (readonly Edit[])[] = [];
    for (let at = 0; at < left.length; at += 2)
      merged.push(await mergePair(left[at] ?? [], left[at + 1] ?? [], pace));
    left = merged;
  }
  return left[0] ?? [];
}

async function mergePair(a: readonly Edit[], b: readonly Edit[], pace: Pace): Promise<readonly Edit[]> {
  if (b.length === 0 || (a.at(-1)?.[0] ?? '') < (b[0]?.[0] ?? '')) return a.concat(b);
  const merged: Edit[] = [];
  let fromA = 0;
  let fromB = 0;
  for (;;) {
    const first = a[fromA];
    const second = b[fromB];
    if (first === undefined && second === undefined) return merged;
    if (second === undefined || (first !== undefined && first[0] < second[0])) {
      merged.push(first as Edit);
      fromA += 1;
    } else {
      merged.push(second);
      fromB += 1;
    }
    if (merged.length % 1000 === 0 && pace.isDue()) await pace.rest();
  }
}
