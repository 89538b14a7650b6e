/**
 * The format of a store in OPFS, which has two logs, of which one is in use, and a marker.
 *
 *   header   16 bytes  "fixpoint-opfs-1", zero
 *             4 bytes  generation, which increases with each rewrite
 *             6 bytes  end of the rows that the rewrite copied
 *            16 bytes  random id of this log
 *             6 bytes  zeros
 *            16 bytes  first half of sha-256 of the bytes above
 *   record    4 bytes  length of the payload
 *            16 bytes  chain: first half of sha-256(chain of the previous record, payload); the
 *                      first record has the log's id in place of that chain
 *             payload  changes: 2 bytes key length, key, 1 byte kind (0 remove, 1 put),
 *                      4 bytes value length, value
 *   marker    4 bytes  generation
 *             6 bytes  durable length
 *            16 bytes  chain at that length
 *            16 bytes  first half of sha-256 of the bytes above
 *
 * Numbers are big-endian. One record is one write, and readers apply all of its changes or none.
 */
import { FixpointError } from '@fixpoint/protocol';
import { concatBytes, equalBytes, textOf, utf8 } from '../../base/bytes.ts';
import type { StoreChange } from '../../ports/byte-store.ts';

export const HEADER_BYTES = 64;
const RECORD_HEAD_BYTES = 20;
export const CHAIN_BYTES = 16;
const PAYLOAD_BYTES_MAX = 2 ** 32 - 1;
const MARKER_BYTES = 42;
const MAGIC = utf8('fixpoint-opfs-1\0');
const [REMOVE, PUT] = [0, 1];

export type Sha256 = (bytes: Uint8Array) => Uint8Array;

export interface Header {
  readonly generation: number;
  /** The length of a log whose rewrite is complete. */
  readonly copiedEnd: number;
  readonly id: Uint8Array;
}

export interface Marker {
  readonly generation: number;
  readonly length: number;
  readonly chain: Uint8Array;
}

export interface RowChange {
  readonly key: string;
  readonly isPut: boolean;
  readonly offset: number;
  readonly length: number;
}

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

const setUint48 = (view: DataView, at: number, value: number) => {
  view.setUint16(at, Math.floor(value / 2 ** 32));
  view.setUint32(at + 2, value % 2 ** 32);
};
const uint48 = (view: DataView, at: number) => view.getUint16(at) * 2 ** 32 + view.getUint32(at + 2);

/** Writes the hash of all bytes before the last 16 into these. */
const seal = (bytes: Uint8Array, sha256: Sha256) => {
  const end = bytes.length - CHAIN_BYTES;
  bytes.set(sha256(bytes.subarray(0, end)).subarray(0, CHAIN_BYTES), end);
  return bytes;
};
const isSealed = (bytes: Uint8Array, length: number, sha256: Sha256) =>
  bytes.length >= length && equalBytes(seal(bytes.slice(0, length), sha256), bytes.subarray(0, length));

export function encodeHeader({ generation, copiedEnd, id }: Header, sha256: Sha256): Uint8Array {
  const bytes = new Uint8Array(HEADER_BYTES);
  bytes.set(MAGIC);
  viewOf(bytes).setUint32(16, generation);
  setUint48(viewOf(bytes), 20, copiedEnd);
  bytes.set(id, 26);
  return seal(bytes, sha256);
}

/** Returns undefined if the bytes don't begin with a header of this version. */
export function decodeHeader(bytes: Uint8Array, sha256: Sha256): Header | undefined {
  if (!isSealed(bytes, HEADER_BYTES, sha256)) return undefined;
  if (!equalBytes(bytes.subarray(0, MAGIC.length), MAGIC)) return undefined;
  const view = viewOf(bytes);
  return { generation: view.getUint32(16), copiedEnd: uint48(view, 20), id: bytes.slice(26, 42) };
}

export function encodeMarker({ generation, length, chain }: Marker, sha256: Sha256): Uint8Array {
  const bytes = new Uint8Array(MARKER_BYTES);
  viewOf(bytes).setUint32(0, generation);
  setUint48(viewOf(bytes), 4, length);
  bytes.set(chain, 10);
  return seal(bytes, sha256);
}

/** Returns undefined if the marker is damaged, or was never written. */
export function decodeMarker(bytes: Uint8Array, sha256: Sha256): Marker | undefined {
  if (!isSealed(bytes, MARKER_BYTES, sha256)) return undefined;
  const view = viewOf(bytes);
  return { generation: view.getUint32(0), length: uint48(view, 4), chain: bytes.slice(10, 26) };
}

/**
 * Returns the record, its chain, and for each change the offset in the record of its value.
 * @throws FixpointError LIMIT_REACHED if the payload is longer than 4 bytes can say
 */
export function encodeRecord(changes: readonly StoreChange[], chainBefore: Uint8Array, sha256: Sha256) {
  const parts: Uint8Array[] = [new Uint8Array(4), chainBefore];
  const valueAt: number[] = [];
  let end = RECORD_HEAD_BYTES;
  for (const { key, bytes } of changes) {
    const name = utf8(key);
    const head = new Uint8Array(name.length + 7);
    const view = viewOf(head);
    view.setUint16(0, name.length);
    head.set(name, 2);
    view.setUint8(name.length + 2, bytes === undefined ? REMOVE : PUT);
    view.setUint32(name.length + 3, bytes?.length ?? 0);
    parts.push(head);
    end += head.length;
    valueAt.push(end);
    if (bytes === undefined) continue;
    parts.push(bytes);
    end += bytes.length;
  }
  if (end - RECORD_HEAD_BYTES > PAYLOAD_BYTES_MAX)
    throw new FixpointError('LIMIT_REACHED', 'one write of 4 GiB or more');
  const record = concatBytes(parts);
  viewOf(record).setUint32(0, end - RECORD_HEAD_BYTES);
  const chain = sha256(record.subarray(4)).slice(0, CHAIN_BYTES);
  record.set(chain, 4);
  return { bytes: record, chain, valueAt };
}

/** Returns the record that starts at `at`, or undefined if there is no whole record. */
export function recordAt(log: Uint8Array, at: number, chainBefore: Uint8Array, sha256: Sha256) {
  if (at + RECORD_HEAD_BYTES > log.length) return undefined;
  const end = at + RECORD_HEAD_BYTES + viewOf(log).getUint32(at);
  if (end > log.length) return undefined;
  const input = log.slice(at + 4, end);
  const chain = input.slice(0, CHAIN_BYTES);
  input.set(chainBefore);
  const isWhole = equalBytes(sha256(input).subarray(0, CHAIN_BYTES), chain);
  return isWhole ? { chain, payloadAt: at + RECORD_HEAD_BYTES, end } : undefined;
}

/** Yields the changes of a whole record, with the positions of their values in the log. */
export function* changesOf(
  log: Uint8Array,
  { payloadAt, end }: { readonly payloadAt: number; readonly end: number },
): Iterable<RowChange> {
  const view = viewOf(log);
  for (let at = payloadAt; at < end; ) {
    const nameEnd = at + 2 + view.getUint16(at);
    const key = textOf(log.subarray(at + 2, nameEnd));
    const length = view.getUint32(nameEnd + 1);
    yield { key, isPut: view.getUint8(nameEnd) === PUT, offset: nameEnd + 5, length };
    at = nameEnd + 5 + length;
  }
}
