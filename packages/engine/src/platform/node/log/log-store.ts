/**
 * A store in one folder. Each process that has the store open writes only its own log, so writes
 * need no lock. Each process reads all logs.
 *
 * A key may have a row in several logs; rows-of-logs.ts decides which one counts. When a process
 * has read more of the other logs, its next record says how far it has read them (log-rows.ts). A
 * reader applies such a record only after it has read the other logs that far, so that everything
 * on which the record builds is present.
 */

import { FixpointError } from '@fixpoint/protocol';
import type { ByteStore, Durability, Guard, StoreChange } from '../../../ports/byte-store.ts';
import type { FileSystem } from '../../../ports/file-system.ts';
import type { Time } from '../../../ports/time.ts';
import { destroyedElsewhere, storeFailure } from '../failure.ts';
import { isSame, openingPath, readRow, toBuffer } from './log-files.ts';
import {
  countPath,
  destroyFolder,
  isAlone,
  lockLog,
  readCount,
  type TakenLog,
  takeLog,
} from './log-folder.ts';
import { isWithin, SEEN_KEY } from './log-rows.ts';
import { OtherLog } from './other-log.ts';
import { OwnLog } from './own-log.ts';
import { RowsOfLogs } from './rows-of-logs.ts';
import { changesUnder } from './timed-changes.ts';

/** How often a process checks for writes of other processes, with or without hints. */
const POLL_MS = 100;
/** Maximum number of attempts to open a store that other processes remove at the same time. */
const ATTEMPTS_MAX = 20;

export interface LogByteStore extends ByteStore {
  /** Maximum bytes that a rewrite of this process's log would write, without keys. */
  readonly bytesToRewrite: number;
}

/** @throws FixpointError CORRUPT, FORMAT_NEWER, STORE_LOCKED, STORE_FAILED */
export async function openLogStore(
  folder: string,
  durability: Durability,
  files: FileSystem,
  time: Time,
): Promise<LogByteStore> {
  try {
    for (let attempt = 1; ; attempt++) {
      const taken = await takeLog(files, folder);
      const opened: { close(): Promise<void> }[] = [{ close: taken.lock.release }];
      try {
        const store = await LogStore.open(folder, files, time, taken, durability === 'strict', opened);
        if (await taken.lock.isHeld()) return store;
        throw destroyedElsewhere();
      } catch (cause) {
        // If another process removed the store, this isn't damage: the next attempt creates a new
        // store.
        const isRemoved = await taken.lock.isHeld().then(
          (isHeld) => !isHeld,
          () => false,
        );
        for (const part of opened.reverse()) await part.close().catch(() => undefined);
        if (!isRemoved || attempt === ATTEMPTS_MAX) throw cause;
      }
    }
  } catch (cause) {
    throw storeFailure(cause);
  }
}

class LogStore implements LogByteStore {
  readonly writer: number;
  readonly #folder: string;
  readonly #files: FileSystem;
  readonly #time: Time;
  readonly #taken: TakenLog;
  readonly #own: OwnLog;
  readonly #others: Map<number, OtherLog>;
  readonly #rows: RowsOfLogs;
  #countRead: Uint8Array | undefined;
  /** Writes run one after another. */
  #last: Promise<unknown> = Promise.resolve();
  #closed = false;
  /** Destroyed by another process. */
  #isGone = false;
  /** How far this process had read the other logs when it last recorded that in its own log. */
  #seen: Uint8Array = new Uint8Array();
  #news = 0;
  /** The value of `#news` at the end of the last `refresh`. */
  #newsTold = 0;
  readonly #stops = new Set<() => void>();
  readonly #onClosed = new Set<(reason: FixpointError) => void>();

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
    this.#rows = new RowsOfLogs(this.writer, own, others);
  }

  /** Opens the store. Adds each part that must be closed on failure to `opened`. */
  static async open(
    folder: string,
    files: FileSystem,
    time: Time,
    taken: TakenLog,
    strict: boolean,
    opened: { close(): Promise<void> }[],
  ): Promise<LogStore> {
    const own = await OwnLog.open(files, folder, taken.own, strict);
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
    await store.#requireSeen();
    store.#newsTold = store.#news;
    return store;
  }

  async read(key: string): Promise<Uint8Array | undefined> {
    this.#checkOpen();
    const row = this.#rows.find(key);
    if (row?.value !== undefined) return row.value.slice();
    return row && readRow(row).catch((cause) => Promise.reject(storeFailure(cause)));
  }

  get bytesToRewrite(): number {
    return this.#own.bytesToRewrite;
  }

  lengthOf(key: string): number | undefined {
    return this.#rows.find(key)?.length;
  }

  /** Reads a consistent set of rows: no changes of other processes are applied during the read. */
  readPrefix(prefix: string): Promise<ReadonlyMap<string, Uint8Array>> {
    return this.#exclusive(async () => {
      const found = new Map<string, Uint8Array>();
      this.#checkOpen();
      for (const key of this.#rows.keys(prefix)) {
        const bytes = await this.read(key);
        if (bytes !== undefined) found.set(key, bytes);
      }
      return found;
    });
  }

  async keys(prefix: string): Promise<readonly string[]> {
    this.#checkOpen();
    return [...this.#rows.keys(prefix)].sort();
  }

  write(changes: readonly StoreChange[], guard?: Guard): Promise<boolean> {
    const append = () => this.#append(changes, guard);
    return this.#exclusive(async () => {
      this.#checkOpen();
      const isDone = await (guard?.coversAll ? this.#locked(() => this.#takeInAll().then(append)) : append());
      if (isDone) await this.#own.tidy(this.#rows.isOfUse);
      return isDone;
    });
  }

  async #append(changes: readonly StoreChange[], guard?: Guard): Promise<boolean> {
    if (guard?.news !== undefined && guard.news !== this.#news) return false;
    const logs = { own: this.#own, others: this.#others, rows: this.#rows, seen: this.#seen };
    const timed = await changesUnder(logs, changes, guard);
    if (timed === undefined) return false;
    await this.#own.append(timed);
    const seen = this.#others.size === 0 ? undefined : timed.find(({ key }) => key === SEEN_KEY);
    if (seen?.bytes !== undefined) this.#seen = seen.bytes;
    return true;
  }

  isAlone(): Promise<boolean> {
    // Also check that no other folder replaced this one, because that folder belongs to another
    // store.
    return this.#exclusive(
      async () => (await isAlone(this.#files, this.#folder, this.writer)) && this.#own.isThere(),
    );
  }

  async ifAbandoned(writer: number, work: () => Promise<void>): Promise<boolean> {
    const lock = await lockLog(this.#files, this.#folder, writer);
    if (lock === undefined) return false;
    try {
      // The last records of that writer must be read before anything builds on their absence.
      await this.refresh();
      await work();
      return true;
    } finally {
      await lock.release();
    }
  }

  sync(): Promise<void> {
    return this.#exclusive(() => this.#own.settle());
  }

  shrink(): Promise<void> {
    return this.#exclusive(() => this.#own.shrink(this.#rows.isOfUse));
  }

  refresh(): Promise<boolean> {
    return this.#reading(async () => {
      await this.#takeIn();
      const isNews = this.#news !== this.#newsTold;
      this.#newsTold = this.#news;
      return isNews;
    });
  }

  /**
   * Runs work that reads the folder. If the work fails because the whole folder was removed,
   * rejects with DATABASE_CLOSED.
   */
  #reading<T>(work: () => Promise<T>): Promise<T> {
    return this.#exclusive(async () => {
      this.#checkOpen();
      await this.#checkThere();
      return work().catch((cause) => this.#checkThere().then(() => Promise.reject(cause)));
    });
  }

  whileThere(work: () => Promise<void>): Promise<void> {
    return this.#reading(() => this.#locked(work));
  }

  /** Runs work while no process opens, replaces or locks the folder. */
  #locked<T>(work: () => Promise<T>): Promise<T> {
    return this.#files.oneAtATime(openingPath(this.#folder), () => this.#checkThere().then(work));
  }

  async #checkThere(): Promise<void> {
    if (await this.#own.isThere()) return;
    this.#isGone = true;
    const reason = destroyedElsewhere();
    for (const tell of [...this.#onClosed]) tell(reason);
    throw reason;
  }

  /** Applies the writes of other processes, and adds their new logs. */
  async #takeIn(): Promise<void> {
    const read = await this.#files.readFile(countPath(this.#folder));
    // Compare the content, not the stamp, because a file may reuse the inode number of a file that
    // was replaced earlier.
    if (!isSame(read, this.#countRead)) {
      const count = await readCount(this.#files, this.#folder);
      for (let slot = 0; slot < count; slot++) {
        if (slot === this.writer || this.#others.has(slot)) continue;
        this.#others.set(slot, await OtherLog.open(this.#files, this.#folder, slot));
        this.#news += 1;
      }
      this.#countRead = read;
    }
    await this.#follow();
  }

  /** Like `takeIn`, also if the stamp of a log doesn't show a record that was just written. */
  async #takeInAll(): Promise<void> {
    for (const other of this.#others.values()) other.lookAgain();
    await this.#takeIn();
  }

  news(): number {
    return this.#news;
  }

  /**
   * Checks that the other logs contain the records that a log builds on. If they don't, one of the
   * logs is an older copy, or a log is missing and an older count doesn't include it.
   * @throws FixpointError CORRUPT
   */
  async #requireSeen(): Promise<void> {
    if (await this.#isAllSeen()) return;
    await this.#takeInAll();
    if (!(await this.#isAllSeen()))
      throw new FixpointError('CORRUPT', 'a log is older than what another one read of it');
  }

  async #isAllSeen(): Promise<boolean> {
    for (const { rows } of [this.#own, ...this.#others.values()]) {
      const row = rows.get(SEEN_KEY);
      if (row !== undefined && !this.#isSeen(toBuffer(row.value ?? (await readRow(row))))) return false;
    }
    return true;
  }

  /** Rereads the folder as an opening process would, and compares it with what was read before. */
  inspect(): Promise<void> {
    return this.#reading(async () => {
      const count = await readCount(this.#files, this.#folder);
      if (count !== this.#others.size + 1) await this.#takeIn();
      if (count < this.#others.size + 1)
        throw new FixpointError('CORRUPT', 'the count of logs is an older copy');
      await this.#own.inspect();
      for (const other of this.#others.values()) await other.inspect();
      await this.#follow();
      await this.#requireSeen();
    });
  }

  /** Reads the other logs until none has more records that can be applied. */
  async #follow(): Promise<void> {
    for (let more = this.#others.size > 0; more; ) {
      more = false;
      for (const other of this.#others.values()) more = (await this.#readOn(other)) || more;
    }
  }

  /**
   * Reads a log. Increases `#news` even if the refresh fails, because it may have applied records.
   */
  async #readOn(other: OtherLog): Promise<boolean> {
    let isNews = true;
    try {
      isNews = await other.refresh(this.#isSeen);
      return isNews;
    } finally {
      if (isNews) this.#news += 1;
    }
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

  onClosed(fn: (reason: FixpointError) => void): () => void {
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
        // If the folder is gone, a lock at this path belongs to another database.
        if (!this.#isGone) await this.#taken.lock.release();
      }
    });
  }

  async destroy(): Promise<void> {
    await this.close();
    await this.#exclusive(() => destroyFolder(this.#folder, this.#files));
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
