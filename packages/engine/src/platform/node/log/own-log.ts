import { randomBytes } from 'node:crypto';
import { FixpointError } from '@fixpoint/protocol';
import type { FileSystem, OpenFile } from '../../../ports/file-system.ts';
import { replaceFile, writeAll } from '../durable-file.ts';
import { isFull } from '../failure.ts';
import { type LogFiles, logPath, markerPath, openingPath, readRow, toBuffer } from './log-files.ts';
import {
  decodeMarker,
  encodeHeader,
  encodeMarker,
  encodeRecord,
  HEADER_BYTES,
  type TimedChange,
} from './log-format.ts';
import { type LogContent, type Position, type Row, readLog } from './log-rows.ts';

/** The log is rewritten when dead bytes exceed live ones by this much. */
const DEAD_BYTES_SPARE = 500_000;
/** Up to this many dead bytes, `shrink` never rewrites the log. */
const DEAD_BYTES_IDLE = 100_000;
/**
 * Limits of the zeros that are written after the last record. The log's zeros take about half as
 * many bytes as its records. A record that replaces zeros needs one disk write to sync, not three.
 * A reader treats zeros as the end of the log.
 */
const AHEAD_BYTES_MIN = 65_536;
const AHEAD_BYTES_MAX = 262_144;
/**
 * Values up to this size stay in memory after a write, because later writes compare them with their
 * conditions. An example is the head record.
 */
const GUARD_BYTES_MAX = 1024;

/** The one log that this process writes: one record and one fdatasync for each write. */
export class OwnLog {
  readonly #files: FileSystem;
  readonly #folder: string;
  readonly #path: string;
  readonly #markerPath: string;
  readonly #strict: boolean;
  readonly #marker: OpenFile;
  #file: OpenFile;
  #content: LogContent;
  #liveBytes: number;
  /** End of the file, including the zeros written ahead. */
  #end: number;
  #inode: string;
  /** Dead bytes at the last rewrite, if that rewrite failed. */
  #deadBytesKept = 0;
  /** Set when the content of the file is unknown. */
  #broken: FixpointError | undefined;

  private constructor(
    files: FileSystem,
    folder: string,
    strict: boolean,
    { slot, file, marker, stamp }: LogFiles,
    content: LogContent,
  ) {
    this.#files = files;
    this.#folder = folder;
    this.#path = logPath(folder, slot);
    this.#markerPath = markerPath(folder, slot);
    this.#strict = strict;
    this.#file = file;
    this.#inode = inodeIn(stamp);
    this.#marker = marker;
    this.#content = content;
    this.#liveBytes = bytesOf(content.rows);
    this.#end = content.length;
  }

  /**
   * Reads the log and prepares it for writing.
   * @param opened is closed when this fails
   * @throws FixpointError CORRUPT, FORMAT_NEWER
   */
  static async open(files: FileSystem, folder: string, opened: LogFiles, strict: boolean): Promise<OwnLog> {
    const { slot, file, marker, markerBytes, stamp } = opened;
    try {
      const length = Number(stamp.slice(stamp.indexOf(':') + 1));
      const content = readLog(toBuffer(await readRow({ file, offset: 0, length })), slot, markerBytes, file);
      const promised = markerBytes && decodeMarker(toBuffer(markerBytes));
      const isPromised = promised?.length === content.length && promised.id.equals(content.name.id);
      // Sync the log before its marker is written: the marker must not promise data that is only in
      // system memory. Data that the marker already promises is on disk.
      if (content.length < length) await file.truncate(content.length);
      if (!isPromised) await file.sync();
      const log = new OwnLog(files, folder, strict, opened, content);
      if (!isPromised) {
        log.#markUnlessFull();
        await marker.sync();
      }
      return log;
    } catch (cause) {
      await file.close();
      await marker.close();
      throw cause;
    }
  }

  get rows(): ReadonlyMap<string, Row> {
    return this.#content.rows;
  }

  get position(): Position {
    return { generation: this.#content.name.generation, length: this.#content.length };
  }

  get bytesToRewrite(): number {
    // Include the zeros, because deletes overwrite them with records that live until the next
    // compaction.
    return this.#liveBytes + this.#end - this.#content.length;
  }

  get time(): number {
    return this.#content.time;
  }

  /** Returns whether the open file is still the one at its path. */
  async isThere(): Promise<boolean> {
    const stamp = await this.#files.stamp(this.#path);
    return stamp !== undefined && inodeIn(stamp) === this.#inode;
  }

  /** Rereads the log from disk. @throws FixpointError CORRUPT when it isn't what was written */
  async inspect(): Promise<void> {
    const { length, chain, name } = this.#content;
    const bytes = toBuffer(await readRow({ file: this.#file, offset: 0, length }));
    const found = readLog(bytes, name.slot, await this.#files.readFile(this.#markerPath), this.#file);
    if (found.length !== length || !found.chain.equals(chain))
      throw new FixpointError('CORRUPT', 'the log is not what was written');
  }

  /**
   * Drops dead bytes when they outweigh live ones. A failure doesn't fail the write, whose data is
   * durable already. After a failure, `tidy` tries again when the log has about twice as many dead
   * bytes, and `shrink` tries again at the next compaction.
   */
  async tidy(isOfUse: (key: string, row: Row) => boolean): Promise<void> {
    const dead = this.#deadBytes();
    if (dead <= this.#liveBytes + DEAD_BYTES_SPARE + this.#deadBytesKept) return;
    await this.#rewrite(isOfUse).catch(() => {
      this.#deadBytesKept = dead;
    });
  }

  /**
   * Rewrites the log as `tidy` does, but already when it has fewer dead bytes. @throws file system
   * errors; the log is then unchanged
   */
  async shrink(isOfUse: (key: string, row: Row) => boolean): Promise<void> {
    if (this.#deadBytes() > this.#liveBytes / 4 + DEAD_BYTES_IDLE) await this.#rewrite(isOfUse);
  }

  #deadBytes(): number {
    return this.#content.length - HEADER_BYTES - this.#liveBytes;
  }

  /**
   * Appends changes as one record, and resolves once it is durable.
   * @throws when nothing was written; when that is uncertain, all later writes are rejected, too
   */
  async append(changes: readonly TimedChange[]): Promise<void> {
    if (this.#broken !== undefined) throw this.#broken;
    const { length, chain, rows } = this.#content;
    const record = encodeRecord(changes, chain);
    try {
      if (this.#content.name.version === 1) await this.#upgrade();
      await this.#write(record.bytes, length);
    } catch (cause) {
      await this.#cutBack(cause);
      throw cause;
    }
    if (this.#strict) await this.#sync();
    let { time } = this.#content;
    changes.forEach((change, at) => {
      this.#liveBytes -= rows.get(change.key)?.length ?? 0;
      rows.delete(change.key);
      if (change.bytes === undefined) return;
      if (change.time > time) time = change.time;
      this.#liveBytes += change.bytes.length;
      const value = change.bytes.length <= GUARD_BYTES_MAX ? change.bytes.slice() : undefined;
      const offset = length + (record.valueAt[at] as number);
      rows.set(change.key, {
        file: this.#file,
        offset,
        length: change.bytes.length,
        time: change.time,
        value,
      });
    });
    this.#content = { ...this.#content, time, length: length + record.bytes.length, chain: record.chain };
    if (this.#strict) this.#markIfPossible();
  }

  /** Makes the writes of a relaxed log durable. @throws as {@link append} */
  async settle(): Promise<void> {
    if (this.#broken !== undefined) throw this.#broken;
    if (!this.#strict) await this.#sync();
  }

  /** Appends a record, with new zeros after it when the previous ones are used up. */
  async #write(record: Uint8Array, from: number): Promise<void> {
    const end = from + record.length;
    if (this.#strict && end > this.#end && (await this.#writeAhead(record, from))) return;
    await writeAll(this.#file, record, from);
    if (end > this.#end) this.#end = end;
  }

  /**
   * Writes a record and zeros after it. Returns false when there is no space for the zeros; the
   * record without them may still fit.
   */
  async #writeAhead(record: Uint8Array, from: number): Promise<boolean> {
    const ahead = Math.min(AHEAD_BYTES_MAX, Math.max(AHEAD_BYTES_MIN, from >> 1));
    const bytes = Buffer.alloc(record.length + ahead);
    bytes.set(record);
    try {
      await writeAll(this.#file, bytes, from);
    } catch {
      await this.#file.truncate(from);
      this.#end = from;
      return false;
    }
    this.#end = from + bytes.length;
    return true;
  }

  /** Writes live rows into a new log, which atomically replaces the old one. */
  async #rewrite(isOfUse: (key: string, row: Row) => boolean): Promise<void> {
    if (this.#broken !== undefined) throw this.#broken;
    const rowsOfUse = [...this.#content.rows].filter(([key, row]) => isOfUse(key, row));
    // One long read is much faster than many short ones.
    const log = await readRow({ file: this.#file, offset: 0, length: this.#content.length });
    const changes = rowsOfUse.map(
      ([key, { time, offset, length }]): TimedChange => ({
        key,
        time,
        bytes: log.subarray(offset, offset + length),
      }),
    );
    const { slot, generation } = this.#content.name;
    const id = randomBytes(16);
    const name = { slot, id, generation: (generation + 1) % 256, version: 2 as const };
    const record = encodeRecord(changes, id);
    const before = this.#file;
    // On a full disk, the zeros ahead may take the space that the new log needs.
    if (this.#end > this.#content.length) await before.truncate(this.#content.length);
    this.#end = this.#content.length;
    try {
      const bytes = Buffer.concat([encodeHeader(name), record.bytes]);
      await replaceFile(this.#files, this.#path, bytes, (swap) => this.#whileThere(swap));
      this.#file = await this.#files.open(this.#path, 'existing');
      this.#inode = inodeIn((await this.#files.stamp(this.#path)) ?? '');
    } catch (cause) {
      // After the rename, writes to the old log would be lost, and a power loss may leave either
      // log.
      if (!(await this.isThere().catch(() => false))) this.#broken = unknown(cause);
      throw cause;
    }
    const rows = new Map<string, Row>();
    rowsOfUse.forEach(([key, { length, time, value }], at) => {
      const offset = HEADER_BYTES + (record.valueAt[at] as number);
      rows.set(key, { file: this.#file, offset, length, time, value });
    });
    const length = HEADER_BYTES + record.bytes.length;
    this.#content = { name, rows, length, chain: record.chain, time: this.#content.time };
    this.#liveBytes = bytesOf(rows);
    this.#deadBytesKept = 0;
    this.#end = length;
    this.#markIfPossible();
    // Close the old file only now: a read that started before the rows changed uses it.
    await before.close();
  }

  /** Runs the work unless another process has replaced the folder with a new database. */
  #whileThere(work: () => Promise<void>): Promise<void> {
    return this.#files.oneAtATime(openingPath(this.#folder), async () => {
      if (!(await this.isThere())) throw new FixpointError('DATABASE_CLOSED', 'the log is gone');
      await work();
    });
  }

  async close(): Promise<void> {
    try {
      if (this.#broken === undefined) {
        if (this.#end > this.#content.length) await this.#file.truncate(this.#content.length);
        await this.#file.sync();
        this.#markUnlessFull();
        await this.#marker.sync();
      }
    } finally {
      await this.#file.close();
      await this.#marker.close();
    }
  }

  /**
   * Raises the version of a version 1 log before its first newer record, so that old programs
   * reject the log.
   */
  async #upgrade(): Promise<void> {
    const name = { ...this.#content.name, version: 2 as const };
    await writeAll(this.#file, encodeHeader(name), 0);
    this.#content = { ...this.#content, name };
  }

  /**
   * Removes a failed write from the file. Otherwise readers could apply a record that was rejected.
   */
  async #cutBack(cause: unknown): Promise<void> {
    try {
      await this.#file.truncate(this.#content.length);
      this.#end = this.#content.length;
    } catch {
      this.#broken = unknown(cause);
    }
  }

  /**
   * Syncs the file. On failure, cuts off the record and rejects later writes: the system may have
   * dropped the pages, and the next sync would succeed without them.
   */
  async #sync(): Promise<void> {
    try {
      await this.#file.sync();
    } catch (cause) {
      await this.#cutBack(cause);
      this.#broken = unknown(cause);
      throw cause;
    }
  }

  #mark(): void {
    const { name, length, chain } = this.#content;
    this.#marker.writeNow(encodeMarker({ ...name, length, chain }), 0);
  }

  /**
   * Writes the marker. On a full disk, a log that has no marker yet stays without one, and readers
   * detect less damage.
   */
  #markUnlessFull(): void {
    try {
      this.#mark();
    } catch (cause) {
      if (!isFull(cause)) throw cause;
    }
  }

  /**
   * Writes the marker if possible. The data is durable, so a failure here doesn't fail the write;
   * the next write tries again.
   */
  #markIfPossible(): void {
    try {
      this.#mark();
    } catch {
      // Closing the log writes its marker again, and reports a failure.
    }
  }
}

const unknown = (cause: unknown) => new FixpointError('STORE_FAILED', 'reopen the database', { cause });

const inodeIn = (stamp: string): string => stamp.slice(0, stamp.indexOf(':'));

const bytesOf = (rows: ReadonlyMap<string, Row>): number => {
  let sum = 0;
  for (const { length } of rows.values()) sum += length;
  return sum;
};
