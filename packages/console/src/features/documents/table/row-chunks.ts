/** Caches loaded rows of a table, in chunks by position. */
import type { Cell, RowWindow } from 'fixpoint/rows';

export interface TableRow {
  readonly id: string;
  /** Whether the document waits to be sent. Always false while the database has nothing to send. */
  readonly isUnsent: boolean;
  cell(field: string): Cell | undefined;
  /** Returns whether the field was read, so that a missing cell means a missing field. */
  has(field: string): boolean;
}

interface Chunk {
  readonly rows: readonly LoadedRow[];
  /** Number of rows that were asked for. Fewer were loaded if documents were deleted. */
  readonly asked: number;
  readonly fields: ReadonlySet<string>;
}

export interface Chunks {
  rowAt(at: number): TableRow | undefined;
  indexOf(id: string): number | undefined;
  /** Returns the start of the first chunk in this range that isn't loaded with these fields. */
  missing(from: number, to: number, fields: readonly string[]): number | undefined;
  /**
   * Stores rows from the position `from`, where a chunk must start. A row with unchanged content
   * keeps its object, so that it doesn't render again.
   * @param asked the number of rows that were asked for
   */
  put(from: number, window: RowWindow, asked: number): void;
  /** Stores rows like `put`, and drops all others. */
  replace(from: number, window: RowWindow, asked: number): void;
}

/** Number of chunks to keep; the least recently used are dropped. */
const KEPT = 200;

export function createChunks(size: number): Chunks {
  const chunks = new Map<number, Chunk>();
  let places: Map<string, number> | undefined;

  const rowAt = (at: number): LoadedRow | undefined => chunks.get(Math.floor(at / size))?.rows[at % size];
  const indexOf = (id: string): number | undefined => {
    places ??= placesOf(chunks, size);
    return places.get(id);
  };

  /** Returns the loaded rows, reusing previous objects for unchanged ones. */
  function rowsIn({ rows, fields }: RowWindow): readonly LoadedRow[] {
    const columns = new Map(fields.map((field, at) => [field, at]));
    return rows.map(({ id, cells, isUnsent = false }) => {
      const at = indexOf(id);
      const before = at === undefined ? undefined : rowAt(at);
      const row = new LoadedRow(id, isUnsent, columns, cells);
      return before?.says(row) === true ? before : row;
    });
  }

  function take(from: number, made: readonly LoadedRow[], fields: readonly string[], asked: number): void {
    const known = new Set(fields);
    const first = Math.floor(from / size);
    for (let at = 0; at === 0 || at < made.length; at += size) {
      const number = first + at / size;
      chunks.delete(number);
      chunks.set(number, {
        rows: made.slice(at, at + size),
        asked: Math.min(size, asked - at),
        fields: known,
      });
    }
    for (const number of chunks.keys()) {
      if (chunks.size <= KEPT) break;
      chunks.delete(number);
    }
    places = undefined;
  }

  return {
    rowAt,
    indexOf,
    missing: (from, to, fields) => {
      for (let number = Math.floor(from / size); number * size <= to; number += 1) {
        const chunk = chunks.get(number);
        // A running search finds more rows of a chunk that is already loaded.
        const isShort = chunk !== undefined && chunk.asked < Math.min(size, to + 1 - number * size);
        if (
          chunk === undefined ||
          isShort ||
          fields.some((field) => field !== '_id' && !chunk.fields.has(field))
        )
          return number * size;
      }
      return undefined;
    },
    put: (from, window, asked) => take(from, rowsIn(window), window.fields, asked),
    replace: (from, window, asked) => {
      const made = rowsIn(window);
      chunks.clear();
      take(from, made, window.fields, asked);
    },
  };
}

class LoadedRow implements TableRow {
  readonly id: string;
  readonly isUnsent: boolean;
  readonly #columns: ReadonlyMap<string, number>;
  readonly #cells: readonly (Cell | undefined)[];

  constructor(
    id: string,
    isUnsent: boolean,
    columns: ReadonlyMap<string, number>,
    cells: readonly (Cell | undefined)[],
  ) {
    this.id = id;
    this.isUnsent = isUnsent;
    this.#columns = columns;
    this.#cells = cells;
  }

  cell(field: string): Cell | undefined {
    const at = this.#columns.get(field);
    return at === undefined ? undefined : this.#cells[at];
  }

  has(field: string): boolean {
    return this.#columns.has(field);
  }

  /** Returns whether this row has the same content as another one, for the same fields. */
  says(other: LoadedRow): boolean {
    if (this.isUnsent !== other.isUnsent || this.#columns.size !== other.#columns.size) return false;
    for (const [field, at] of other.#columns)
      if (!this.#columns.has(field) || !isSame(this.cell(field), other.#cells[at])) return false;
    return true;
  }
}

const isSame = (a: Cell | undefined, b: Cell | undefined): boolean =>
  a?.text === b?.text && a?.kind === b?.kind && a?.cut === b?.cut;

function placesOf(chunks: ReadonlyMap<number, Chunk>, size: number): Map<string, number> {
  const places = new Map<string, number>();
  for (const [number, { rows }] of chunks)
    for (const [at, { id }] of rows.entries()) places.set(id, number * size + at);
  return places;
}
