/** What the bytes of a log say. */
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
 * The row in which a process says how far it had read the logs of others: for each 1 byte number, 1
 * byte generation, 6 bytes length.
 */
export const SEEN_KEY = '\0seen';
const SEEN_BYTES = 8;

/** How far a log was read. */
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

/** Whether all that was seen is here too. */
export function isWithin(seen: Buffer, here: (slot: number) => Position | undefined): boolean {
  for (let at = 0; at + SEEN_BYTES <= seen.length; at += SEEN_BYTES) {
    const position = here(seen.readUInt8(at));
    const generation = seen.readUInt8(at + 1);
    if (position === undefined || isLater(generation, position.generation)) return false;
    if (position.generation === generation && position.length < seen.readUIntBE(at + 2, 6)) return false;
  }
  return true;
}

/** Values of at most this are kept when a log is read: pointers to long values are such. */
const SHORT_BYTES_MAX = 64;

/** Where a value lies. */
export interface Row {
  readonly file: OpenFile;
  readonly offset: number;
  readonly length: number;
  readonly time: number;
  /** The value itself, when it is short, or small and written by this process. */
  readonly value?: Uint8Array | undefined;
}

export interface LogContent {
  readonly name: LogName;
  readonly rows: Map<string, Row>;
  /** Where the last whole record ends, and its chain. */
  readonly length: number;
  readonly chain: Buffer;
  /** The highest time in it. */
  readonly time: number;
}

/**
 * The content of the log of that number, by the rules of the format.
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
  if (name.slot !== slot) throw new FixpointError('CORRUPT', 'the log stands in the place of another one');
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
 * Takes the whole records that follow what was read before, up to one that builds on what this
 * process has not seen; `bytes` begins at `from` in the log. The rows of `before` are changed in
 * place.
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
