/** Shows members what a server withholds: rules N3 and N4 of docs/internals/membership-rules.md. */
import { bytesOfHex, type EntryId } from '@fixpoint/protocol/storage';
import { concatBytes, utf8 } from '../base/bytes.ts';
import { encode } from '../codec/dag-cbor.ts';
import { sha256 } from '../codec/sha256.ts';
import type { Membership } from './evaluate.ts';

/** How far the time that news claims may be ahead of its arrival. */
const AHEAD_MAX_MS = 600_000;

/** An entry, event or greeting of a person. */
export interface News {
  /** The time that its author claims, in milliseconds since 1970. */
  readonly claimedMs: number;
  /** When this device received it for the first time. */
  readonly receivedMs: number;
}

/** Returns when a person was heard last: the earlier time of each of their news counts (N3). */
export const heardAt = (news: readonly News[]): number | undefined =>
  news.length === 0
    ? undefined
    : news.reduce((last, { claimedMs, receivedMs }) => Math.max(last, Math.min(claimedMs, receivedMs)), 0);

/** Returns whether news claims a time that hadn't come yet when it arrived. */
export const isFromFuture = ({ claimedMs, receivedMs }: News): boolean =>
  claimedMs > receivedMs + AHEAD_MAX_MS;

const PURPOSE = 'fixpoint safety 1';
const NUMBER_BYTES = 25;
const DIGITS = 60;

/**
 * Returns the safety number of a log: 60 digits that are equal on two devices only if they know the
 * same members and the same heads (N4).
 * @param ledger see `ledgerBytes`
 * @param start the id of the first entry
 */
export function safetyNumberOf({ members, heads }: Membership, ledger: Uint8Array, start: EntryId): string {
  const listed = members.map(({ person, role, devices, codes }) => [
    bytesOfHex(person),
    role,
    [...devices, ...codes].sort().map(bytesOfHex),
  ]);
  const content = encode([ledger, bytesOfHex(start), heads.map(bytesOfHex), listed]);
  const digest = sha256(concatBytes([utf8(PURPOSE), content])).subarray(0, NUMBER_BYTES);
  const number = digest.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  return (number % 10n ** BigInt(DIGITS)).toString().padStart(DIGITS, '0');
}
