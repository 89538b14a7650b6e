/**
 * A store in one folder. Each process that has it open writes a log of its own, without a lock, and reads the logs of all.
 *
 * A key may have a row in several logs: the one with the highest time counts, of equal times the one of the higher log. A process that removes a key
 * removes the rows that it sees: its own by a change of its log, that of another log by a row `\0gone/<number of that log>/<key>` of the same time in its
 * own. So a row that it had not seen stays. A record says how far its process had read the other logs, when that changed (log-rows.ts); a reader takes it
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

  async readPrefix(prefix: string): Promise<ReadonlyMap<string, Uint8Array>> {
    const found = new Map<string, Uint8Array>();
    for (const key of this.#keys(prefix)) {
      const bytes = await this.read(key);
      if (bytes !== undefined) found.set(key, bytes);
    }
    return found;
  }

  async keys(prefix: string): Promise<readonly string[]> {
    return [...this.#keys(prefix)].sort();
  }

  write(changes: readonly StoreChange[], guard?: Guard): Promise<boolean> {
    return this.#exclusive(async () => {
      this.#checkOpen();
      if (guard !== undefined && !(await this.#holds(guard))) return false;
      const timed = this.#timed(changes, guard);
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
      return (await this.#follow()) || news;
    });
  }

  /** Reads the other logs on, until none has more that can be taken. */
  async #follow(): Promise<boolean> {
    let news = false;
    for (let more = this.#others.size > 0; more; news ||= more) {
      more = false;
      for (const other of this.#others.values()) more = (await other.refresh(this.#isSeen)) || more;
      if (!more) break;
    }
    return news;
  }

  readonly #isSeen = (seen: Buffer): boolean =>
    isWithin(seen, (slot) => (slot === this.writer ? this.#own : this.#others.get(slot))?.position);

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

  /** The row of a key that counts. */
  #find(key: string): Row | undefined {
    if (this.#others.size === 0) return this.#own.rows.get(key);
    let found: Row | undefined;
    let foundIn = 0;
    for (const [slot, { rows }] of this.#logs()) {
      const row = rows.get(key);
      if (row === undefined || this.#isRemoved(slot, key, row)) continue;
      const isBefore = found === undefined || found.time < row.time;
      if (isBefore || (found?.time === row.time && foundIn < slot)) [found, foundIn] = [row, slot];
    }
    return found;
  }

  #isRemoved(slot: number, key: string, row: Row): boolean {
    const name = goneKey(slot, key);
    for (const [, { rows }] of this.#logs()) {
      const gone = rows.get(name);
      if (gone !== undefined && gone.time >= row.time) return true;
    }
    return false;
  }

  #timed(changes: readonly StoreChange[], guard: Guard | undefined): TimedChange[] {
    let time = 0;
    for (const [, log] of this.#logs()) if (log.time >= time) time = log.time + 1;
    const timed: TimedChange[] = changes.map((change) => ({ ...change, time }));
    if (this.#others.size === 0) return timed;
    // What replaces one row of another writer must not hide what that writer puts there meanwhile.
    const replaced = guard && !this.#own.rows.has(guard.key) ? this.#find(guard.key) : undefined;
    for (const [at, change] of timed.entries())
      if (replaced !== undefined && change.key === guard?.key) timed[at] = { ...change, time: replaced.time };
    const seen = encodeSeen([...this.#others].map(([slot, { position }]) => [slot, position] as const));
    if (!seen.equals(this.#seen)) timed.push({ key: SEEN_KEY, bytes: seen, time: 0 });
    for (const { key, bytes } of changes) {
      if (bytes !== undefined) continue;
      for (const [slot, { rows }] of this.#others) {
        const row = rows.get(key);
        if (row !== undefined && !this.#isRemoved(slot, key, row))
          timed.push({ key: goneKey(slot, key), bytes: NOTHING, time: row.time });
      }
    }
    return timed;
  }

  /** Whether a row of the own log still says anything. */
  readonly #isOfUse = (key: string, row: Row): boolean => {
    if (key === SEEN_KEY) return true;
    if (!key.startsWith(GONE)) return !this.#isRemoved(this.writer, key, row);
    const slotEnd = key.indexOf('/', GONE.length);
    const about = this.#others.get(Number(key.slice(GONE.length, slotEnd)))?.rows.get(key.slice(slotEnd + 1));
    return about !== undefined && about.time <= row.time;
  };

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
