/** Rows of a table that were loaded, in chunks by their place. */
import type { Cell, RowWindow } from 'fixpoint/rows';

export interface TableRow {
  readonly id: string;
  /** It waits on this device to be sent. Told while something does. */
  readonly isUnsent: boolean;
  cell(field: string): Cell | undefined;
}

interface Chunk {
  readonly rows: readonly TableRow[];
  readonly fields: ReadonlySet<string>;
}

export interface Chunks {
  rowAt(at: number): TableRow | undefined;
  indexOf(id: string): number | undefined;
  /** The first row of a chunk between two places that is not loaded with these fields. */
  missing(from: number, to: number, fields: readonly string[]): number | undefined;
  /** Takes the rows from a place on, which is the first one of a chunk. */
  put(from: number, window: RowWindow): void;
  clear(): void;
}

/** Chunks that are kept; the ones used longest ago go first. */
const KEPT = 200;

export function createChunks(size: number): Chunks {
  const chunks = new Map<number, Chunk>();
  let places: Map<string, number> | undefined;

  const rowAt = (at: number): TableRow | undefined => chunks.get(Math.floor(at / size))?.rows[at % size];
  return {
    rowAt,
    indexOf: (id) => {
      places ??= placesOf(chunks, size);
      return places.get(id);
    },
    missing: (from, to, fields) => {
      for (let number = Math.floor(from / size); number * size <= to; number += 1) {
        const chunk = chunks.get(number);
        if (chunk === undefined || fields.some((field) => field !== '_id' && !chunk.fields.has(field)))
          return number * size;
      }
      return undefined;
    },
    put: (from, { rows, fields }) => {
      const known = new Set(fields);
      const cellOf = new Map(fields.map((field, at) => [field, at]));
      const made = rows.map(
        ({ id, cells, isUnsent = false }): TableRow => ({
          id,
          isUnsent,
          cell: (field) => {
            const at = cellOf.get(field);
            return at === undefined ? undefined : cells[at];
          },
        }),
      );
      const first = Math.floor(from / size);
      for (let at = 0; at === 0 || at < made.length; at += size) {
        const number = first + at / size;
        chunks.delete(number);
        chunks.set(number, { rows: made.slice(at, at + size), fields: known });
      }
      for (const number of chunks.keys()) {
        if (chunks.size <= KEPT) break;
        chunks.delete(number);
      }
      places = undefined;
    },
    clear: () => {
      chunks.clear();
      places = undefined;
    },
  };
}

function placesOf(chunks: ReadonlyMap<number, Chunk>, size: number): Map<string, number> {
  const places = new Map<string, number>();
  for (const [number, { rows }] of chunks)
    for (const [at, { id }] of rows.entries()) places.set(id, number * size + at);
  return places;
}
