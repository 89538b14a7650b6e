/**
 * Sorts many rows without blocking. Short runs are sorted as rows arrive, and merged as the result
 * is read.
 */

interface SortedRow {
  readonly id: string;
  /** Sorts in the order of the values; undefined sorts last, in either direction. */
  readonly key: string | undefined;
}

/** Sorting a run takes about 2 ms. */
const RUN = 2048;

type Compare = (a: SortedRow, b: SortedRow) => number;

export interface SortedRuns {
  add(row: SortedRow): void;
  /** Returns all rows in order. No rows may be added afterwards. */
  drain(): Generator<SortedRow>;
}

export function createSortedRuns(descending: boolean): SortedRuns {
  const compare = orderBy(descending ? -1 : 1);
  const runs: SortedRow[][] = [];
  let run: SortedRow[] = [];

  function endRun(): void {
    if (run.length > 0) runs.push(run.sort(compare));
    run = [];
  }

  return {
    add: (row) => {
      run.push(row);
      if (run.length === RUN) endRun();
    },
    drain: () => {
      endRun();
      return merged(runs, compare);
    },
  };
}

const orderBy =
  (direction: 1 | -1): Compare =>
  (a, b) => {
    if (a.key !== b.key) {
      if (a.key === undefined) return 1;
      if (b.key === undefined) return -1;
      return a.key < b.key ? -direction : direction;
    }
    return a.id < b.id ? -direction : direction;
  };

interface Source {
  head: SortedRow;
  readonly rest: Iterator<SortedRow>;
}

/** Merges runs. Keeps them in a heap, ordered by the next row of each run. */
function* merged(runs: readonly SortedRow[][], compare: Compare): Generator<SortedRow> {
  const heap: Source[] = [];
  for (const run of runs) {
    const rest = run.values();
    const { value } = rest.next();
    if (value !== undefined) heap.push({ head: value, rest });
  }
  heap.sort((a, b) => compare(a.head, b.head));
  for (let first = heap[0]; first !== undefined; first = heap[0]) {
    yield first.head;
    const next = first.rest.next();
    if (next.done) {
      const end = heap.pop();
      if (end !== undefined && heap.length > 0) heap[0] = end;
    } else first.head = next.value;
    sink(heap, compare);
  }
}

/** Moves the root of the heap down to its place. */
function sink(heap: Source[], compare: Compare): void {
  const moving = heap[0];
  if (moving === undefined) return;
  let at = 0;
  for (;;) {
    let least = at * 2 + 1;
    const left = heap[least];
    const right = heap[least + 1];
    if (left === undefined) break;
    if (right !== undefined && compare(right.head, left.head) < 0) least += 1;
    const child = heap[least];
    if (child === undefined || compare(moving.head, child.head) <= 0) break;
    heap[at] = child;
    at = least;
  }
  heap[at] = moving;
}
