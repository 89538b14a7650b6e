/** The log of a store in OPFS: opening, appending, rewriting. All calls are synchronous. */
import { FixpointError } from '@fixpoint/protocol';
import { equalBytes } from '../../base/bytes.ts';
import type { StoreChange } from '../../ports/byte-store.ts';
import type { StoreFiles, SyncFile } from '../../ports/sync-file.ts';
import {
  CHAIN_BYTES,
  changesOf,
  decodeHeader,
  decodeMarker,
  encodeHeader,
  encodeMarker,
  encodeRecord,
  HEADER_BYTES,
  type Header,
  type Marker,
  recordAt,
  type Sha256,
} from './opfs-format.ts';

/** The log is rewritten when dead bytes exceed live ones by this much. */
const DEAD_BYTES_SPARE = 500_000;
/** Up to this many dead bytes, `shrink` never rewrites the log. */
const DEAD_BYTES_IDLE = 100_000;

/** Where a value is in the log. */
interface Row {
  readonly offset: number;
  readonly length: number;
}

export interface LogParts {
  readonly files: StoreFiles;
  readonly sha256: Sha256;
  randomBytes(length: number): Uint8Array;
  readonly isStrict: boolean;
}

export interface LogState extends LogParts {
  readonly rows: Map<string, Row>;
  /** Which of the two files is in use. */
  active: 0 | 1;
  generation: number;
  length: number;
  chain: Uint8Array;
  liveBytes: number;
  /** Dead bytes at the last rewrite, if that rewrite failed. */
  deadBytesKept: number;
  /** Set when the content of the file is unknown. */
  broken: FixpointError | undefined;
}

interface Found {
  readonly at: 0 | 1;
  readonly bytes: Uint8Array;
  readonly header: Header | undefined;
  /** Whether the log has the header and all rows that the rewrite copied. */
  readonly isWhole: boolean;
}

/**
 * Opens the log, and creates it if all files are empty.
 * @param isKnown whether the store was written before
 * @throws FixpointError CORRUPT, STORE_LOST
 */
export function openLog(parts: LogParts, isKnown: boolean): LogState {
  const { files, sha256 } = parts;
  const marker = decodeMarker(contentOf(files.marker), sha256);
  const found = [foundIn(parts, 0), foundIn(parts, 1)];
  const newest = found.filter(({ isWhole }) => isWhole).sort((a, b) => generationOf(b) - generationOf(a))[0];
  if (newest === undefined) {
    const isEmpty = found.every(({ bytes }) => bytes.length === 0) && files.marker.size() === 0;
    if (isEmpty && isKnown) throw new FixpointError('STORE_LOST', 'the files of the store are empty');
    // The first write of a header may have been interrupted, before anything was acknowledged.
    if (isKnown || marker !== undefined || found.some(({ bytes }) => bytes.length > HEADER_BYTES))
      throw new FixpointError('CORRUPT', 'no log has a header');
    return createLog(parts);
  }
  return replay(parts, newest, marker);
}

const generationOf = ({ header }: Found) => header?.generation ?? -1;

function foundIn({ files, sha256 }: LogParts, at: 0 | 1): Found {
  const bytes = contentOf(files.logs[at]);
  const header = decodeHeader(bytes, sha256);
  if (header === undefined) return { at, bytes, header, isWhole: false };
  const copied = recordAt(bytes.subarray(0, header.copiedEnd), HEADER_BYTES, header.id, sha256);
  const isWhole = header.copiedEnd === HEADER_BYTES || copied?.end === header.copiedEnd;
  // A rewrite is complete before anything else is appended.
  if (!isWhole && bytes.length > header.copiedEnd) throw new FixpointError('CORRUPT', 'the log is damaged');
  return { at, bytes, header, isWhole };
}

function createLog(parts: LogParts): LogState {
  const { files, sha256 } = parts;
  const id = parts.randomBytes(CHAIN_BYTES);
  for (const log of files.logs) log.truncate(0);
  writeAll(files.logs[0], encodeHeader({ generation: 1, copiedEnd: HEADER_BYTES, id }, sha256), 0);
  files.logs[0].flush();
  const state = newState(parts, 0, 1, id);
  mark(state);
  files.marker.flush();
  return state;
}

const newState = (parts: LogParts, active: 0 | 1, generation: number, chain: Uint8Array): LogState => ({
  ...parts,
  rows: new Map(),
  active,
  generation,
  length: HEADER_BYTES,
  chain,
  liveBytes: 0,
  deadBytesKept: 0,
  broken: undefined,
});

function replay(parts: LogParts, { at, bytes, header }: Found, marker: Marker | undefined): LogState {
  const { files, sha256 } = parts;
  const { id, generation } = header as Header;
  if (marker !== undefined && marker.generation > generation)
    throw new FixpointError('CORRUPT', 'the log is an older copy');
  const state = newState(parts, at, generation, id);
  const promised = marker?.generation === generation ? marker : undefined;
  const isPromised = () => promised?.length === state.length && equalBytes(promised.chain, state.chain);
  let isKept = promised === undefined || isPromised();
  for (;;) {
    const record = recordAt(bytes, state.length, state.chain, sha256);
    if (record === undefined) break;
    for (const { key, isPut, offset, length } of changesOf(bytes, record))
      setRow(state, key, isPut ? { offset, length } : undefined);
    state.length = record.end;
    state.chain = record.chain;
    isKept ||= isPromised();
  }
  if (!isKept) throw new FixpointError('CORRUPT', 'the log is damaged or was shortened');
  if (state.length < bytes.length) files.logs[at].truncate(state.length);
  // Records without a promise may be in system memory only. The marker mustn't promise these.
  if (!isPromised()) {
    files.logs[at].flush();
    mark(state);
  }
  // Only now: until here, the older log may be the only durable one.
  const other = files.logs[at === 0 ? 1 : 0];
  if (other.size() > 0) other.truncate(0);
  return state;
}

function setRow(state: LogState, key: string, row: Row | undefined): void {
  state.liveBytes -= state.rows.get(key)?.length ?? 0;
  state.rows.delete(key);
  if (row === undefined) return;
  state.rows.set(key, row);
  state.liveBytes += row.length;
}

/**
 * Writes a record, which is durable after `commit`.
 * @throws when nothing was written
 */
export function append(state: LogState, changes: readonly StoreChange[]): void {
  if (state.broken !== undefined) throw state.broken;
  const record = encodeRecord(changes, state.chain, state.sha256);
  const log = state.files.logs[state.active];
  try {
    writeAll(log, record.bytes, state.length);
  } catch (cause) {
    cutBack(state, cause);
    throw cause;
  }
  changes.forEach(({ key, bytes }, at) => {
    const offset = state.length + (record.valueAt[at] as number);
    setRow(state, key, bytes && { offset, length: bytes.length });
  });
  state.length += record.bytes.length;
  state.chain = record.chain;
}

/** Makes all records durable. @throws after which the log rejects all further writes */
export function commit(state: LogState, isForced = false): void {
  if (state.broken !== undefined) throw state.broken;
  if (state.isStrict || isForced) {
    try {
      state.files.logs[state.active].flush();
    } catch (cause) {
      state.broken = unknown(cause);
      throw cause;
    }
    // The records are durable, so a failure here doesn't fail the write.
    attempt(() => mark(state));
  }
  const dead = deadBytes(state);
  if (dead > state.liveBytes + DEAD_BYTES_SPARE + state.deadBytesKept && !attempt(() => rewrite(state)))
    state.deadBytesKept = dead;
}

/** Rewrites the log if many of its bytes are dead. @throws errors of the files */
export function shrink(state: LogState): void {
  if (state.broken !== undefined) throw state.broken;
  if (deadBytes(state) > state.liveBytes / 4 + DEAD_BYTES_IDLE) rewrite(state);
}

const deadBytes = ({ length, liveBytes }: LogState) => length - HEADER_BYTES - liveBytes;

/** Copies the live rows to the other file. Until that is durable, this file stays in use. */
function rewrite(state: LogState): void {
  const { files, sha256, active } = state;
  const next = active === 0 ? 1 : 0;
  const id = state.randomBytes(CHAIN_BYTES);
  const rows = [...state.rows];
  const changes = rows.map(([key]): StoreChange => ({ key, bytes: readRow(state, key) }));
  const record = encodeRecord(changes, id, sha256);
  const length = HEADER_BYTES + record.bytes.length;
  const generation = state.generation + 1;
  try {
    // Flush, because old bytes after a new header would look like damage.
    files.logs[next].truncate(0);
    files.logs[next].flush();
    writeAll(files.logs[next], record.bytes, HEADER_BYTES);
    writeAll(files.logs[next], encodeHeader({ generation, copiedEnd: length, id }, sha256), 0);
    files.logs[next].flush();
  } catch (cause) {
    // If the new log could be durable, a later open would prefer it to this one.
    const removed = attempt(() => {
      files.logs[next].truncate(0);
      files.logs[next].flush();
    });
    if (!removed) state.broken = unknown(cause);
    throw cause;
  }
  Object.assign(state, { active: next, generation, length, chain: record.chain, deadBytesKept: 0 });
  rows.forEach(([key, row], at) => {
    state.rows.set(key, { ...row, offset: HEADER_BYTES + (record.valueAt[at] as number) });
  });
  attempt(() => mark(state));
  attempt(() => files.logs[active].truncate(0));
}

/** @throws FixpointError CORRUPT */
export function readRow(state: LogState, key: string, from = 0, most = Number.POSITIVE_INFINITY) {
  // The rows may include writes that weren't acknowledged.
  if (state.broken !== undefined) throw state.broken;
  const row = state.rows.get(key);
  if (row === undefined) return undefined;
  const at = Math.min(from, row.length);
  const bytes = new Uint8Array(Math.min(most, row.length - at));
  if (state.files.logs[state.active].read(bytes, row.offset + at) < bytes.length)
    throw new FixpointError('CORRUPT', 'the log became shorter');
  return bytes;
}

/** Removes everything, so that the log is opened as a new one. @throws errors of the files */
export function emptyLog({ files }: Pick<LogParts, 'files'>): void {
  for (const file of [...files.logs, files.marker]) {
    file.truncate(0);
    file.flush();
  }
}

export function closeLog({ files }: Pick<LogParts, 'files'>): void {
  for (const file of [...files.logs, files.marker]) attempt(() => file.close());
}

/** Removes a record that was written in part, so that no reader applies it. */
function cutBack(state: LogState, cause: unknown): void {
  if (!attempt(() => state.files.logs[state.active].truncate(state.length))) state.broken = unknown(cause);
}

const mark = ({ files, sha256, ...marker }: LogState) =>
  writeAll(files.marker, encodeMarker(marker, sha256), 0);

const unknown = (cause: unknown) => new FixpointError('STORE_FAILED', 'reopen the database', { cause });

function contentOf(file: SyncFile): Uint8Array {
  const bytes = new Uint8Array(file.size());
  return bytes.subarray(0, file.read(bytes, 0));
}

function writeAll(file: SyncFile, bytes: Uint8Array, from: number): void {
  // A browser writes fewer bytes than asked only if there is no space for the rest. Private windows
  // of Chromium 156 then return 4,294,967,288, which is an error code, -8.
  if (file.write(bytes, from) !== bytes.length) throw new FixpointError('STORE_FULL');
}

/** Returns whether the work succeeded. */
export function attempt(work: () => void): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}
