/** Rotates the data key of a ledger with a membership log, and removes devices. */
import { FixpointError } from '@fixpoint/protocol';
import { bytesOfHex, type SeatName } from '@fixpoint/protocol/storage';
import { hex } from '../../base/bytes.ts';
import type { LedgerKeys } from '../../crypto/ledger-keys.ts';
import { confirmableBy, isFirstToConfirm } from './log-leaves.ts';
import type { LogSession } from './log-session.ts';
import { type Followed, personOf } from './log-state.ts';
import { confirmedWith, leaveTexts, removalTexts } from './log-writer.ts';
import { devicesBy } from './logged-devices.ts';
import { type LoggedParts, placeIn, requireCompared, type Turns } from './logged-parts.ts';

const DAY_MS = 86_400_000;
/** Maximum number of grants to other seats in one request. */
const GRANTS_MAX = 32;

/** Returns the calls by which devices leave, and what a device does for the others by itself. */
export function rotationCalls(
  parts: LoggedParts,
  session: LogSession,
  turns: Turns,
): Pick<LedgerKeys, 'rotate' | 'rotateAway' | 'missingGrants' | 'confirmLeaves' | 'greeting'> {
  const { followed, follower } = session;
  return {
    rotate: (ids) =>
      turns(async () => {
        requireCompared(session);
        return followed() === undefined ? parts.keys.rotate(ids) : removal(parts, session, ids);
      }),
    rotateAway: () => turns(() => rotationAway(parts, session)),
    missingGrants: () => turns(() => missingGrants(parts, session)),
    confirmLeaves: () =>
      turns(async () => {
        const now = followed();
        if (now?.seat === undefined || now.current === undefined || session.unsent().length > 0) return [];
        const { membership } = now.view;
        const own = now.seat;
        // A seat whose confirmation doesn't fit into a request stays, so it needs no new key.
        const left = confirmedWith(membership, [], [], confirmableBy(membership, own));
        const isUp = left.some((one) => isFirstToConfirm(membership, own, one));
        return isUp ? removal(parts, session, []) : [];
      }),
    greeting: async () => {
      const [now, news] = [followed(), follower()?.news];
      if (now?.seat === undefined || news === undefined) return undefined;
      return turns(async () => news.greeting(now.view, now.seat as SeatName, parts.signer));
    },
  };
}

async function rotationAway(parts: LoggedParts, session: LogSession): Promise<readonly string[]> {
  const log = session.follower();
  if (session.followed() === undefined) {
    // Members wouldn't follow a rotation outside of their log, and the server rejects it. So this
    // device seals under its key until it knows the log, or the log has a rotation (L3).
    return log?.isUncompared() === true ? [] : parts.keys.rotateAway();
  }
  const unsent = session.unsent();
  if (unsent.length > 0) return unsent;
  const isDue = log?.waits() === 'KEY_INVALID' || (await isKeyOld(parts, session));
  return isDue ? removal(parts, session, []) : [];
}

/** Returns whether this device may rotate the key, and its user wants a new one by now. */
async function isKeyOld(
  { newKeyAfter, platform }: LoggedParts,
  { followed, follower }: LogSession,
): Promise<boolean> {
  const [now, news] = [followed(), follower()?.news];
  if (newKeyAfter === undefined || news === undefined || now?.view.key === undefined) return false;
  const { membership, key } = now.view;
  const entry = membership.past.entryOf(key.entry);
  if (roleIn(now) === 'read' || entry === undefined || !('at' in entry)) return false;
  const since = await news.keySince(key.key, entry.at);
  return platform.time.now() - since > newKeyAfter * DAY_MS;
}

/** Returns the role of the person of this device; undefined if it isn't in the log. */
function roleIn(now: Followed) {
  const person = personOf(now);
  return now.view.membership.members.find((one) => one.person === person)?.role;
}

/** Returns grants to the seats that the record of the current key lacks (D4). */
async function missingGrants(
  { keys }: LoggedParts,
  { followed, reasonToWait }: LogSession,
): Promise<readonly string[]> {
  const now = followed();
  // The server accepts grants to others only from writers.
  if (now?.seat === undefined || reasonToWait() !== undefined || roleIn(now) === 'read') return [];
  const { seats, isCurrent } = now.view.membership;
  const own = hex(keys.pair.publicKey);
  const pubs = new Set(seats.all.filter(isCurrent).map(({ seal }) => seal));
  const missing = [...pubs].filter((seal) => seal !== own && !keys.hasCurrent(seal));
  const grants: string[] = [];
  for (const seal of missing.slice(0, GRANTS_MAX)) grants.push(await keys.grantToSeat(bytesOfHex(seal)));
  return grants;
}

/**
 * Returns the texts that remove devices, and rotate the key. With the id of this device, it leaves
 * in the end, and the others rotate the key (D1).
 */
const removal = (parts: LoggedParts, session: LogSession, ids: readonly string[]) =>
  session.signed(async (now) => {
    const { current, seat } = now;
    const isRepeated = session.unsent().length > 0;
    if (current === undefined || seat === undefined) {
      // An earlier try left, and its answer got lost.
      if (isRepeated) return [];
      throw new FixpointError('DEVICE_NOT_APPROVED');
    }
    // An earlier try may have removed some of them, and its answer got lost.
    const known = new Map(devicesBy(now, parts.keys).map((one) => [one.id, one]));
    const rest = isRepeated ? ids.filter((id) => known.has(id)) : ids;
    // Devices outside of the log don't get the new key anyway.
    const listed = rest.filter((id) => known.get(id)?.isUnlisted !== true);
    if (isRepeated && listed.length === 0) return [];
    const { random } = parts.platform;
    const signer = await parts.signer();
    const given = { ...placeIn(parts, now), random, current, cut: parts.cut(), signer };
    const gone = confirmableBy(now.view.membership, seat);
    const others = listed.filter((id) => known.get(id)?.isThis !== true);
    return others.length < listed.length ? leaveTexts(given, others) : removalTexts(given, others, gone);
  });
