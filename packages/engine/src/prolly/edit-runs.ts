/**
 * Sorts the edits of a tree without one long sort, and without an object for each edit: a few
 * thousand edits are sorted as they arrive, and packed. The sorted runs are merged while the tree
 * is written.
 */
import { append } from '../base/append.ts';
import { concatBytes } from '../base/bytes.ts';
import type { Value } from './node.ts';
import type { Edit, SortedEdits } from './put-many.ts';

/** Sorting and packing this number of edits takes a few milliseconds. */
const EDITS_OF_RUN = 4096;

export interface EditRuns {
  /** Adds edits in any order. If two calls contain the same key, the result may have both edits. */
  add(edits: Iterable<Edit>): void;
  /** Returns all edits. Add nothing after this. */
  merged(): SortedEdits;
}

export function createEditRuns(): EditRuns {
  const runs: Iterable<Edit>[] = [];
  let added: Edit[] = [];
  return {
    add: (edits) => {
      append(added, edits);
      if (added.length < EDITS_OF_RUN) return;
      runs.push(packed(sortedRun(added)));
      added = [];
    },
    merged: () => ({
      isSorted: true,
      [Symbol.iterator]: () => {
        const all = [...runs.splice(0), sortedRun(added)];
        added = [];
        return mergedEdits(all);
      },
    }),
  };
}

/** Sorts edits, and keeps the last one of each key. */
function sortedRun(edits: Edit[]): Edit[] {
  edits.sort((a, b) => (a[0] < b[0] ? -1 : a[0] === b[0] ? 0 : 1));
  return edits.filter((edit, at) => edit[0] !== edits[at + 1]?.[0]);
}

/** The next edit of a run, and those after it. */
interface Cursor {
  edit: Edit;
  readonly rest: Iterator<Edit>;
}

/** Merges sorted runs with a heap of their next edits. */
function* mergedEdits(runs: Iterable<Edit>[]): Generator<Edit, void> {
  const heap: Cursor[] = [];
  for (const run of runs) {
    const rest = run[Symbol.iterator]();
    const { value, done } = rest.next();
    if (done !== true) heap.push({ edit: value, rest });
  }
  runs.length = 0;
  for (let at = heap.length >> 1; at >= 0; at--) siftDown(heap, at);
  for (let first = heap[0]; first !== undefined; first = heap[0]) {
    yield first.edit;
    const { value, done } = first.rest.next();
    if (done !== true) first.edit = value;
    else {
      const last = heap.pop() as Cursor;
      if (heap.length > 0) heap[0] = last;
    }
    siftDown(heap, 0);
  }
}

/** Moves a cursor down until no cursor below it has a smaller key. */
function siftDown(heap: Cursor[], start: number): void {
  for (let at = start; ; ) {
    let least = at;
    for (let child = 2 * at + 1; child <= 2 * at + 2 && child < heap.length; child++)
      if (keyAt(heap, child) < keyAt(heap, least)) least = child;
    if (least === at) return;
    [heap[at], heap[least]] = [heap[least] as Cursor, heap[at] as Cursor];
    at = least;
  }
}

const keyAt = (heap: readonly Cursor[], at: number): string => (heap[at] as Cursor).edit[0];

/** Kinds of payloads in a packed run. */
const [REMOVED, NULL, BYTES] = [0, 1, 2];

function packed(edits: readonly Edit[]): Iterable<Edit> {
  const units = edits.reduce((sum, [key]) => sum + key.length, 0);
  const isNarrow = edits.every(([key]) => !/[^\0-\xff]/.test(key));
  const keys = isNarrow ? new Uint8Array(units) : new Uint16Array(units);
  const keyEnds = new Uint32Array(edits.length);
  const kinds = new Uint8Array(edits.length);
  const payloadEnds = new Uint32Array(edits.length);
  const payloads = concatBytes(edits.flatMap(([, payload]) => payload ?? []));
  let [keyEnd, payloadEnd] = [0, 0];
  for (const [at, [key, payload]] of edits.entries()) {
    for (let unit = 0; unit < key.length; unit++) keys[keyEnd++] = key.charCodeAt(unit);
    payloadEnd += payload?.length ?? 0;
    keyEnds[at] = keyEnd;
    payloadEnds[at] = payloadEnd;
    kinds[at] = payload === undefined ? REMOVED : payload === null ? NULL : BYTES;
  }
  return {
    *[Symbol.iterator]() {
      let [keyStart, start] = [0, 0];
      for (const [at, kind] of kinds.entries()) {
        const [end, keyStop] = [payloadEnds[at] as number, keyEnds[at] as number];
        yield [textOf(keys.subarray(keyStart, keyStop)), payloadOf(kind, payloads, start, end)] as const;
        [keyStart, start] = [keyStop, end];
      }
    },
  };
}

/** Copies the bytes, because a view would keep the whole run in memory. */
const payloadOf = (kind: number, payloads: Uint8Array, start: number, end: number): Value | undefined =>
  kind === BYTES ? payloads.slice(start, end) : kind === NULL ? null : undefined;

/** Each unit is an argument, and arguments are on the stack. */
const UNITS_AT_ONCE = 4096;

function textOf(units: Uint8Array | Uint16Array): string {
  let text = '';
  for (let from = 0; from < units.length; from += UNITS_AT_ONCE)
    text += String.fromCharCode.apply(
      null,
      units.subarray(from, from + UNITS_AT_ONCE) as unknown as number[],
    );
  return text;
}
