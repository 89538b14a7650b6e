import { FixpointError } from '@fixpoint/protocol';
import type { FileSystem, OpenFile } from '../../../ports/file-system.ts';
import { logPath, markerPath, toBuffer } from './log-files.ts';
import { endOfRecords, HEADER_BYTES, isLater } from './log-format.ts';
import { type LogContent, type Position, type Row, readLog, readOn } from './log-rows.ts';

const READ_BYTES = 262_144;
const NOTHING = new Uint8Array();

/** The log of another process, followed while it is written. */
export class OtherLog {
  readonly #files: FileSystem;
  readonly #folder: string;
  readonly #slot: number;
  #file: OpenFile;
  #content: LogContent;
  #stamp: string | undefined;

  private constructor(files: FileSystem, folder: string, slot: number, read: ReadWhole) {
    this.#files = files;
    this.#folder = folder;
    this.#slot = slot;
    this.#file = read.file;
    this.#content = read.content;
    this.#stamp = read.stamp;
  }

  /** @throws FixpointError CORRUPT, FORMAT_NEWER */
  static async open(files: FileSystem, folder: string, slot: number): Promise<OtherLog> {
    return new OtherLog(files, folder, slot, await readWhole(files, folder, slot));
  }

  get rows(): ReadonlyMap<string, Row> {
    return this.#content.rows;
  }

  get time(): number {
    return this.#content.time;
  }

  get position(): Position {
    return { generation: this.#content.name.generation, length: this.#content.length };
  }

  get path(): string {
    return logPath(this.#folder, this.#slot);
  }

  /**
   * Applies records written since the last call, as far as this process has read the records that
   * they build on. Returns whether it applied any.
   * @throws FixpointError CORRUPT when the log is gone
   */
  async refresh(isSeen: (seen: Buffer) => boolean): Promise<boolean> {
    const stamp = await stampOf(this.#files, this.#folder, this.#slot);
    if (stamp === this.#stamp) return false;
    if (fileOf(stamp) !== fileOf(this.#stamp)) return this.#reopen();
    const { length } = this.#content;
    const bytes = await readRecords(this.#file, length);
    // Sync the log first: records that this process builds on must be as durable as its own.
    await this.#file.sync();
    this.#content = readOn(this.#content, bytes, length, this.#file, undefined, isSeen);
    // A record that is incomplete, or that builds on records that this process hasn't read, is read
    // again later.
    this.#stamp = this.#content.length === length + bytes.length ? stamp : `${fileOf(stamp)}:?`;
    return this.#content.length > length;
  }

  /** Makes the next refresh read the log even if its stamp hasn't changed. */
  lookAgain(): void {
    this.#stamp = `${fileOf(this.#stamp)}:?`;
  }

  /**
   * Rereads the log from its start.
   * @throws FixpointError CORRUPT when it no longer contains what was read before
   */
  async inspect(): Promise<void> {
    const { file, content } = await readWhole(this.#files, this.#folder, this.#slot);
    await file.close();
    requireSuccessor(this.#content, content);
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  /** Opens the log again after its process rewrote it. */
  async #reopen(): Promise<boolean> {
    const before = this.#file;
    const read = await readWhole(this.#files, this.#folder, this.#slot);
    this.#file = read.file;
    this.#content = read.content;
    this.#stamp = read.stamp;
    await before.close();
    return true;
  }
}

/**
 * Checks that `now` is either the same log as `before` and at least as long, or a rewrite of
 * `before`.
 * @throws FixpointError CORRUPT
 */
function requireSuccessor(before: LogContent, now: LogContent): void {
  const isRewritten = isLater(now.name.generation, before.name.generation);
  const isGrown = now.name.id.equals(before.name.id) && now.length >= before.length;
  if (!isRewritten && !isGrown) throw new FixpointError('CORRUPT', 'a log is another one than before');
}

interface ReadWhole {
  readonly file: OpenFile;
  readonly content: LogContent;
  readonly stamp: string | undefined;
}

const fileOf = (stamp: string | undefined): string | undefined => stamp?.slice(0, stamp.indexOf(':'));

/**
 * Reads a whole log. Reads its marker first, so that the log contains all records that the marker
 * counts.
 */
async function readWhole(files: FileSystem, folder: string, slot: number): Promise<ReadWhole> {
  const markerBytes = await files.readFile(markerPath(folder, slot));
  const stamp = await stampOf(files, folder, slot);
  const file = await files.open(logPath(folder, slot), 'existing');
  try {
    const header = new Uint8Array(HEADER_BYTES);
    const headerBytes = await file.read(header, 0);
    const records = headerBytes < HEADER_BYTES ? NOTHING : await readRecords(file, HEADER_BYTES);
    await file.sync();
    const content = readLog(
      Buffer.concat([header.subarray(0, headerBytes), records]),
      slot,
      markerBytes,
      file,
    );
    // The stamp was taken before the bytes were read, so the next refresh notices a write in
    // between.
    return { file, content, stamp };
  } catch (cause) {
    await file.close();
    throw cause;
  }
}

/**
 * Returns a stamp that identifies a state of a log: its file, length and marker. The stamp needs
 * the marker because zeros that were written ahead hide the length of the records. A log that has
 * such zeros gets a new marker after each record.
 * @throws FixpointError CORRUPT when the log is gone
 */
async function stampOf(files: FileSystem, folder: string, slot: number): Promise<string> {
  const marker = await files.readFile(markerPath(folder, slot));
  const stamp = await files.stamp(logPath(folder, slot));
  if (stamp === undefined) throw new FixpointError('CORRUPT', 'the log of another process is gone');
  return `${stamp}:${marker === undefined ? '' : toBuffer(marker).toString('latin1')}`;
}

/** Returns the bytes from the start of a record up to the zeros after the last one. */
async function readRecords(file: OpenFile, from: number): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let read = 0;
  for (;;) {
    const part = new Uint8Array(Math.max(READ_BYTES, read));
    const count = await file.read(part, from + read);
    if (count === 0) return Buffer.concat(parts);
    parts.push(part.subarray(0, count));
    read += count;
    const bytes = Buffer.concat(parts);
    const end = endOfRecords(bytes);
    if (end !== undefined) return bytes.subarray(0, end);
    parts.splice(0, parts.length, bytes);
  }
}
