/**
 * The format of the logs of a database in Node. Processes that have the database open at the same
 * time write separate logs; see log-store.ts.
 *
 *   header   14 bytes  "fixpoint-log-2"; in version 1 "fixpoint-log-1\n\0",
 *                      which means log number 0, generation 0
 *             1 byte   number of the log in its folder
 *             1 byte   generation: increases by one (modulo 256) when the log is rewritten
 *            16 bytes  random id of this log
 *            16 bytes  first half of sha-256 of the bytes above
 *   record    4 bytes  length of the payload, big-endian
 *            16 bytes  chain: first half of sha-256(chain of the previous record, payload);
 *                      the first record has the log's id in place of that chain
 *             payload  changes: 2 bytes key length, key,
 *                      1 byte kind (0 remove, 1 put at time 0, 2 put), 6 bytes time (kind 2 only),
 *                      4 bytes value length, value
 *
 * One record is one write, and readers apply all of its changes or none. Next to the log is a
 * marker file, which is written after each record has become durable:
 *
 *   marker   16 bytes  log id
 *             1 byte   generation
 *             7 bytes  durable length
 *            16 bytes  chain at that length
 *            16 bytes  first half of sha-256 of the bytes above
 *
 * A reader applies all records up to the last whole one. Only zeros that were written ahead, or a
 * torn record that was never acknowledged, can follow that record. If the marker contains a greater
 * length, the log is damaged. A log of an earlier generation than its marker is an older copy,
 * which is damage, too. Readers ignore a marker that is damaged or has an earlier generation than
 * its log.
 */
import { createHash, hash } from 'node:crypto';
import { FixpointError } from '@fixpoint/protocol';

export const HEADER_BYTES = 48;
const RECORD_HEAD_BYTES = 20;
const MARKER_BYTES = 56;
const TIME_BYTES = 6;
const CHAIN_BYTES = 16;
const CHAIN_AT = 4;
const [REMOVE, PUT_AT_ZERO, PUT] = [0, 1, 2];
const FAMILY = Buffer.from('fixpoint-log-', 'latin1');
const MAGIC = Buffer.from('fixpoint-log-2', 'latin1');
const MAGIC_1 = Buffer.from('fixpoint-log-1\n\0', 'latin1');

/** The header fields that identify a log. */
export interface LogName {
  readonly slot: number;
  readonly generation: number;
  readonly id: Buffer;
  readonly version: 1 | 2;
}

/**
 * A change of one key. `time`, a Lamport number, orders the change among the changes in other logs.
 */
export interface TimedChange {
  readonly key: string;
  /** Undefined removes the key. */
  readonly bytes: Uint8Array | undefined;
  readonly time: number;
}

export interface Record {
  readonly chain: Buffer;
  readonly payloadAt: number;
  readonly end: number;
}

export interface Marker {
  readonly id: Buffer;
  readonly generation: number;
  readonly length: number;
  readonly chain: Buffer;
}

const half = (bytes: Uint8Array): Buffer =>
  Buffer.from(hash('sha256', bytes, 'binary').slice(0, CHAIN_BYTES), 'binary');

export function encodeHeader({ slot, generation, id }: Omit<LogName, 'version'>): Buffer {
  const body = Buffer.concat([MAGIC, Buffer.of(slot, generation), id]);
  return Buffer.concat([body, half(body)]);
}

/**
 * Decodes a header. Returns undefined when the bytes aren't a header.
 * @throws FixpointError FORMAT_NEWER
 */
export function decodeHeader(bytes: Buffer): LogName | undefined {
  const body = bytes.subarray(0, HEADER_BYTES - 16);
  if (bytes.length < HEADER_BYTES || !half(body).equals(bytes.subarray(body.length, HEADER_BYTES)))
    return undefined;
  const id = Buffer.from(bytes.subarray(16, 32));
  const at = (offset: number) => bytes.readUInt8(offset);
  if (body.subarray(0, MAGIC.length).equals(MAGIC))
    return { slot: at(14), generation: at(15), id, version: 2 };
  if (body.subarray(0, MAGIC_1.length).equals(MAGIC_1)) return { slot: 0, generation: 0, id, version: 1 };
  if (body.subarray(0, FAMILY.length).equals(FAMILY)) throw new FixpointError('FORMAT_NEWER', 'log');
  return undefined;
}

/** Returns the record, and for each change the offset in the record where its value starts. */
export function encodeRecord(changes: readonly TimedChange[], chainBefore: Uint8Array) {
  let end = RECORD_HEAD_BYTES;
  for (const { key, bytes } of changes)
    end += 2 + Buffer.byteLength(key) + 5 + (bytes === undefined ? 0 : TIME_BYTES + bytes.length);
  const record = Buffer.allocUnsafe(end);
  const valueAt: number[] = [];
  let at = RECORD_HEAD_BYTES;
  for (const { key, bytes, time } of changes) {
    const nameBytes = record.write(key, at + 2);
    record.writeUInt16BE(nameBytes, at);
    at = record.writeUInt8(bytes === undefined ? REMOVE : PUT, at + 2 + nameBytes);
    if (bytes !== undefined) at = record.writeUIntBE(time, at, TIME_BYTES);
    at = record.writeUInt32BE(bytes?.length ?? 0, at);
    valueAt.push(at);
    if (bytes === undefined) continue;
    record.set(bytes, at);
    at += bytes.length;
  }
  record.writeUInt32BE(end - RECORD_HEAD_BYTES, 0);
  // Putting the previous chain in place of the new one makes the input of the hash contiguous.
  record.set(chainBefore, CHAIN_AT);
  const chain = half(record.subarray(CHAIN_AT));
  record.set(chain, CHAIN_AT);
  return { bytes: record, chain, valueAt };
}

/** Returns the record that starts at `at`, or undefined when there is no whole record. */
export function recordAt(log: Buffer, at: number, chainBefore: Uint8Array): Record | undefined {
  if (at + RECORD_HEAD_BYTES > log.length) return undefined;
  const payloadAt = at + RECORD_HEAD_BYTES;
  const end = payloadAt + log.readUInt32BE(at);
  if (end > log.length) return undefined;
  const chain = log.subarray(at + CHAIN_AT, payloadAt);
  const found = createHash('sha256').update(chainBefore).update(log.subarray(payloadAt, end)).digest();
  return found.subarray(0, CHAIN_BYTES).equals(chain) ? { chain, payloadAt, end } : undefined;
}

/**
 * Returns where the zeros after the last record begin, or undefined if the bytes end before that.
 * `bytes` must begin with a record.
 */
export function endOfRecords(bytes: Buffer): number | undefined {
  for (let at = 0; at + RECORD_HEAD_BYTES <= bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    if (length === 0) return at;
    at += RECORD_HEAD_BYTES + length;
  }
  return undefined;
}

/** Yields the changes of a whole record, with the positions of their values in the log. */
export function* changesOf(log: Buffer, { payloadAt, end }: Record) {
  for (let at = payloadAt; at < end; ) {
    const nameEnd = at + 2 + log.readUInt16BE(at);
    const key = log.toString('utf8', at + 2, nameEnd);
    const kind = log.readUInt8(nameEnd);
    const timeBytes = kind === PUT ? TIME_BYTES : 0;
    const time = timeBytes > 0 ? log.readUIntBE(nameEnd + 1, TIME_BYTES) : 0;
    const offset = nameEnd + 5 + timeBytes;
    const length = log.readUInt32BE(offset - 4);
    yield { key, put: kind === PUT || kind === PUT_AT_ZERO, time, offset, length };
    at = offset + length;
  }
}

export function encodeMarker({ id, generation, length, chain }: Marker): Buffer {
  const bytes = Buffer.alloc(MARKER_BYTES);
  bytes.set(id, 0);
  bytes.writeUIntBE(length, 18, 6);
  bytes.writeUInt8(generation, 16);
  bytes.set(chain, 24);
  bytes.set(half(bytes.subarray(0, 40)), 40);
  return bytes;
}

export function decodeMarker(bytes: Buffer): Marker | undefined {
  if (bytes.length !== MARKER_BYTES || !half(bytes.subarray(0, 40)).equals(bytes.subarray(40)))
    return undefined;
  return {
    id: bytes.subarray(0, 16),
    generation: bytes.readUInt8(16),
    length: Number(bytes.readBigUInt64BE(16) & 0xff_ffff_ffff_ffffn),
    chain: bytes.subarray(24, 40),
  };
}

/** Returns whether `generation` follows `than`. The two are at most 127 apart. */
export const isLater = (generation: number, than: number): boolean => {
  const ahead = (generation - than + 256) % 256;
  return ahead > 0 && ahead < 128;
};
