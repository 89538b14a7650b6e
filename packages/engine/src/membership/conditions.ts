/** Who may sign which entry: C6 to C13 of docs/internals/membership-rules.md. */

import {
  type CodeEntry,
  type CountRule,
  type EntryId,
  isAdmission,
  type RemoveEntry,
  type SignedEntry,
} from '@fixpoint/protocol/storage';
import type { Counting } from './counted.ts';
import { isInLine, type Seat } from './seats.ts';

/** Returns the condition that an entry doesn't meet. */
export function unmetCondition(counting: Counting, signer: Seat, entry: SignedEntry): CountRule | undefined {
  const had = (role: 'write' | 'admin') => counting.hadRole(signer.person, role, entry.id);
  const isAdminAbove = (person: EntryId) => counting.isAdminAbove(signer, person, entry.id);
  const unless = (isMet: boolean, rule: CountRule) => (isMet ? undefined : rule);
  switch (entry.kind) {
    case 'start':
    case 'person':
      return unless(had('admin') && (entry.role !== 'admin' || entry.seen), 'C6');
    case 'key':
      return unless(had('write'), 'C7');
    case 'device':
      return unless(signer.person === entry.person || isAdminAbove(entry.person), 'C8');
    case 'code':
      return unless(isOwnSuccessor(counting, signer, entry) || isAdminAbove(entry.person), 'C9');
    case 'role':
      return unless(
        isAdminAbove(entry.person) && (entry.role !== 'admin' || isCompared(counting, entry)),
        'C10',
      );
    case 'remove':
      return unmetByRemoval(counting, signer, entry);
    case 'leave':
      return undefined;
  }
}

function unmetByRemoval(counting: Counting, signer: Seat, entry: RemoveEntry): CountRule | undefined {
  const { past, seats } = counting;
  const { target } = entry;
  if ('person' in target) return counting.isAdminAbove(signer, target.person, entry.id) ? undefined : 'C11';
  const isRight = seats
    .ofKey(target.key)
    .some((seat) => past.isBefore(seat.entry, entry.id) && counting.mayEnd(signer, seat, entry.id));
  return isRight ? undefined : 'C12';
}

/** Returns whether a code names a code of its own person. */
export const isSuccessor = (signer: Seat, entry: SignedEntry): entry is CodeEntry =>
  entry.kind === 'code' && signer.kind === 'code' && entry.person === signer.person;

/**
 * Returns whether a code names its successor together with a device of its person that the code
 * didn't introduce, directly or through others (C5).
 */
function isOwnSuccessor({ seats }: Counting, signer: Seat, entry: CodeEntry): boolean {
  if (!isSuccessor(signer, entry) || entry.with === undefined) return false;
  const device = seats.named(entry.with);
  return device?.person === signer.person && !isInLine(device, (seat) => seat === signer);
}

/** Returns whether somebody compared the code of a device of the person who becomes an admin. */
function isCompared(
  { past }: Counting,
  entry: { readonly person: EntryId; readonly seen: boolean },
): boolean {
  const admission = past.entryOf(entry.person);
  return entry.seen || (admission !== undefined && isAdmission(admission) && admission.seen);
}
