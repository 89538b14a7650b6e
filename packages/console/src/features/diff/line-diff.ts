/** Pairs the lines of two texts for a side-by-side view. */
import { type ChangeObject, diffArrays } from 'diff';

/** One row of the view. A side is undefined if only the other text has the line. */
export interface LinePair {
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** Maximum number of added and removed lines; texts that differ more are paired line by line. */
const EDITS_MAX = 1500;

export const diffLines = (before: readonly string[], after: readonly string[]): LinePair[] =>
  paired(
    diffArrays([...before], [...after], { maxEditLength: EDITS_MAX }) ?? [
      { value: [...before], removed: true, added: false, count: before.length },
      { value: [...after], removed: false, added: true, count: after.length },
    ],
  );

/** Pairs removed lines with the lines added in their place. */
function paired(changes: readonly ChangeObject<string[]>[]): LinePair[] {
  const pairs: LinePair[] = [];
  let removed: string[] = [];
  let added: string[] = [];
  const flush = () => {
    for (let n = 0; n < Math.max(removed.length, added.length); n += 1)
      pairs.push({ before: removed[n], after: added[n] });
    [removed, added] = [[], []];
  };
  for (const change of changes) {
    if (change.removed) removed = removed.concat(change.value);
    else if (change.added) added = added.concat(change.value);
    else {
      flush();
      for (const line of change.value) pairs.push({ before: line, after: line });
    }
  }
  flush();
  return pairs;
}

/** Returns changed lines with some context. Each number replaces that many equal lines. */
export function withContext(pairs: readonly LinePair[], around = 3): (LinePair | number)[] {
  const near = new Set<number>();
  for (const [n, { before, after }] of pairs.entries())
    if (before !== after) for (let m = n - around; m <= n + around; m += 1) near.add(m);
  const shown: (LinePair | number)[] = [];
  for (const [n, pair] of pairs.entries()) {
    const last = shown.at(-1);
    if (near.has(n)) shown.push(pair);
    else if (typeof last === 'number') shown[shown.length - 1] = last + 1;
    else shown.push(1);
  }
  return shown;
}
