/**
 * Finds the lines that two texts share, by the algorithm of Myers, "An O(ND) difference algorithm
 * and its variations" (1986).
 */

/** Pairs two lines; undefined where only the other text has the line. */
export interface LinePair {
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** Maximum number of added and removed lines; texts that differ more are paired line by line. */
const EDITS_MAX = 1500;

export function diffLines(before: readonly string[], after: readonly string[]): LinePair[] {
  let head = 0;
  const most = Math.min(before.length, after.length);
  while (head < most && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < most - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail += 1;
  const same = (lines: readonly string[]) => lines.map((line) => ({ before: line, after: line }));
  const middle = diffMiddle(before.slice(head, before.length - tail), after.slice(head, after.length - tail));
  return [...same(before.slice(0, head)), ...paired(middle), ...same(before.slice(before.length - tail))];
}

type Step = { readonly kind: 'same' | 'removed' | 'added'; readonly line: string };

function diffMiddle(before: readonly string[], after: readonly string[]): Step[] {
  const trace = traceOf(before, after);
  if (trace === undefined)
    return [
      ...before.map((line): Step => ({ kind: 'removed', line })),
      ...after.map((line): Step => ({ kind: 'added', line })),
    ];
  const steps: Step[] = [];
  let [x, y] = [before.length, after.length];
  for (let edits = trace.length - 1; edits >= 0; edits -= 1) {
    const furthest = trace[edits] ?? new Map<number, number>();
    const k = x - y;
    const down = k === -edits || (k !== edits && at(furthest, k - 1) < at(furthest, k + 1));
    const fromK = down ? k + 1 : k - 1;
    const fromX = edits === 0 ? 0 : at(furthest, fromK);
    const fromY = edits === 0 ? 0 : fromX - fromK;
    while (x > fromX && y > fromY && before[x - 1] === after[y - 1]) {
      steps.push({ kind: 'same', line: before[x - 1] ?? '' });
      x -= 1;
      y -= 1;
    }
    if (edits === 0) break;
    if (down) steps.push({ kind: 'added', line: after[y - 1] ?? '' });
    else steps.push({ kind: 'removed', line: before[x - 1] ?? '' });
    [x, y] = [fromX, fromY];
  }
  return steps.reverse();
}

const at = (furthest: ReadonlyMap<number, number>, k: number): number => furthest.get(k) ?? -1;

/**
 * Returns how far each diagonal got before each number of edits; undefined when the texts differ
 * too much.
 */
function traceOf(before: readonly string[], after: readonly string[]): Map<number, number>[] | undefined {
  const furthest = new Map<number, number>([[1, 0]]);
  const trace: Map<number, number>[] = [];
  for (let edits = 0; edits <= Math.min(EDITS_MAX, before.length + after.length); edits += 1) {
    trace.push(new Map(furthest));
    for (let k = -edits; k <= edits; k += 2) {
      const down = k === -edits || (k !== edits && at(furthest, k - 1) < at(furthest, k + 1));
      let x = down ? at(furthest, k + 1) : at(furthest, k - 1) + 1;
      while (x < before.length && x - k < after.length && before[x] === after[x - k]) x += 1;
      furthest.set(k, x);
      if (x >= before.length && x - k >= after.length) return trace;
    }
  }
  return undefined;
}

/** Pairs removed lines with the lines added in their place. */
function paired(steps: readonly Step[]): LinePair[] {
  const pairs: LinePair[] = [];
  let removed: string[] = [];
  let added: string[] = [];
  const flush = () => {
    for (let n = 0; n < Math.max(removed.length, added.length); n += 1)
      pairs.push({ before: removed[n], after: added[n] });
    [removed, added] = [[], []];
  };
  for (const { kind, line } of steps) {
    if (kind === 'removed') removed.push(line);
    else if (kind === 'added') added.push(line);
    else {
      flush();
      pairs.push({ before: line, after: line });
    }
  }
  flush();
  return pairs;
}

/** Returns changed lines with some context; a number stands for that many omitted equal lines. */
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
