/**
 * Decides which row of a key counts when several logs of a folder have one.
 *
 * The row with the highest time counts. With equal times, the row in the log with the higher number
 * counts. A process that removes a key removes only the rows of that key that it has read. For a
 * row in its own log, it writes a removal. For a row in another log, it writes a row
 * `\0gone/<number of that log>/<key>` with the same time to its own log. So rows that it hasn't
 * read remain.
 *
 * A row that only restates another one (`Guard.isRestated`) has that row's time and depends on it.
 * A row `\0restated/<key>` with that time contains the number of the log of the first row, and how
 * often that row was restated. This count decides between rows that restate the same row. Once the
 * first row is removed or replaced, the rows that restate it no longer count.
 */

import type { TimedChange } from './log-format.ts';
import { type Row, SEEN_KEY } from './log-rows.ts';

/** The prefix of the keys that logs use internally. */
const OWN = '\0';
const GONE = `${OWN}gone/`;
const RESTATED = `${OWN}restated/`;
/**
 * Length of such a value: 1 byte for the log of the first row, 4 bytes for how often it was
 * restated.
 */
const NOTE_BYTES = 5;
const NOTHING = new Uint8Array();

const goneKey = (slot: number, key: string) => `${GONE}${slot}/${key}`;

type RowsOfLog = { readonly rows: ReadonlyMap<string, Row> };

/** A row, the log that it is in, and what it restates. */
export interface Found {
  readonly slot: number;
  readonly row: Row;
  /**
   * `origin` is the log of the first row that was restated. `rank` says how often that row was
   * restated since then, and is 0 for that row itself.
   */
  readonly origin: number;
  readonly rank: number;
}

export class RowsOfLogs {
  readonly #writer: number;
  readonly #own: RowsOfLog;
  readonly #others: ReadonlyMap<number, RowsOfLog>;

  /** @param writer the number of the own log */
  constructor(writer: number, own: RowsOfLog, others: ReadonlyMap<number, RowsOfLog>) {
    this.#writer = writer;
    this.#own = own;
    this.#others = others;
  }

  *#logs(): Iterable<readonly [number, RowsOfLog]> {
    yield [this.#writer, this.#own];
    yield* this.#others;
  }

  keys(prefix: string): ReadonlySet<string> {
    const found = new Set<string>();
    for (const [, { rows }] of this.#logs())
      for (const key of rows.keys())
        if (key.startsWith(prefix) && !key.startsWith(OWN) && this.find(key) !== undefined) found.add(key);
    return found;
  }

  /** Returns the row that counts for a key. */
  find(key: string): Row | undefined {
    return this.#others.size === 0 ? this.#own.rows.get(key) : this.#findAmongAll(key)?.row;
  }

  /**
   * Returns the row that a new row of the own log restates. Returns undefined when the new row
   * wouldn't count, or would replace an independent row of the key.
   */
  toRestate(key: string): Found | undefined {
    const found = this.#findAmongAll(key);
    const own = this.#own.rows.get(key);
    if (found === undefined || this.#isSaidGone(this.#writer, key, found.row)) return undefined;
    if (own === undefined || found.origin === this.#writer) return found;
    const mine = foundIn(this.#writer, this.#own, key, own);
    return mine.origin === this.#writer && !this.#isRemoved(key, mine) ? undefined : found;
  }

  /** Returns the change that records that a row of the own log restates another. */
  noteOf(key: string, { row, origin, rank }: Found): readonly TimedChange[] {
    const bytes = Buffer.alloc(NOTE_BYTES);
    bytes.writeUInt32BE(rank + 1, bytes.writeUInt8(origin, 0));
    return [{ key: `${RESTATED}${key}`, bytes, time: row.time }];
  }

  /** Returns the changes that remove the rows of a key in other logs, as far as they were read. */
  removals(key: string): readonly TimedChange[] {
    return [...this.#others].flatMap(([slot, { rows }]) => {
      const row = rows.get(key);
      if (row === undefined || this.#isSaidGone(slot, key, row)) return [];
      return [{ key: goneKey(slot, key), bytes: NOTHING, time: row.time }];
    });
  }

  /** Returns whether a row of the own log still has an effect. */
  readonly isOfUse = (key: string, row: Row): boolean => {
    if (key === SEEN_KEY) return true;
    if (key.startsWith(RESTATED)) return this.#isOwnOfUse(key.slice(RESTATED.length), row.time);
    if (!key.startsWith(GONE)) return this.#isOwnOfUse(key, row.time);
    const slotEnd = key.indexOf('/', GONE.length);
    const about = this.#others.get(Number(key.slice(GONE.length, slotEnd)))?.rows.get(key.slice(slotEnd + 1));
    return about !== undefined && about.time <= row.time;
  };

  #isOwnOfUse(key: string, time: number): boolean {
    const row = this.#own.rows.get(key);
    if (row?.time !== time) return false;
    return !this.#isRemoved(key, foundIn(this.#writer, this.#own, key, row));
  }

  #findAmongAll(key: string): Found | undefined {
    let found: Found | undefined;
    for (const [slot, log] of this.#logs()) {
      const row = log.rows.get(key);
      if (row === undefined) continue;
      const next = foundIn(slot, log, key, row);
      if (isAfter(next, found) && !this.#isRemoved(key, next)) found = next;
    }
    return found;
  }

  #isRemoved(key: string, { slot, row, origin }: Found): boolean {
    if (this.#isSaidGone(slot, key, row)) return true;
    if (origin === slot) return false;
    const log = origin === this.#writer ? this.#own : this.#others.get(origin);
    const first = log?.rows.get(key);
    if (log === undefined || first?.time !== row.time) return true;
    return foundIn(origin, log, key, first).origin !== origin || this.#isSaidGone(origin, key, first);
  }

  #isSaidGone(slot: number, key: string, row: Row): boolean {
    const name = goneKey(slot, key);
    for (const [, { rows }] of this.#logs()) {
      const gone = rows.get(name);
      if (gone !== undefined && gone.time >= row.time) return true;
    }
    return false;
  }
}

/**
 * Returns a row, and which row it restates according to its note. A note with another time belongs
 * to an earlier row.
 */
function foundIn(slot: number, { rows }: RowsOfLog, key: string, row: Row): Found {
  const note = rows.get(`${RESTATED}${key}`);
  if (note?.time !== row.time || note.value?.length !== NOTE_BYTES)
    return { slot, row, origin: slot, rank: 0 };
  const [origin = slot] = note.value;
  return { slot, row, origin, rank: Buffer.from(note.value).readUInt32BE(1) };
}

function isAfter(next: Found, found: Found | undefined): boolean {
  if (found === undefined) return true;
  if (next.row.time !== found.row.time) return next.row.time > found.row.time;
  if (next.origin !== found.origin) return next.origin > found.origin;
  return next.rank === found.rank ? next.slot > found.slot : next.rank > found.rank;
}
