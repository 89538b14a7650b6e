import { randomBytes } from 'node:crypto';
import { FixpointError } from '@fixpoint/protocol';
import type { FileSystem, OpenFile } from '../../ports/file-system.ts';
import { replaceFile, writeAll } from './durable-file.ts';
import { isFull } from './failure.ts';
import {
  decodeMarker,
  encodeHeader,
  encodeMarker,
  encodeRecord,
  HEADER_BYTES,
  type TimedChange,
} from './log-format.ts';
import { type LogContent, type Position, type Row, readLog } from './log-rows.ts';

/** The log is rewritten when dead bytes outweigh live ones by this much. */
const DEAD_BYTES_SPARE = 500_000;
/** So many dead bytes may stay in an idle log. */
const DEAD_BYTES_IDLE = 100_000;
/**
 * Zeros are written ahead of the end of a log, about as many as half of it: a record that takes their place changes nothing but its own bytes, so its
 * sync is one write to the disk and not three. A reader takes zeros for the end.
 */
const AHEAD_BYTES_MIN = 65_536;
const AHEAD_BYTES_MAX = 262_144;
/** Values of at most this are kept as they were written, for guards: the head record is one. */
const GUARD_BYTES_MAX = 1024;

/** Where the log of a number and its marker lie. Number 0 has the names that a folder of one log always had. */
export const logPath = (folder: string, slot: number) => `${folder}/log${slot === 0 ? '' : `-${slot}`}`;
export const markerPath = (folder: string, slot: number) =>
  `${folder}/durable${slot === 0 ? '' : `-${slot}`}`;
/** What those lock who open the folder or put something else in its place: it lies beside the folder, since all that is in it goes with it. */
export const openingPath = (folder: string) => `${folder}.opening`;

/** Makes an empty log, durably. */
export function makeLog(files: FileSystem, folder: string, slot: number): Promise<void> {
  const header = encodeHeader({ slot, generation: 0, id: randomBytes(16) });
  return replaceFile(files, logPath(folder, slot), header);
}

/** The files of a log, opened: whatever takes the place of its folder later, these are of that one. */
export interface LogFiles {
  readonly slot: number;
  readonly file: OpenFile;
  readonly marker: OpenFile;
  readonly markerBytes: Uint8Array | undefined;
  readonly stamp: string;
}

/** To be called while nobody else may put another folder in the place. @throws FixpointError CORRUPT */
export async function openFiles(files: FileSystem, folder: string, slot: number): Promise<LogFiles> {
  const [path, ofMarker] = [logPath(folder, slot), markerPath(folder, slot)];
  const markerBytes = await files.readFile(ofMarker);
  const stamp = await files.stamp(path);
  if (stamp === undefined) throw new FixpointError('CORRUPT', 'the log is gone');
  const file = await files.open(path, 'existing');
  try {
    const marker = await files.open(ofMarker, markerBytes === undefined ? 'create' : 'existing');
    return { slot, file, marker, markerBytes, stamp };
  } catch (cause) {
    await file.close();
    throw cause;
  }
}

/** The one log that this process writes: a record, and one fdatasync, for each write. */
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
  /** Where the file ends, with the zeros that are written ahead. */
  #end: number;
  #inode: string;
  /** Dead bytes that could not be dropped the last time. */
  #deadBytesKept = 0;
  /** Set when nobody can say any more what the file holds. */
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

  /** @param opened is closed when this fails @throws FixpointError CORRUPT, FORMAT_NEWER */
  static async open(files: FileSystem, folder: string, opened: LogFiles, strict: boolean): Promise<OwnLog> {
    const { slot, file, marker, markerBytes, stamp } = opened;
    try {
      const length = Number(stamp.slice(stamp.indexOf(':') + 1));
      const content = readLog(toBuffer(await readRow({ file, offset: 0, length })), slot, markerBytes, file);
      const promised = markerBytes && decodeMarker(toBuffer(markerBytes));
      const isPromised = promised?.length === content.length && promised.id.equals(content.name.id);
      // The marker must not promise what is in memory of the system alone. What it promises already was on the disk before.
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
    // Deletes take the place of the zeros, and what they write lives until the next compaction.
    return this.#liveBytes + this.#end - this.#content.length;
  }

  get time(): number {
    return this.#content.time;
  }

  /** Whether the file that is written is still the one of its name. */
  async isThere(): Promise<boolean> {
    const stamp = await this.#files.stamp(this.#path);
    return stamp !== undefined && inodeIn(stamp) === this.#inode;
  }

  /** Reads the log again from the disk. @throws FixpointError CORRUPT when it isn't what was written */
  async inspect(): Promise<void> {
    const { length, chain, name } = this.#content;
    const bytes = toBuffer(await readRow({ file: this.#file, offset: 0, length }));
    const found = readLog(bytes, name.slot, await this.#files.readFile(this.#markerPath), this.#file);
    if (found.length !== length || !found.chain.equals(chain))
      throw new FixpointError('CORRUPT', 'the log is not what was written');
  }

  /**
   * Drops dead bytes when they outweigh live ones. What was written is durable already, so a failure is no failure of the write: the log goes on growing,
   * and the next attempt comes when it has grown as much again,
   * or with the next compaction.
   */
  async tidy(isOfUse: (key: string, row: Row) => boolean): Promise<void> {
    const dead = this.#deadBytes();
    if (dead <= this.#liveBytes + DEAD_BYTES_SPARE + this.#deadBytesKept) return;
    await this.#rewrite(isOfUse).catch(() => {
      this.#deadBytesKept = dead;
    });
  }

  /** Drops fewer dead bytes than `tidy` would. @throws what the file system throws; the log is as it was then */
  async shrink(isOfUse: (key: string, row: Row) => boolean): Promise<void> {
    if (this.#deadBytes() > this.#liveBytes / 4 + DEAD_BYTES_IDLE) await this.#rewrite(isOfUse);
  }

  #deadBytes(): number {
    return this.#content.length - HEADER_BYTES - this.#liveBytes;
  }

  /** Durable when it resolves. @throws what the file system throws; nothing was written then, and once nobody can say that, nothing is any more */
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

  /** Makes durable what a relaxed log was given. @throws as {@link append} */
  async settle(): Promise<void> {
    if (this.#broken !== undefined) throw this.#broken;
    if (!this.#strict) await this.#sync();
  }

  /** Writes a record behind the others, with zeros behind it when those of the last time are used up. */
  async #write(record: Uint8Array, from: number): Promise<void> {
    const end = from + record.length;
    if (this.#strict && end > this.#end && (await this.#writeAhead(record, from))) return;
    await writeAll(this.#file, record, from);
    if (end > this.#end) this.#end = end;
  }

  /** Gives false when there is no room for the zeros: there may be for the record alone. */
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

  /** Writes the rows that are still of use into a new log, which takes the place of the old one in one step. */
  async #rewrite(isOfUse: (key: string, row: Row) => boolean): Promise<void> {
    if (this.#broken !== undefined) throw this.#broken;
    const rowsOfUse = [...this.#content.rows].filter(([key, row]) => isOfUse(key, row));
    // One long read is a small part of the time of many short ones.
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
      // Once the new log has the name, what is written to the old one is lost, and nobody can say which one a loss of power leaves.
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
    // Not before the rows have changed: a read that begins meanwhile would find it closed.
    await before.close();
  }

  /** Another process may have removed the folder, and a new database may lie in its place. */
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

  /** Before the first record of this version stands in a log of version 1, an earlier program has to refuse it. */
  async #upgrade(): Promise<void> {
    const name = { ...this.#content.name, version: 2 as const };
    await writeAll(this.#file, encodeHeader(name), 0);
    this.#content = { ...this.#content, name };
  }

  /** After a write that failed nothing of it may stay in the file, or a later record would stand behind it. */
  async #cutBack(cause: unknown): Promise<void> {
    try {
      await this.#file.truncate(this.#content.length);
      this.#end = this.#content.length;
    } catch {
      this.#broken = unknown(cause);
    }
  }

  /**
   * After a failed sync nobody knows what is on the disk: the system may have dropped the pages, and the next sync would say that all is well. So the
   * record is cut off, and this log is not written any more.
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

  /** A full disk has no block for the marker of a log that had none: it promises less then. */
  #markUnlessFull(): void {
    try {
      this.#mark();
    } catch (cause) {
      if (!isFull(cause)) throw cause;
    }
  }

  /** What is durable is no failure, also where the marker cannot be written: it promises less then, until the next write. */
  #markIfPossible(): void {
    try {
      this.#mark();
    } catch {
      // The end of a log marks again, and says when it cannot.
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

export const toBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** @throws FixpointError CORRUPT */
export async function readRow({
  file,
  offset,
  length,
}: Pick<Row, 'file' | 'offset' | 'length'>): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; ) {
    const count = await file.read(at === 0 ? bytes : bytes.subarray(at), offset + at);
    if (count === 0) throw new FixpointError('CORRUPT', 'the log became shorter');
    at += count;
  }
  return bytes;
}
