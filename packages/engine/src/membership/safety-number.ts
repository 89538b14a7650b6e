import type { EntryId } from '@fixpoint/protocol/storage';
import { concatBytes, utf8 } from '../base/bytes.ts';
import { encode } from '../codec/dag-cbor.ts';
import { sha256 } from '../codec/sha256.ts';
import type { Membership } from './evaluate.ts';

const PURPOSE = 'fixpoint safety 1';
const NUMBER_BYTES = 25;
const DIGITS = 60;

const bytesOf = (digits: string): Uint8Array =>
  Uint8Array.from(digits.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));

/**
 * Returns the safety number of a log: 60 digits that are equal on two devices only if they know the
 * same members and the same heads (N4).
 * @param ledger see `ledgerBytes`
 * @param start the id of the first entry
 */
export function safetyNumberOf({ members, heads }: Membership, ledger: Uint8Array, start: EntryId): string {
  const listed = members.map(({ person, role, devices, codes }) => [
    bytesOf(person),
    role,
    [...devices, ...codes].sort().map(bytesOf),
  ]);
  const content = encode([ledger, bytesOf(start), heads.map(bytesOf), listed]);
  const digest = sha256(concatBytes([utf8(PURPOSE), content])).subarray(0, NUMBER_BYTES);
  const number = digest.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  return (number % 10n ** BigInt(DIGITS)).toString().padStart(DIGITS, '0');
}
