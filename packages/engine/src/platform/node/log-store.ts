/**
 * A store in one folder. Each process that has it open writes a log of its own, without a lock, and reads the logs of all.
 *
 * A key may have a row in several logs: the one with the highest time counts, of equal times the one of the higher log. A process that removes a key
 * removes the rows that it sees: its own by a change of its log, that of another log by a row `\0gone/<number of that log>/<key>` of the same time in its
 * own. So a row that it had not seen stays. A row that only
 * restates another (`Guard.isRestated`) has its time and stands with it: a row `\0restated/<key>` of that time says in which log the first one is, and how
 * often it was restated, which decides among the rows that say the same. Once the first one is removed or replaced, what restates it says nothing. A record says how far its process had read the other logs, when that changed (log-rows.ts); a reader takes it
 * only after that, so what a record builds on is always there.
 */
import { randomBytes } from 'node:crypto';
import { FixpointError } from '@fixpoint/protocol';
import type { ByteStore, Durability, Guard, StoreChange } from '../../ports/byte-store.ts';
import type { FileSystem } from '../../ports/file-system.ts';
import type { Time } from '../../ports/time.ts';
import { isMissing, storeFailure } from './failure.ts';
import { countPath, isAlone, readCount, type TakenLog, takeLog } from './log-folder.ts';
import type { TimedChange } from './log-format.ts';
import { encodeSeen, isWithin, type Row, SEEN_KEY } from './log-rows.ts';
import { OtherLog } from './other-log.ts';
import { logPath, OwnLog, readRow } from './own-log.ts';

/** How often a process looks whether others wrote, hints or not. */
const POLL_MS = 100;
const NOTHING = new Uint8Array();
/** So many dead bytes may stay in an idle log. */
const DEAD_BYTES_IDLE = 100_000;
/** Keys of the store's own rows begin so. */
const OWN = '\0';
const GONE = `${OWN}gone/`;
const goneKey = (slot: number, key: string) => `${GONE}${slot}/${key}`;
const RESTATED = `${OWN}restated/`;

/** A row, the log that it is in, and what it restates. */
interface Found {
  readonly slot: number;
  readonly row: Row;
  /** The log of the first row that said this, and how often it was restated since: 0 for that row itself. */
  readonly origin: number;
  readonly rank: number;
}

/** @throws FixpointError CORRUPT, FORMAT_NEWER, STORE_LOCKED, STORE_FAILED */
export async function openLogStore(
  folder: string,
  durability: Durability,
  files: FileSystem,
  time: Time,
): Promise<ByteStore> {
  try {
    // A folder that has a log was made durable before it.
    if ((await files.stamp(logPath(folder, 0))) === undefined) await files.makeFolder(folder);
    const taken = await takeLog(files, folder);
    const opened: { close(): Promise<void> }[] = [{ close: taken.release }];
    try {
      return await LogStore.open(folder, files, time, taken, durability === 'strict', opened);
    } catch (cause) {
      for (const part of opened.reverse()) await part.close();
      throw cause;
    }
  } catch (cause) {
    throw storeFailure(cause);
  }
}

/**
 * Removes all of a store in one step: a crash leaves all of it or nothing that could be opened. What another process removed is gone.
 * @throws FixpointError STORE_FULL, STORE_FAILED
 */
export async function destroyFolder(folder: string, files: FileSystem): Promise<void> {
  const aside = `${folder}.${randomBytes(8).toString('hex')}.destroyed`;
  try {
    await files.rename(folder, aside);
    await files.removeFolder(aside);
  } catch (cause) {
    if (!isMissing(cause)) throw storeFailure(cause);
  }
}

class LogStore implements ByteStore {
  readonly writer: number;
  readonly #folder: string;
  readonly #files: FileSystem;
  readonly #time: Time;
  readonly #taken: TakenLog;
  readonly #own: OwnLog;
  readonly #others: Map<number, OtherLog>;
  #countStamp: string | undefined;
  /** Writes go one after another. */
  #last: Promise<unknown> = Promise.resolve();
  #closed = false;
  /** Destroyed by another process. */
  #isGone = false;
  /** What this process said last of how far it has read. */
  #seen: Uint8Array = new Uint8Array();
  #news = 0;
  readonly #stops = new Set<() => void>();
  readonly #onClosed = new Set<() => void>();

  private constructor(
    folder: string,
    files: FileSystem,
    time: Time,
    taken: TakenLog,
    own: OwnLog,
    others: Map<number, OtherLog>,
  ) {
    this.writer = taken.slot;
    this.#folder = folder;
    this.#files = files;
    this.#time = time;
    this.#taken = taken;
    this.#own = own;
    this.#others = others;
  }

  /** `opened` gets what is to be closed when this fails. */
  static async open(
    folder: string,
    files: FileSystem,
    time: Time,
    taken: TakenLog,
    strict: boolean,
    opened: { close(): Promise<void> }[],
  ): Promise<LogStore> {
    const own = await OwnLog.open(files, folder, taken.slot, strict);
    opened.push(own);
    const others = new Map<number, OtherLog>();
    for (let slot = 0; slot < taken.count; slot++) {
      if (slot === taken.slot) continue;
      const other = await OtherLog.open(files, folder, slot);
      opened.push(other);
      others.set(slot, other);
    }
    const store = new LogStore(folder, files, time, taken, own, others);
    await store.#follow();
    return store;
  }

  async read(key: string): Promise<Uint8Array | undefined> {
    this.#checkOpen();
    const row = this.#find(key);
    if (row?.value !== undefined) return row.value.slice();
    return row && readRow(row).catch((cause) => Promise.reject(storeFailure(cause)));
  }

  lengthOf(key: string): number | undefined {
    return this.#find(key)?.length;
  }

  /** All of them as they are at one time: between two rows nothing of others is taken in. */
  readPrefix(prefix: string): Promise<ReadonlyMap<string, Uint8Array>> {
    return this.#exclusive(async () => {
      const found = new Map<string, Uint8Array>();
      for (const key of this.#keys(prefix)) {
        const bytes = await this.read(key);
        if (bytes !== undefined) found.set(key, bytes);
      }
      return found;
    });
  }

  async keys(prefix: string): Promise<readonly string[]> {
    return [...this.#keys(prefix)].sort();
  }

  write(changes: readonly StoreChange[], guard?: Guard): Promise<boolean> {
    return this.#exclusive(async () => {
      this.#checkOpen();
      if (guard?.news !== undefined && guard.news !== this.#news) return false;
      if (guard !== undefined && !(await this.#holds(guard))) return false;
      const first = guard?.isRestated ? this.#toRestate(guard.key) : undefined;
      if (guard?.isRestated && first === undefined) return false;
      const timed = this.#timed(changes, guard?.key, first);
      await this.#own.append(timed);
      const seen = this.#others.size === 0 ? undefined : timed.find(({ key }) => key === SEEN_KEY);
      if (seen?.bytes !== undefined) this.#seen = seen.bytes;
      await this.#own.tidy(this.#isOfUse);
      return true;
    });
  }

  isAlone(): Promise<boolean> {
    return this.#exclusive(() => isAlone(this.#files, this.#folder, this.writer));
  }

  sync(): Promise<void> {
    return this.#exclusive(() => this.#own.settle());
  }

  shrink(): Promise<void> {
    return this.#exclusive(() => this.#own.tidy(this.#isOfUse, 0.25, DEAD_BYTES_IDLE));
  }

  refresh(): Promise<boolean> {
    return this.#exclusive(async () => {
      this.#checkOpen();
      if (!(await this.#own.isThere())) {
        this.#isGone = true;
        for (const tell of [...this.#onClosed]) tell();
        throw new FixpointError('DATABASE_CLOSED', 'it was destroyed by another process');
      }
      let news = false;
      const stamp = await this.#files.stamp(countPath(this.#folder));
      if (stamp !== this.#countStamp) {
        const count = await readCount(this.#files, this.#folder);
        for (let slot = 0; slot < count; slot++) {
          if (slot === this.writer || this.#others.has(slot)) continue;
          this.#others.set(slot, await OtherLog.open(this.#files, this.#folder, slot));
          news = true;
        }
        this.#countStamp = stamp;
      }
      const isRead = await this.#follow();
      if (news) this.#news += 1;
      return isRead || news;
    });
  }

  news(): number {
    return this.#news;
  }

  /** Reads the other logs on, until none has more that can be taken. */
  async #follow(): Promise<boolean> {
    let news = false;
    for (let more = this.#others.size > 0; more; news ||= more) {
      more = false;
      for (const other of this.#others.values()) more = (await other.refresh(this.#isSeen)) || more;
      if (more) this.#news += 1;
      if (!more) break;
    }
    return news;
  }

  readonly #isSeen = (seen: Buffer): boolean => isWithin(seen, (slot) => this.#logOf(slot)?.position);

  watch(fn: () => void): () => void {
    const watched = new Map<string, () => void>();
    let cancel = () => undefined as unknown;
    const look = () => {
      for (const { path } of this.#others.values())
        if (!watched.has(path)) watched.set(path, this.#files.watch(path, fn));
      fn();
      cancel = this.#time.after(POLL_MS, look);
    };
    cancel = this.#time.after(POLL_MS, look);
    const stop = () => {
      cancel();
      for (const end of watched.values()) end();
      this.#stops.delete(stop);
    };
    this.#stops.add(stop);
    return stop;
  }

  onClosed(fn: () => void): () => void {
    this.#onClosed.add(fn);
    return () => void this.#onClosed.delete(fn);
  }

  close(): Promise<void> {
    return this.#exclusive(async () => {
      if (this.#closed) return;
      this.#closed = true;
      for (const stop of [...this.#stops]) stop();
      try {
        for (const other of this.#others.values()) await other.close();
        await this.#own.close();
      } finally {
        // A lock of that name belongs to another database by now.
        if (!this.#isGone) await this.#taken.release();
      }
    });
  }

  async destroy(): Promise<void> {
    await this.close();
    await this.#exclusive(() => destroyFolder(this.#folder, this.#files));
  }

  *#logs(): Iterable<readonly [number, OwnLog | OtherLog]> {
    yield [this.writer, this.#own];
    yield* this.#others;
  }

  #keys(prefix: string): ReadonlySet<string> {
    this.#checkOpen();
    const found = new Set<string>();
    for (const [, { rows }] of this.#logs())
      for (const key of rows.keys())
        if (key.startsWith(prefix) && !key.startsWith(OWN) && this.#find(key) !== undefined) found.add(key);
    return found;
  }

  #logOf(slot: number): OwnLog | OtherLog | undefined {
    return slot === this.writer ? this.#own : this.#others.get(slot);
  }

  /** The row of a key that counts. */
  #find(key: string): Row | undefined {
    return this.#others.size === 0 ? this.#own.rows.get(key) : this.#findAmongAll(key)?.row;
  }

  #findAmongAll(key: string): Found | undefined {
    let found: Found | undefined;
    for (const [slot, { rows }] of this.#logs()) {
      const row = rows.get(key);
      if (row === undefined) continue;
      const next = { slot, row, ...statedBy(slot, rows, key, row) };
      if (isAfter(next, found) && !this.#isRemoved(key, next)) found = next;
    }
    return found;
  }

  #isRemoved(key: string, { slot, row, origin }: Found): boolean {
    if (this.#isSaidGone(slot, key, row)) return true;
    if (origin === slot) return false;
    const rows = this.#logOf(origin)?.rows;
    const first = rows?.get(key);
    if (rows === undefined || first?.time !== row.time) return true;
    return statedBy(origin, rows, key, first).origin !== origin || this.#isSaidGone(origin, key, first);
  }

  #isSaidGone(slot: number, key: string, row: Row): boolean {
    const name = goneKey(slot, key);
    for (const [, { rows }] of this.#logs()) {
      const gone = rows.get(name);
      if (gone !== undefined && gone.time >= row.time) return true;
    }
    return false;
  }

  /** What a row of the own log is to restate. Undefined where it would not count, or would take the place of one that says on its own that the key is there. */
  #toRestate(key: string): Found | undefined {
    const found = this.#findAmongAll(key);
    const { rows } = this.#own;
    const own = rows.get(key);
    if (found === undefined || this.#isSaidGone(this.writer, key, found.row)) return undefined;
    if (own === undefined || found.origin === this.writer) return found;
    const mine = { slot: this.writer, row: own, ...statedBy(this.writer, rows, key, own) };
    return mine.origin === this.writer && !this.#isRemoved(key, mine) ? undefined : found;
  }

  #timed(
    changes: readonly StoreChange[],
    guarded: string | undefined,
    first: Found | undefined,
  ): TimedChange[] {
    let time = 0;
    for (const [, log] of this.#logs()) if (log.time >= time) time = log.time + 1;
    const timeOf = (key: string) => (key === guarded && first !== undefined ? first.row.time : time);
    const timed: TimedChange[] = changes.map((change) => ({ ...change, time: timeOf(change.key) }));
    if (this.#others.size === 0) return timed;
    if (first !== undefined) {
      const note = encodeRestated(first.origin, first.rank + 1);
      timed.push({ key: `${RESTATED}${guarded}`, bytes: note, time: first.row.time });
    }
    const seen = encodeSeen([...this.#others].map(([slot, { position }]) => [slot, position] as const));
    if (!seen.equals(this.#seen)) timed.push({ key: SEEN_KEY, bytes: seen, time: 0 });
    for (const { key, bytes } of changes) {
      if (bytes !== undefined) continue;
      for (const [slot, { rows }] of this.#others) {
        const row = rows.get(key);
        if (row !== undefined && !this.#isSaidGone(slot, key, row))
          timed.push({ key: goneKey(slot, key), bytes: NOTHING, time: row.time });
      }
    }
    return timed;
  }

  /** Whether a row of the own log still says anything. */
  readonly #isOfUse = (key: string, row: Row): boolean => {
    if (key === SEEN_KEY) return true;
    if (key.startsWith(RESTATED)) return this.#isOwnOfUse(key.slice(RESTATED.length), row.time);
    if (!key.startsWith(GONE)) return this.#isOwnOfUse(key, row.time);
    const slotEnd = key.indexOf('/', GONE.length);
    const about = this.#others.get(Number(key.slice(GONE.length, slotEnd)))?.rows.get(key.slice(slotEnd + 1));
    return about !== undefined && about.time <= row.time;
  };

  #isOwnOfUse(key: string, time: number): boolean {
    const { rows } = this.#own;
    const row = rows.get(key);
    if (row?.time !== time) return false;
    return !this.#isRemoved(key, { slot: this.writer, row, ...statedBy(this.writer, rows, key, row) });
  }

  async #holds({ key, bytes }: Guard): Promise<boolean> {
    const row = this.#find(key);
    if (row === undefined || bytes === undefined) return row === undefined && bytes === undefined;
    if (row.length !== bytes.length) return false;
    return Buffer.compare(row.value ?? (await readRow(row)), bytes) === 0;
  }

  #exclusive<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work).catch((cause) => Promise.reject(storeFailure(cause)));
    this.#last = done.catch(() => undefined);
    return done;
  }

  #checkOpen(): void {
    if (this.#closed || this.#isGone) throw new FixpointError('DATABASE_CLOSED');
  }
}

const RESTATED_BYTES = 5;

function encodeRestated(origin: number, rank: number): Uint8Array {
  const bytes = Buffer.alloc(RESTATED_BYTES);
  bytes.writeUInt32BE(rank, bytes.writeUInt8(origin, 0));
  return bytes;
}

/** What a row of a log restates. A note of another time is about a row that was there before it. */
function statedBy(slot: number, rows: ReadonlyMap<string, Row>, key: string, row: Row) {
  const note = rows.get(`${RESTATED}${key}`);
  if (note?.time !== row.time || note.value?.length !== RESTATED_BYTES) return { origin: slot, rank: 0 };
  const [origin = slot] = note.value;
  return { origin, rank: Buffer.from(note.value).readUInt32BE(1) };
}

function isAfter(next: Found, found: Found | undefined): boolean {
  if (found === undefined) return true;
  if (next.row.time !== found.row.time) return next.row.time > found.row.time;
  if (next.origin !== found.origin) return next.origin > found.origin;
  return next.rank === found.rank ? next.slot > found.slot : next.rank > found.rank;
}
