/** Describes the devices of a ledger with a membership log for applications. */
import { bytesOfHex, type ConsentRecord, type SealingKey } from '@fixpoint/protocol/storage';
import { hex, textOf } from '../../base/bytes.ts';
import { deviceOfKey } from '../../clock/stamp.ts';
import { deviceIdOf } from '../../crypto/grant.ts';
import type { EarlierDevice, LedgerCodeRequest, LedgerDevice, LedgerKeys } from '../../crypto/ledger-keys.ts';
import type { LogNews } from './log-news.ts';
import type { LogSession } from './log-session.ts';
import { type Followed, nameIn, personOf, signerIn } from './log-state.ts';
import { codeRequestsOf } from './logged-codes.ts';

/** Describes the seats of the log, and further devices that have the current key. */
export function devicesBy(
  now: Followed,
  keys: LedgerKeys,
  heardAt: LogNews['heardAt'] = () => undefined,
): readonly LedgerDevice[] {
  const { membership } = now.view;
  const { past } = membership;
  const { pair } = keys;
  const seats = membership.seats.all.filter(membership.isCurrent);
  const [person, own] = [personOf(now), hex(pair.publicKey)];
  const listed = seats.map((seat) => {
    const [entry, admission] = [past.entryOf(seat.entry), past.entryOf(seat.person)];
    const heard = seat.seal === own ? undefined : heardAt(seat);
    return {
      ...(heard !== undefined && { heardAt: heard }),
      id: idOfSeal(seat.seal),
      eventDevice: hex(deviceOfKey(bytesOfHex(seat.key))),
      isThis: seat.seal === own,
      isRecovery: seat.kind === 'code',
      owner: admission !== undefined && 'user' in admission ? admission.user : undefined,
      isOwn: seat.person === person,
      since: entry !== undefined && 'at' in entry ? entry.at : undefined,
      name: nameIn(membership, seat.person),
      approvedBy: entry?.kind === 'start' ? undefined : entry && signerIn(membership, entry),
    };
  });
  const ids = new Set(listed.map(({ id }) => id));
  const others = keys.devices().filter(({ id }) => !ids.has(id));
  return [...listed, ...others.map((one) => ({ ...one, isUnlisted: true as const }))];
}

/** Returns whether any recovery code is in the log, and the ids of devices that ask to be added. */
export function codesAndRequestsIn(now: Followed, session: LogSession, keys: LedgerKeys) {
  const { seats, isCurrent } = now.view.membership;
  const access = keys.access();
  // The consent of a device stays in the list when its user loses access, or is removed.
  const asking = session.requests
    .consents()
    .filter(({ sign, pub }) => seats.ofKey(hex(sign)).length === 0 && access?.has(hex(pub)) !== false)
    .map(({ pub }) => hex(deviceIdOf(pub)));
  const members = new Set(seats.all.filter(isCurrent).map(({ seal }) => idOfSeal(seal)));
  return {
    hasRecoveryCode: seats.all.some((seat) => seat.kind === 'code' && isCurrent(seat)),
    // Devices of earlier versions ask without a consent. A server could hide the grants of a
    // member, so that the member only seems to ask.
    asking: [...new Set([...asking, ...keys.keyring().asking])].filter((id) => !members.has(id)),
  };
}

/**
 * Returns the consents of devices from before the log that this device may add without a code: they
 * have the current key, and no seat.
 */
export const bondedIn = (session: LogSession, keys: LedgerKeys): readonly ConsentRecord[] => {
  const now = session.followed();
  if (now === undefined) return [];
  const access = keys.access();
  return session.requests
    .bonded()
    .filter(
      ({ sign, pub }) =>
        now.view.membership.seats.ofKey(hex(sign)).length === 0 &&
        keys.hasCurrent(hex(pub)) &&
        access?.has(hex(pub)) !== false,
    );
};

/** Returns these devices, as applications see them. */
export const earlierDevicesIn = (session: LogSession, keys: LedgerKeys): readonly EarlierDevice[] =>
  bondedIn(session, keys)
    .map(({ pub, user }) => ({ id: hex(deviceIdOf(pub)), user: textOf(user) }))
    // A device of your own would become one of an admin, so it needs its code.
    .filter(({ user }) => user !== keys.user());

/** Returns the requests for recovery codes, as applications see them. */
export const codeRequestsIn = (session: LogSession): readonly LedgerCodeRequest[] => {
  const now = session.followed();
  const own = now && personOf(now);
  return codeRequestsOf(session).map(({ id, user, name, person }) => ({
    ...{ id, user, name },
    isYou: person === own,
  }));
};

/**
 * Returns the sealing keys of seats whose users have no access at the server. The server may lie,
 * so the device signs nothing because of it (M5).
 */
export function withoutAccessIn({ view: { membership } }: Followed, keys: LedgerKeys): readonly SealingKey[] {
  const access = keys.access();
  if (access === undefined) return [];
  const { seats, isCurrent } = membership;
  return seats.all.filter((seat) => isCurrent(seat) && !access.has(seat.seal)).map(({ seal }) => seal);
}

/** Returns the id of a device in the list of devices. */
export const idOfSeal = (seal: SealingKey): string => hex(deviceIdOf(bytesOfHex(seal)));
