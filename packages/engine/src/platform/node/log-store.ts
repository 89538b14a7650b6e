import { randomBytes } from 'node:crypto';
import { fdatasync, writeSync } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { FixpointError } from '@fixpoint/protocol';
import type { ByteStore, Durability, Guard, StoreChange } from '../../ports/byte-store.ts';
import { makeFolder, readIfThere, replaceFile } from './durable-file.ts';
import { storeFailure } from './failure.ts';
import { lockFolder } from './folder-lock.ts';
import {
  changesOf,
  decodeHeader,
  decodeMarker,
  encodeHeader,
  encodeMarker,
  encodeRecord,
  HEADER_BYTES,
  recordAt,
} from './log-format.ts';

/** The log is rewritten when dead bytes outweigh live ones by this much. */
const DEAD_BYTES_SPARE = 4_000_000;

/** A write of so many bytes is a copy into memory of the system: a thread of its own would cost more than it. */
const COPIED_BYTES_MAX = 65_536;
/** Values of at most this are kept as they were written, for guards: the head record is one. */
const GUARD_BYTES_MAX = 1024;

interface Place {
  readonly offset: number;
  readonly length: number;
  /** The value itself, when it is small and was written by this process. */
  readonly value?: Uint8Array | undefined;
}

interface LogState {
  readonly id: Buffer;
  readonly places: Map<string, Place>;
  readonly chain: Buffer;
  readonly length: number;
}

/** A store in one folder: a log of writes, each durable by one fdatasync. @throws FixpointError CORRUPT, STORE_LOCKED, STORE_FAILED */
export async function openLogStore(folder: string, durability: Durability): Promise<ByteStore> {
  try {
    await makeFolder(folder);
    const unlock = await lockFolder(folder);
    try {
      return await LogStore.open(folder, durability, unlock);
    } catch (cause) {
      await unlock();
      throw cause;
    }
  } catch (cause) {
    throw storeFailure(cause);
  }
}

class LogStore implements ByteStore {
  readonly #folder: string;
  readonly #strict: boolean;
  readonly #unlock: () => Promise<void>;
  #log: FileHandle;
  readonly #marker: FileHandle;
  #id: Buffer;
  #places: Map<string, Place>;
  #chain: Buffer;
  #length: number;
  #liveBytes = 0;
  /** Writes go one after another. */
  #last: Promise<unknown> = Promise.resolve();
  /** Set when nobody can say any more what the file holds. */
  #broken: FixpointError | undefined;
  #closed = false;

  private constructor(
    folder: string,
    strict: boolean,
    unlock: () => Promise<void>,
    log: FileHandle,
    marker: FileHandle,
    state: LogState,
  ) {
    this.#folder = folder;
    this.#strict = strict;
    this.#unlock = unlock;
    this.#log = log;
    this.#marker = marker;
    this.#id = state.id;
    this.#places = state.places;
    this.#chain = state.chain;
    this.#length = state.length;
    for (const { length } of state.places.values()) this.#liveBytes += length;
  }

  static async open(folder: string, durability: Durability, unlock: () => Promise<void>): Promise<LogStore> {
    const path = join(folder, 'log');
    const markerPath = join(folder, 'durable');
    const markerBytes = await readIfThere(markerPath);
    let bytes = await readIfThere(path);
    if (bytes === undefined) {
      if (markerBytes !== undefined) throw new FixpointError('CORRUPT', 'the log is gone');
      bytes = encodeHeader(randomBytes(16));
      await replaceFile(path, bytes);
    }
    const state = recover(bytes, markerBytes);
    const log = await open(path, 'r+');
    if (state.length < bytes.length) await log.truncate(state.length);
    const marker = await open(markerPath, markerBytes === undefined ? 'w+' : 'r+', 0o600);
    const store = new LogStore(folder, durability === 'strict', unlock, log, marker, state);
    store.#mark();
    return store;
  }

  async read(key: string): Promise<Uint8Array | undefined> {
    this.#checkOpen();
    const place = this.#places.get(key);
    return place && this.#readPlace(place);
  }

  async readPrefix(prefix: string): Promise<ReadonlyMap<string, Uint8Array>> {
    this.#checkOpen();
    const found = new Map<string, Uint8Array>();
    for (const [key, place] of this.#places)
      if (key.startsWith(prefix)) found.set(key, await this.#readPlace(place));
    return found;
  }

  async keys(prefix: string): Promise<readonly string[]> {
    this.#checkOpen();
    return [...this.#places.keys()].filter((key) => key.startsWith(prefix)).sort();
  }

  write(changes: readonly StoreChange[], guard?: Guard): Promise<boolean> {
    return this.#exclusive(async () => {
      this.#checkOpen();
      if (this.#broken !== undefined) throw this.#broken;
      if (guard !== undefined && !(await this.#holds(guard))) return false;
      await this.#append(changes);
      if (this.#length - HEADER_BYTES > 2 * this.#liveBytes + DEAD_BYTES_SPARE) await this.#rewrite();
      return true;
    });
  }

  close(): Promise<void> {
    return this.#exclusive(async () => {
      if (this.#closed) return;
      this.#closed = true;
      if (!this.#strict && this.#broken === undefined) await this.#log.datasync();
      await this.#log.close();
      await this.#marker.close();
      await this.#unlock();
    });
  }

  async destroy(): Promise<void> {
    await this.close();
    await rm(this.#folder, { recursive: true, force: true });
  }

  #exclusive<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work).catch((cause) => Promise.reject(storeFailure(cause)));
    this.#last = done.catch(() => undefined);
    return done;
  }

  #checkOpen(): void {
    if (this.#closed) throw new FixpointError('DATABASE_CLOSED');
  }

  async #readPlace({ offset, length }: Place): Promise<Uint8Array> {
    const bytes = new Uint8Array(length);
    try {
      const { bytesRead } = await this.#log.read(bytes, 0, length, offset);
      if (bytesRead < length) throw new FixpointError('CORRUPT', 'the log became shorter');
    } catch (cause) {
      throw storeFailure(cause);
    }
    return bytes;
  }

  async #holds({ key, bytes }: Guard): Promise<boolean> {
    const place = this.#places.get(key);
    if (place === undefined || bytes === undefined) return place === undefined && bytes === undefined;
    if (place.length !== bytes.length) return false;
    return Buffer.compare(place.value ?? (await this.#readPlace(place)), bytes) === 0;
  }

  async #append(changes: readonly StoreChange[]): Promise<void> {
    const record = encodeRecord(changes, this.#chain);
    try {
      await this.#write(record.bytes);
    } catch (cause) {
      await this.#cutBack(cause);
      throw cause;
    }
    if (this.#strict) await this.#sync();
    changes.forEach(({ key, bytes }, at) => {
      this.#liveBytes -= this.#places.get(key)?.length ?? 0;
      this.#places.delete(key);
      if (bytes === undefined) return;
      this.#liveBytes += bytes.length;
      const value = bytes.length <= GUARD_BYTES_MAX ? bytes.slice() : undefined;
      const offset = this.#length + (record.valueAt[at] ?? 0);
      this.#places.set(key, { offset, length: bytes.length, value });
    });
    this.#length += record.bytes.length;
    this.#chain = record.chain;
    this.#mark();
  }

  async #write(bytes: Uint8Array): Promise<void> {
    if (
      bytes.length <= COPIED_BYTES_MAX &&
      writeSync(this.#log.fd, bytes, 0, bytes.length, this.#length) === bytes.length
    )
      return;
    await this.#log.write(bytes, 0, bytes.length, this.#length);
  }

  /** After a write that failed nothing of it may stay in the file, or a later record would stand behind it. */
  async #cutBack(cause: unknown): Promise<void> {
    try {
      await this.#log.truncate(this.#length);
    } catch {
      this.#broken = new FixpointError('STORE_FAILED', 'reopen the database', { cause });
    }
  }

  /** After a failed sync nobody knows what is on the disk: the kernel may have dropped the pages. */
  async #sync(): Promise<void> {
    try {
      await new Promise<void>((resolve, reject) => {
        fdatasync(this.#log.fd, (cause) => (cause === null ? resolve() : reject(cause)));
      });
    } catch (cause) {
      this.#broken = new FixpointError('STORE_FAILED', 'reopen the database', { cause });
      throw cause;
    }
  }

  #mark(): void {
    writeSync(
      this.#marker.fd,
      encodeMarker({ id: this.#id, length: this.#length, chain: this.#chain }),
      0,
      undefined,
      0,
    );
  }

  /** Writes what lives into a new log, which takes the place of the old one in one step. */
  async #rewrite(): Promise<void> {
    const changes: StoreChange[] = [];
    for (const [key, place] of this.#places) changes.push({ key, bytes: await this.#readPlace(place) });
    const id = randomBytes(16);
    const record = encodeRecord(changes, id);
    const path = join(this.#folder, 'log');
    await replaceFile(path, Buffer.concat([encodeHeader(id), record.bytes]));
    const before = this.#log;
    this.#log = await open(path, 'r+');
    await before.close();
    this.#id = id;
    this.#chain = record.chain;
    this.#places = new Map(
      changes.map(({ key, bytes }, at) => [
        key,
        { offset: HEADER_BYTES + (record.valueAt[at] ?? 0), length: bytes?.length ?? 0 },
      ]),
    );
    this.#length = HEADER_BYTES + record.bytes.length;
    this.#mark();
  }
}

/** What the bytes of a log say, by the rules of the format. @throws FixpointError CORRUPT */
function recover(log: Buffer, markerBytes: Buffer | undefined): LogState {
  const id = decodeHeader(log);
  if (id === undefined) throw new FixpointError('CORRUPT', 'the log has no header of this version');
  const marker = markerBytes && decodeMarker(markerBytes);
  const promised = marker?.id.equals(id) === true ? marker : undefined;
  const places = new Map<string, Place>();
  let chain = id;
  let length = HEADER_BYTES;
  let promiseKept = promised === undefined || (promised.length === HEADER_BYTES && promised.chain.equals(id));
  for (
    let record = recordAt(log, length, chain);
    record !== undefined;
    record = recordAt(log, length, chain)
  ) {
    for (const { key, put, offset, length: size } of changesOf(log, record)) {
      places.delete(key);
      if (put) places.set(key, { offset, length: size });
    }
    chain = Buffer.from(record.chain);
    length = record.end;
    if (promised?.length === length && promised.chain.equals(chain)) promiseKept = true;
  }
  if (!promiseKept) throw new FixpointError('CORRUPT', 'the log is damaged or was shortened');
  return { id, places, chain, length };
}
