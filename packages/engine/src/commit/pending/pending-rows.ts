/**
 * The rows of pending writes. A pending write is durable and acknowledged, but no commit contains
 * it yet. Each row has the key `pending/<writer>/<number>` and contains one or more writes. It is a
 * DAG-CBOR list of three items: the head that the writer knew, as texts; a list of `[id, document
 * block]`, with null as the block of a deletion; and the time of the write. The commit that
 * contains the writes removes their row in the same step.
 */
import { FixpointError } from '@fixpoint/protocol';
import { type Head, sortHead } from '../../clock/event.ts';
import { blockOf } from '../../codec/block.ts';
import { parseCid } from '../../codec/cid.ts';
import { decode, encode } from '../../codec/dag-cbor.ts';
import { parseDocKey } from '../../documents/doc-key.ts';
import { decodeDocument, TOMBSTONE } from '../../documents/encode.ts';
import { PENDING } from '../../store/names.ts';
import type { Operation } from '../write-queue.ts';

export interface PendingRow {
  readonly key: string;
  readonly operations: readonly Operation[];
  /** The head that the writer knew. */
  readonly known: Head;
  /** When the newest write of the row was made, in ms since 1970 by the clock of the writer. */
  readonly timeMs: number;
}

const DIGITS = 17;

/** Keys of one writer sort in the order of its writes. */
export const pendingKey = (writer: string, number: number): string =>
  `${PENDING}${writer}/${String(number).padStart(DIGITS, '0')}`;

export const writerOf = (key: string): string => key.slice(PENDING.length, key.lastIndexOf('/'));

export const numberOf = (key: string): number => Number(key.slice(key.lastIndexOf('/') + 1));

export const encodePending = (operations: readonly Operation[], known: Head, timeMs: number): Uint8Array =>
  encode([
    known,
    operations.map(({ key, value }) => [key, value.cid === TOMBSTONE.cid ? null : value.bytes]),
    timeMs,
  ]);

/** @throws FixpointError CORRUPT */
export function decodePending(key: string, bytes: Uint8Array): PendingRow {
  try {
    const row = decode(bytes);
    const [known, writes, timeMs] = Array.isArray(row) ? row : [];
    if (!Array.isArray(known) || !Array.isArray(writes) || typeof timeMs !== 'number')
      throw new Error('not a head, writes and a time');
    return { key, operations: writes.map(operationOf), known: sortHead(known.map(parseCid)), timeMs };
  } catch (cause) {
    throw new FixpointError('CORRUPT', `the row ${key} of pending writes`, { cause });
  }
}

function operationOf(write: unknown): Operation {
  const [id, bytes] = Array.isArray(write) ? write : [];
  const key = parseDocKey(id);
  if (bytes === null) return { key, value: TOMBSTONE };
  if (!(bytes instanceof Uint8Array)) throw new Error('not a block');
  decodeDocument(bytes);
  return { key, value: blockOf(bytes) };
}
