/** Reads the rows of a log from its bytes. */
import { FixpointError } from '@fixpoint/protocol';
import type { OpenFile } from '../../../ports/file-system.ts';
import {
  changesOf,
  decodeHeader,
  decodeMarker,
  HEADER_BYTES,
  isLater,
  type LogName,
  recordAt,
} from './log-format.ts';

/**
 * In the row with this key, a process records how far it has read the logs of other processes. The
 * value contains for each log: 1 byte number, 1 byte generation, 6 bytes length.
 */
export const SEEN_KEY = '\0seen';
const SEEN_BYTES = 8;

/** The position up to which a log was read. */
export type Position = Pick<LogContent, 'length'> & { readonly generation: number };

export function encodeSeen(positions: Iterable<readonly [number, Position]>): Buffer {
  return Buffer.concat(
    [...positions].map(([slot, { generation, length }]) => {
      const entry = Buffer.of(slot, generation, 0, 0, 0, 0, 0, 0);
      entry.writeUIntBE(length, 2, 6);
      return entry;
    }),
  );
}

/** Returns whether this process has read at least as much of each log as `seen` records. */
export function isWithin(seen: Buffer, here: (slot: number) => Position | undefined): boolean {
  for (let at = 0; at + SEEN_BYTES <= seen.length; at += SEEN_BYTES) {
    const position = here(seen.readUInt8(at));
    const generation = seen.readUInt8(at + 1);
    if (position === undefined || isLater(generation, position.generation)) return false;
    if (position.generation === generation && position.length < seen.readUIntBE(at + 2, 6)) return false;
  }
  return true;
}

/**
 * When a log is read, values up to this size stay in memory. Pointers to long values are an
 * example.
 */
const SHORT_BYTES_MAX = 64;

/** Where a value is stored. */
export interface Row {
  readonly file: OpenFile;
  readonly offset: number;
  readonly length: number;
  readonly time: number;
  /**
   * The value itself, if it has at most 64 bytes, or if this process wrote it and it has at most
   * 1,024.
   */
  readonly value?: Uint8Array | undefined;
}

export interface LogContent {
  readonly name: LogName;
  readonly rows: Map<string, Row>;
  /** The end of the last whole record, and its chain. */
  readonly length: number;
  readonly chain: Buffer;
  /** The highest time of a change in the log. */
  readonly time: number;
}

/**
 * Reads the log with this number, and checks it as log-format.ts describes.
 * @throws FixpointError CORRUPT, FORMAT_NEWER
 */
export function readLog(
  bytes: Buffer,
  slot: number,
  markerBytes: Uint8Array | undefined,
  file: OpenFile,
): LogContent {
  const name = decodeHeader(bytes);
  if (name === undefined) throw new FixpointError('CORRUPT', 'the log has no header of this version');
  if (name.slot !== slot) throw new FixpointError('CORRUPT', 'the log is in the place of another one');
  const marker = markerBytes && decodeMarker(Buffer.from(markerBytes));
  if (marker !== undefined && isLater(marker.generation, name.generation))
    throw new FixpointError('CORRUPT', 'the log is an older copy');
  const promised = marker?.id.equals(name.id) === true ? marker : undefined;
  const start = { name, rows: new Map(), length: HEADER_BYTES, chain: name.id, time: 0 };
  let promiseKept =
    promised === undefined || (promised.length === HEADER_BYTES && promised.chain.equals(name.id));
  const content = readOn(start, bytes, 0, file, (length, chain) => {
    if (promised?.length === length && promised.chain.equals(chain)) promiseKept = true;
  });
  if (!promiseKept) throw new FixpointError('CORRUPT', 'the log is damaged or was shortened');
  return content;
}

/**
 * Reads the whole records that follow those in `before`, and stops at the first record that builds
 * on a record that this process hasn't read. `bytes` begins at `from` in the log. Changes the rows
 * of `before` in place.
 */
export function readOn(
  before: LogContent,
  bytes: Buffer,
  from: number,
  file: OpenFile,
  each?: (length: number, chain: Buffer) => void,
  isSeen: (seen: Buffer) => boolean = () => true,
): LogContent {
  const { rows } = before;
  let { length, chain, time } = before;
  for (
    let record = recordAt(bytes, length - from, chain);
    record !== undefined;
    record = recordAt(bytes, length - from, chain)
  ) {
    const changes = [...changesOf(bytes, record)];
    const seen = changes.find(({ key }) => key === SEEN_KEY);
    if (seen !== undefined && !isSeen(bytes.subarray(seen.offset, seen.offset + seen.length))) break;
    for (const change of changes) {
      rows.delete(change.key);
      if (change.put) {
        const { offset, length: size } = change;
        const value =
          size > SHORT_BYTES_MAX ? undefined : Uint8Array.from(bytes.subarray(offset, offset + size));
        rows.set(change.key, { file, offset: offset + from, length: size, time: change.time, value });
      }
      if (change.time > time) time = change.time;
    }
    chain = Buffer.from(record.chain);
    length = record.end + from;
    each?.(length, chain);
  }
  return { ...before, length, chain, time };
}
