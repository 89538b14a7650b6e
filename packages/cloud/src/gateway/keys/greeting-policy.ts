/**
 * Decides which greetings may be put into the key list of a sealed ledger
 * (docs/internals/membership-rules.md, N2). The list keeps only the newest greeting of each seat.
 */
import { createHash } from 'node:crypto';
import { FixpointError } from '@fixpoint/protocol';
import {
  decodeEntry,
  introducedBy,
  isGreetingText,
  isSignedBy,
  isSignedGreeting,
  ledgerBytes,
  type ReadGreeting,
  readGreeting,
  type SeatName,
} from '@fixpoint/protocol/storage';
import type { LedgerKeyList } from '../../tables/sync/ledger-key-rows.ts';
import type { LedgerId } from '../../tables/sync/meta-rows.ts';

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest();

/** The greeting of one put. */
export interface GreetingPolicy {
  /**
   * Compares the greeting with the stored list. Returns the texts that it replaces; undefined if
   * the list has a newer one of the same seat.
   * @throws FixpointError CONFLICT
   */
  check(list: LedgerKeyList): readonly string[] | undefined;
  /** Returns the name of the seat of this greeting; undefined for other texts. */
  seatOf(keyText: string): string | undefined;
}

const nameOf = ({ key, entry }: SeatName): string => `${key}/${entry}`;

/**
 * Checks the greeting of a put, before the key list is locked. Returns undefined if the put has
 * none, or one that the list has.
 * @param takeTurn counts a put of a new greeting
 * @throws FixpointError REQUEST_INVALID, CONFLICT
 */
export async function greetingPolicy(
  { tenant, ledger }: LedgerId,
  keys: readonly string[],
  list: LedgerKeyList,
  takeTurn: () => void,
): Promise<GreetingPolicy | undefined> {
  const [text, ...others] = new Set(keys.filter(isGreetingText));
  if (text === undefined || list.keys.includes(text)) return undefined;
  if (others.length > 0) refuse('only one greeting in a request');
  const read = readGreeting(text);
  if (read === undefined) refuse('a greeting has the wrong form');
  takeTurn();
  requireKnown(read, list);
  if (!(await isSignedGreeting(read, ledgerBytes(tenant, ledger), isSignedBy)))
    refuse('the signature of a greeting is not valid');
  const { seat, at } = read.greeting;
  return {
    seatOf: (keyText) => (keyText === text ? nameOf(seat) : undefined),
    check: (now) => {
      requireKnown(read, now);
      const earlier = now.records.flatMap(({ keyText, greets }) =>
        greets === nameOf(seat) ? [keyText] : [],
      );
      const isOld = earlier.some((one) => (readGreeting(one)?.greeting.at ?? 0) >= at);
      return isOld ? undefined : earlier;
    },
  };
}

/**
 * Requires that the log has the seat of a greeting, and all heads that it names. Otherwise devices
 * would report that this server withholds them.
 * @throws FixpointError REQUEST_INVALID, CONFLICT
 */
function requireKnown({ greeting: { seat, heads } }: ReadGreeting, { records }: LedgerKeyList): void {
  const texts = new Map(records.flatMap(({ entry, keyText }) => (entry ? [[entry.id, keyText]] : [])));
  const text = texts.get(seat.entry);
  if (text === undefined || !heads.every((id) => texts.has(id)))
    throw new FixpointError('CONFLICT', 'a greeting names entries that are not in the list (N2)');
  const { device } = introducedBy(decodeEntry(text, sha256).entry);
  if (device?.sign !== seat.key) refuse('a greeting of a key that the log does not have');
}

function refuse(detail: string): never {
  throw new FixpointError('REQUEST_INVALID', `meta.keys: ${detail} (N2)`);
}
