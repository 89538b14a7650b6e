/**
 * Records of the `keys` list of a sealed ledger: `docs/internals/sealed-ledgers.md`, "Key records".
 */
import { FixpointError } from '@fixpoint/protocol';
import { type KeyRecord, RECORD_CHARS_MAX, recordText } from '@fixpoint/protocol/storage';
import { encode } from '../codec/dag-cbor.ts';

/**
 * Maximum number of devices and recovery codes of a ledger. A rotation lists all of them in one
 * record.
 */
export const MEMBERS_MAX = 200;

/**
 * Encodes a record.
 * @throws FixpointError LIMIT_REACHED when it is longer than the gateway accepts
 */
export function encodeRecord(record: KeyRecord): string {
  const text = recordText(encode({ ...record }));
  if (text.length > RECORD_CHARS_MAX) throw new FixpointError('LIMIT_REACHED', 'devices of one ledger');
  return text;
}
