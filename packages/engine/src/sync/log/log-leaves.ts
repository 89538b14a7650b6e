/** Finds the members who left, and who confirms it (docs/internals/membership-rules.md, C4). */
import type { SeatName } from '@fixpoint/protocol/storage';
import type { Membership } from '../../membership/evaluate.ts';
import type { Seat } from '../../membership/seats.ts';

/**
 * Returns the seats that left and that nobody removed yet. Until then, a person with such a key
 * can sign entries that claim not to know that it left.
 */
export function leftSeats({ past, seats, counts, endsOf, isCurrent, counting }: Membership): readonly Seat[] {
  const own = new Set(
    past.entries.flatMap((entry) =>
      entry.kind === 'leave' && counts(entry.id) ? (seats.signerOf(entry) ?? []) : [],
    ),
  );
  return seats.all.filter((seat) => {
    if (isCurrent(seat) || !counting.isLive(seat)) return false;
    const ends = endsOf(seat);
    const hasLeft = own.has(seat) || ends.some(({ kind }) => kind === 'leave');
    return hasLeft && !ends.some(({ kind }) => kind === 'remove');
  });
}

/**
 * Returns those of the seats that left that this seat may remove. A removal ends all seats of a
 * key, so it leaves out a key that somebody added again: only a user may remove that one.
 */
export function confirmableBy(membership: Membership, { key, entry }: SeatName): readonly Seat[] {
  const { seats, isCurrent } = membership;
  const own = seats.named({ key, entry });
  if (own === undefined) return [];
  const isAdmin = roleOf(membership, own) === 'admin';
  const mayRemove = (seat: Seat) =>
    seat.person === own.person
      ? seats.isAbove(own, seat)
      : isAdmin && seats.isPersonAbove(own.person, seat.person);
  return leftSeats(membership).filter((seat) => mayRemove(seat) && !seats.ofKey(seat.key).some(isCurrent));
}

/**
 * Returns whether it is up to this seat to confirm now that another one left: it is the highest
 * current device of the same person that may, or else that of the person who admitted this one. All
 * others confirm it when they rotate the key. Otherwise all devices would sign the same.
 */
export function isFirstToConfirm(membership: Membership, own: SeatName, left: Seat): boolean {
  const { seats, isCurrent, past } = membership;
  const isAt = (seat: Seat | undefined) => seat?.key === own.key && seat.entry === own.entry;
  const isDevice = (seat: Seat) => seat.kind === 'device' && isCurrent(seat);
  const ofPerson = seats.all.find(
    (seat) => isDevice(seat) && seat.person === left.person && seats.isAbove(seat, left),
  );
  if (ofPerson !== undefined) return isAt(ofPerson);
  const admission = past.entryOf(left.person);
  const admitter = admission && seats.signerOf(admission)?.person;
  return isAt(seats.all.find((seat) => isDevice(seat) && seat.person === admitter));
}

const roleOf = ({ members }: Membership, { person }: Seat) =>
  members.find((one) => one.person === person)?.role;
