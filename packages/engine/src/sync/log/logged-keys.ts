/**
 * The keys of a sealed ledger that may have a membership log. Without a log, this changes nothing.
 * Once a device has seen a log, the log decides, and no server can change that.
 */
import { FixpointError } from '@fixpoint/protocol';
import { bytesOfHex, type EntryId, parseKeyRecord } from '@fixpoint/protocol/storage';
import { createTurns } from '../../base/turns.ts';
import type { LedgerKeys } from '../../crypto/ledger-keys.ts';
import type { LedgerKey } from '../../crypto/sealed-object.ts';
import { type LocalNames, openLocalNames, type Subject } from '../ledger/local-names.ts';
import { nameEvents, namingIn } from './event-name.ts';
import { type LogSession, openLogSession } from './log-session.ts';
import { type Followed, throwIf } from './log-state.ts';
import { roleTexts } from './log-writer.ts';
import { approvalCalls } from './logged-approvals.ts';
import { recovery, replacement, requestedCode } from './logged-codes.ts';
import {
  codeRequestsIn,
  codesAndRequestsIn,
  devicesBy,
  earlierDevicesIn,
  idOfSeal,
  withoutAccessIn,
} from './logged-devices.ts';
import { type LoggedParts, placeIn, requireCompared, type Turns } from './logged-parts.ts';
import { rotationCalls } from './logged-rotations.ts';

/** The keys of a ledger that may have a membership log. */
export interface LoggedKeys extends LedgerKeys {
  /** Returns the log that this device follows. */
  followed(): Followed | undefined;
  /**
   * Returns whether another tab knows entries that this one doesn't. Then `learn` must be called.
   */
  isBehind(): Promise<boolean>;
}

/**
 * Returns keys that follow the log of the ledger, if it has one.
 * @throws FixpointError CORRUPT; NOT_IMPLEMENTED if this device knows a log and this platform can't
 * check signatures
 */
export async function loggedKeys(parts: LoggedParts): Promise<LoggedKeys> {
  const { keys, platform } = parts;
  const names = openLocalNames(parts);
  const given = { ...parts, names, report: platform.report, now: platform.time.now };
  const session = await openLogSession(given);
  const { followed, reasonToWait } = session;
  // A list that arrives while another one is learned, or while an entry is signed, must not undo
  // what these found.
  const turns = createTurns();
  return {
    ...keys,
    current: () => {
      throwIf(reasonToWait());
      return followed() === undefined ? keys.current() : (followed()?.current as LedgerKey);
    },
    isApproved: () => {
      const now = followed();
      if (now === undefined) return keys.isApproved();
      return now.seat !== undefined && now.current !== undefined;
    },
    learn: (texts, said = {}) =>
      turns(async () => {
        const isNews = await session.learn(texts, said);
        await nameEvents({ ...parts, local: parts.commits.local }, namingIn(keys.log(), session));
        return isNews;
      }),
    lost: (listed) => lostOf(parts, session, listed),
    newRecoveryCode: async () => {
      requireCompared(session);
      const now = followed();
      return now === undefined ? keys.newRecoveryCode() : requestedCode(parts, now);
    },
    replaceCode: (codes) =>
      turns(async () => {
        requireCompared(session);
        return replacement(parts, session, codes);
      }),
    recover: (code) => turns(() => recovery(parts, session, code)),
    supersededRecords: async () => (followed() === undefined ? keys.supersededRecords() : undefined),
    ...descriptions(parts, session, names, turns),
    ...approvalCalls(parts, session, turns),
    ...rotationCalls(parts, session, turns),
    ...judgements(parts, session, turns),
    ...{ signer: parts.signer, followed, isBehind: () => turns(session.reloadIfOther) },
  };
}

/** Returns the calls that describe the devices and the log. */
function descriptions(
  { keys }: LoggedParts,
  session: LogSession,
  names: LocalNames,
  turns: Turns,
): Pick<LedgerKeys, 'devices' | 'keyring' | 'keyringMark' | 'rename'> {
  const { followed, follower, reasonToWait } = session;
  const devices = () => {
    const now = followed();
    const list = now === undefined ? keys.devices() : devicesBy(now, keys, follower()?.news.heardAt);
    return list.map((one) => {
      const yourName = names.of(`device/${one.id}`);
      return yourName === undefined ? one : { ...one, yourName };
    });
  };
  return {
    devices,
    rename: (of, name) =>
      turns(async () => {
        const known: readonly Subject[] =
          'device' in of
            ? devices().flatMap(({ id }) => (id === of.device ? [`device/${id}` as const] : []))
            : personsOf(session, of.user);
        if (known.length === 0) throw new FixpointError('NOT_FOUND', 'no member or device with this id');
        await names.set(known, name);
      }),
    keyring: () => {
      const log = follower()?.describe();
      const now = followed();
      const withoutAccess = now === undefined ? [] : withoutAccessIn(now, keys).map(idOfSeal);
      const otherLogs = follower()?.otherLogs() ?? [];
      return {
        ...keys.keyring(),
        ...(now && codesAndRequestsIn(now, session, keys)),
        ...(otherLogs.length > 0 && { otherLogs }),
        ...(log && {
          log: {
            ...{ ...log, waits: reasonToWait(), withoutAccess, withheld: [] },
            ...{ codeRequests: codeRequestsIn(session), earlierDevices: earlierDevicesIn(session, keys) },
          },
        }),
      };
    },
    keyringMark: () => {
      const [log, now] = [follower(), followed()];
      const ofLog = [log?.mark(), log?.otherLogs(), reasonToWait(), codeRequestsIn(session)];
      const ofSeats = now && [codesAndRequestsIn(now, session, keys), withoutAccessIn(now, keys)];
      const others = [earlierDevicesIn(session, keys), names.changes()];
      return JSON.stringify([keys.keyringMark(), ofLog, ofSeats, others]);
    },
  };
}

/** Returns the members with a user id. Several persons can have one (M1). */
const personsOf = ({ followed }: LogSession, user: string): readonly Subject[] =>
  (followed()?.view.membership.members ?? []).flatMap((one) =>
    one.user === user ? [`person/${one.person}` as const] : [],
  );

/** Returns the calls on the log itself. */
function judgements(
  parts: LoggedParts,
  session: LogSession,
  turns: Turns,
): Pick<LedgerKeys, 'setRole' | 'acceptLog' | 'dismissLog'> {
  const { keys } = parts;
  return {
    setRole: (user, role) =>
      turns(async () => {
        requireCompared(session);
        if (!session.hasLog()) throw new FixpointError('NOT_IMPLEMENTED', 'roles without a membership log');
        return session.signed(async (now) => {
          const given = { ...placeIn(parts, now), cut: parts.cut() };
          return roleTexts({ ...given, signer: await parts.signer() }, user, role);
        });
      }),
    acceptLog: (id) =>
      turns(async () => {
        requireListed(session, id);
        await keys.takeLog(bytesOfHex(id));
        await session.learn([], {});
      }),
    dismissLog: (id) =>
      turns(async () => {
        const [now, start] = [session.followed(), session.follower()?.aloneIn(id)];
        // The founder may withdraw a log that has no other entry. It ends when the list lacks it.
        const isOwn = now?.seat !== undefined && now.view.membership.past.entries[0]?.id === id;
        if (!isOwn || start === undefined) requireListed(session, id);
        await session.follower()?.dismiss(id);
        return start;
      }),
  };
}

/**
 * Requires that this device follows no log, and that the list has this one.
 * @throws FixpointError CONFLICT, NOT_FOUND
 */
function requireListed({ follower, followed }: LogSession, log: EntryId): void {
  if (followed() !== undefined) throw new FixpointError('CONFLICT', 'this device follows a log');
  if (follower()?.isListed(log) !== true) throw new FixpointError('NOT_FOUND', 'no log with this id');
}

function lostOf({ keys }: LoggedParts, { followed, follower }: LogSession, listed: ReadonlySet<string>) {
  const [log, now] = [follower(), followed()];
  if (log === undefined || now === undefined) return keys.lost(listed);
  // The server accepts a rotation only together with its entry (G5).
  const isRight = (texts: readonly string[]) => now.seat !== undefined && !texts.some(isRotation);
  const others = keys.lost(listed).filter(isRight);
  const all = [...log.lost(listed), ...others];
  return [...new Map(all.map((texts) => [texts.join(), texts])).values()];
}

const isRotation = (text: string): boolean => parseKeyRecord(text)?.t === 'rotate';
