/**
 * The log of a database in Node.
 *
 *   header   16 bytes  "fixpoint-log-1\n\0"
 *            16 bytes  random id of this log
 *            16 bytes  first half of sha-256 of what stands before
 *   record    4 bytes  length of the payload, big-endian
 *            16 bytes  chain: first half of sha-256(chain of the record before, payload); before the first record: the log's id
 *             payload  changes: 2 bytes key length, key, 1 byte (1 put, 0 remove), 4 bytes value length, value
 *
 * One record is one write: all of its changes or none. Beside the log lies a marker, written after each record became durable:
 *
 *   marker   16 bytes log id, 8 bytes durable length, 16 bytes chain there, 16 bytes first half of sha-256 of what stands before
 *
 * A reader takes records as long as they are whole. What follows the last whole record is a torn tail, which nobody was promised, only if the marker
 * does not reach beyond it and no whole record follows; anything else is damage. A marker that is damaged itself, or that belongs to another log, says nothing.
 */
import { createHash } from 'node:crypto';
import type { StoreChange } from '../../ports/byte-store.ts';

export const HEADER_BYTES = 48;
export const RECORD_HEAD_BYTES = 20;
export const MARKER_BYTES = 56;
const MAGIC = Buffer.from('fixpoint-log-1\n\0', 'latin1');

export interface Record {
  readonly chain: Buffer;
  readonly payloadAt: number;
  readonly end: number;
}

export interface Marker {
  readonly id: Buffer;
  readonly length: number;
  readonly chain: Buffer;
}

const half = (...parts: Uint8Array[]): Buffer => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest().subarray(0, 16);
};

export const encodeHeader = (id: Uint8Array): Buffer => Buffer.concat([MAGIC, id, half(MAGIC, id)]);

/** The id of the log, or undefined when the bytes are no header of this version. */
export function decodeHeader(bytes: Buffer): Buffer | undefined {
  const id = bytes.subarray(MAGIC.length, MAGIC.length + 16);
  const whole = bytes.length >= HEADER_BYTES && bytes.subarray(0, HEADER_BYTES).equals(encodeHeader(id));
  return whole ? Buffer.from(id) : undefined;
}

/** The record, and where in it each value starts, by the position of the change. */
export function encodeRecord(changes: readonly StoreChange[], chainBefore: Uint8Array) {
  const parts: Buffer[] = [];
  const valueAt: number[] = [];
  let size = 0;
  const push = (part: Buffer) => {
    parts.push(part);
    size += part.length;
  };
  for (const { key, bytes } of changes) {
    const name = Buffer.from(key, 'utf8');
    const head = Buffer.alloc(2 + name.length + 5);
    head.writeUInt16BE(name.length, 0);
    name.copy(head, 2);
    head.writeUInt8(bytes === undefined ? 0 : 1, 2 + name.length);
    head.writeUInt32BE(bytes?.length ?? 0, 3 + name.length);
    push(head);
    valueAt.push(RECORD_HEAD_BYTES + size);
    if (bytes !== undefined) push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  }
  const payload = Buffer.concat(parts, size);
  const chain = half(chainBefore, payload);
  const head = Buffer.alloc(4);
  head.writeUInt32BE(size, 0);
  return { bytes: Buffer.concat([head, chain, payload]), chain, valueAt };
}

/** The record that starts at `at`, or undefined when there is no whole one. */
export function recordAt(log: Buffer, at: number, chainBefore: Uint8Array): Record | undefined {
  if (at + RECORD_HEAD_BYTES > log.length) return undefined;
  const payloadAt = at + RECORD_HEAD_BYTES;
  const end = payloadAt + log.readUInt32BE(at);
  if (end > log.length) return undefined;
  const chain = log.subarray(at + 4, payloadAt);
  return half(chainBefore, log.subarray(payloadAt, end)).equals(chain)
    ? { chain, payloadAt, end }
    : undefined;
}

/** The changes of a whole record, with the places of their values in the log. */
export function* changesOf(log: Buffer, { payloadAt, end }: Record) {
  for (let at = payloadAt; at < end; ) {
    const nameEnd = at + 2 + log.readUInt16BE(at);
    const key = log.toString('utf8', at + 2, nameEnd);
    const put = log.readUInt8(nameEnd) === 1;
    const offset = nameEnd + 5;
    const length = log.readUInt32BE(nameEnd + 1);
    yield { key, put, offset, length };
    at = offset + length;
  }
}

export function encodeMarker({ id, length, chain }: Marker): Buffer {
  const size = Buffer.alloc(8);
  size.writeBigUInt64BE(BigInt(length));
  const body = Buffer.concat([id, size, chain]);
  return Buffer.concat([body, half(body)]);
}

export function decodeMarker(bytes: Buffer): Marker | undefined {
  if (bytes.length !== MARKER_BYTES || !half(bytes.subarray(0, 40)).equals(bytes.subarray(40)))
    return undefined;
  return {
    id: bytes.subarray(0, 16),
    length: Number(bytes.readBigUInt64BE(16)),
    chain: bytes.subarray(24, 40),
  };
}
