/**
 * The keys of a sealed ledger that may have a membership log. Without a log, this changes nothing.
 * Once a device has seen a log, the log decides, and no server can change that.
 */
import { FixpointError, isFixpointError } from '@fixpoint/protocol';
import { type ConsentRecord, type EntryId, parseKeyRecord, type Signer } from '@fixpoint/protocol/storage';
import { equalBytes, hex } from '../../base/bytes.ts';
import { signerOf } from '../../base/signatures.ts';
import { createTurns } from '../../base/turns.ts';
import { readDeviceCode } from '../../crypto/device-pair.ts';
import { deviceIdOf, newLogRecovery } from '../../crypto/grant.ts';
import type {
  CodePairs,
  LedgerAdmission,
  LedgerDevice,
  LedgerKeys,
  ReplacedCode,
} from '../../crypto/ledger-keys.ts';
import { comparedCode, comparedIdOf, consentText, isSameConsent } from '../../crypto/log/consent.ts';
import type { LedgerKey } from '../../crypto/sealed-object.ts';
import type { Platform } from '../../ports/platform.ts';
import { nameEvents, namingIn } from './event-name.ts';
import { type LogSession, openLogSession, type SessionParts } from './log-session.ts';
import { type Followed, nameIn, personOf, signerIn, throwIf } from './log-state.ts';
import { admissionTexts, deviceTexts, removalTexts, roleTexts, successorTexts } from './log-writer.ts';
import type { OwnEventsParts } from './own-events.ts';

export interface LoggedKeysParts extends Omit<SessionParts, 'report' | 'now' | 'commits'>, OwnEventsParts {
  readonly commits: SessionParts['commits'] & OwnEventsParts['commits'];
  readonly platform: Pick<Platform, 'random' | 'time' | 'report'>;
  /** Returns the signer of this database. @throws FixpointError NOT_IMPLEMENTED */
  readonly signer: () => Promise<Signer>;
  /** Returns the heads of the database: CIDs of events in bytes, sorted, at most 16. */
  readonly cut: () => readonly Uint8Array[];
}

/** The keys of a ledger that may have a membership log. */
export interface LoggedKeys extends LedgerKeys {
  /** Returns the log that this device follows. */
  followed(): Followed | undefined;
}

/**
 * Returns keys that follow the log of the ledger, if it has one.
 * @throws FixpointError CORRUPT; NOT_IMPLEMENTED if this device knows a log and this platform can't
 * check signatures
 */
export async function loggedKeys(parts: LoggedKeysParts): Promise<LoggedKeys> {
  const { keys, platform } = parts;
  const session = await openLogSession({ ...parts, report: platform.report, now: platform.time.now });
  const { followed, follower, reasonToWait } = session;
  let signer: Signer | undefined;
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
    devices: () => {
      const now = followed();
      return now === undefined ? keys.devices() : devicesBy(now, keys);
    },
    keyring: () => {
      const log = follower()?.describe();
      const now = followed();
      const withoutAccess = now === undefined ? [] : withoutAccessIn(now, keys);
      return {
        ...keys.keyring(),
        ...(now && codesAndRequestsIn(now, session, keys)),
        ...(log && { log: { ...log, waits: reasonToWait(), withoutAccess, withheld: [] } }),
      };
    },
    lost: (listed) => lostOf(parts, session, listed),
    code: () => {
      const own = signer === undefined ? undefined : { pub: keys.pair.publicKey, sign: signer.publicKey };
      return own === undefined || !session.hasLog() ? keys.code() : comparedCode(own, keys.secret());
    },
    consent: async () => {
      if (!session.hasLog() || followed()?.seat !== undefined) return undefined;
      signer ??= await parts.signer().catch(unlessMissing);
      return signer && consentTo(parts, session, signer);
    },
    isIn: (code) => {
      if (followed() === undefined) return keys.isIn(code);
      const consent = consentWith(session, code);
      return consent !== undefined && isAdded(session, consent) && keys.hasCurrent(consent.pub);
    },
    grant: (code, admission) =>
      turns(async () => {
        requireCompared(session);
        return followed() === undefined ? keys.grant(code) : approval(parts, session, code, admission);
      }),
    newRecoveryCode: async () => {
      requireNoLog(session, 'another code');
      return keys.newRecoveryCode();
    },
    replaceCode: (codes) =>
      turns(async () => {
        requireCompared(session);
        return replacement(parts, session, codes);
      }),
    rotate: (ids) =>
      turns(async () => {
        requireCompared(session);
        return followed() === undefined ? keys.rotate(ids) : removal(parts, session, ids);
      }),
    rotateAway: () => turns(() => rotationAway(parts, session)),
    recover: (code) => turns(() => recovery(parts, session, code)),
    supersededRecords: async () => (followed() === undefined ? keys.supersededRecords() : undefined),
    ...judgements(parts, session, turns),
    ...{ signer: parts.signer, followed },
  };
}

/** Returns the calls on the log itself. */
function judgements(
  parts: LoggedKeysParts,
  session: LogSession,
  turns: ReturnType<typeof createTurns>,
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
        await keys.takeLog(bytesOf(id));
        await session.learn([], {});
      }),
    dismissLog: (id) =>
      turns(async () => {
        requireListed(session, id);
        await session.follower()?.dismiss(id);
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

/** A device whose platform can't sign can't be added to a log. */
function unlessMissing(cause: unknown): undefined {
  if (!isFixpointError(cause, 'NOT_IMPLEMENTED')) throw cause;
}

/** Returns the consent of this device, unless the list has it, or the user is unknown. */
async function consentTo(
  { keys, ledger }: LoggedKeysParts,
  session: LogSession,
  signer: Signer,
): Promise<string | undefined> {
  const [user, pub] = [keys.user(), keys.pair.publicKey];
  const own = { pub, sign: signer.publicKey };
  if (user === undefined || session.consents().some((one) => isSameConsent(one, own, user))) return undefined;
  return consentText(ledger, signer, { pub, user });
}

/** Returns the consent of the device with a code. @throws FixpointError REQUEST_INVALID */
function consentWith({ consents }: LogSession, code: string): ConsentRecord | undefined {
  const { id } = readDeviceCode(code);
  return consents().find((one) => equalBytes(comparedIdOf(one), id));
}

/** Returns whether the device of a consent has a seat that receives keys. */
function isAdded({ followed }: LogSession, { pub, sign }: ConsentRecord): boolean {
  const membership = followed()?.view.membership;
  const seats = membership?.seats.ofKey(hex(sign)) ?? [];
  return seats.some((seat) => seat.seal === hex(pub) && membership?.isCurrent(seat));
}

/** Returns the texts that approve a device: its entry, unless the log has it, and its grant. */
async function approval(
  parts: LoggedKeysParts,
  session: LogSession,
  code: string,
  admission: LedgerAdmission | undefined,
): Promise<readonly string[]> {
  const consent = consentWith(session, code);
  if (consent === undefined) {
    const isEarlier = parts.keys.asks(code);
    throw new FixpointError(
      isEarlier ? 'FORMAT_NEWER' : 'NOT_FOUND',
      isEarlier
        ? 'this ledger has a signed list of members: reload or update the device with this code, and use the code that it shows then'
        : 'no device with this code asks for approval',
    );
  }
  const unsent = await session.signed(async (now) => {
    if (now.seat === undefined || now.current === undefined) throw new FixpointError('DEVICE_NOT_APPROVED');
    if (isAdded(session, consent)) return [];
    return admissionTexts({ ...placeIn(parts, now), signer: await parts.signer() }, consent, admission);
  });
  return [...unsent, await parts.keys.grantToDevice(consent.pub, readDeviceCode(code).secret)];
}

/**
 * Lets no device administer a log whose id it doesn't know (L2).
 * @throws FixpointError LEDGER_NOT_COMPARED
 */
function requireCompared({ follower }: LogSession): void {
  if (follower()?.isUncompared() === true) throw new FixpointError('LEDGER_NOT_COMPARED');
}

/** @throws FixpointError LEDGER_NOT_COMPARED, NOT_IMPLEMENTED */
function requireNoLog(session: LogSession, what: string): void {
  requireCompared(session);
  if (session.followed() !== undefined)
    throw new FixpointError('NOT_IMPLEMENTED', `${what} in a ledger with a membership log`);
}

function lostOf({ keys }: LoggedKeysParts, { followed, follower }: LogSession, listed: ReadonlySet<string>) {
  const [log, now] = [follower(), followed()];
  if (log === undefined || now === undefined) return keys.lost(listed);
  // The server accepts a rotation only together with its entry (G5).
  const isRight = (texts: readonly string[]) => now.seat !== undefined && !texts.some(isRotation);
  const others = keys.lost(listed).filter(isRight);
  const all = [...log.lost(listed), ...others];
  return [...new Map(all.map((texts) => [texts.join(), texts])).values()];
}

/**
 * Returns the ids of seats whose users have no access at the server. The server may lie, so the
 * device signs nothing because of it (M5).
 */
const withoutAccessIn = ({ view: { membership } }: Followed, keys: LedgerKeys): readonly string[] =>
  membership.seats.all
    .filter((seat) => membership.isCurrent(seat) && keys.hasAccess(bytesOf(seat.seal)) === false)
    .map(({ seal }) => hex(deviceIdOf(bytesOf(seal))));

const isRotation = (text: string): boolean => parseKeyRecord(text)?.t === 'rotate';

async function rotationAway(parts: LoggedKeysParts, session: LogSession): Promise<readonly string[]> {
  const log = session.follower();
  if (session.followed() === undefined) {
    // Members wouldn't follow a rotation outside of their log, and the server rejects it. So this
    // device seals under its key until it knows the log, or the log has a rotation (L3).
    return log?.isUncompared() === true ? [] : parts.keys.rotateAway();
  }
  const unsent = session.unsent();
  return unsent.length > 0 || log?.waits() !== 'KEY_INVALID' ? unsent : removal(parts, session, []);
}

/** Returns the parts that each entry needs. */
const placeIn = ({ ledger, keys, platform }: LoggedKeysParts, { view }: Followed) => ({
  ...{ ledger, view, start: hex(keys.log() as Uint8Array), timeMs: platform.time.now() },
});

/** Returns the texts that remove devices, and rotate the key. */
const removal = (parts: LoggedKeysParts, session: LogSession, ids: readonly string[]) =>
  session.signed(async (now) => {
    const { current } = now;
    if (current === undefined) throw new FixpointError('DEVICE_NOT_APPROVED');
    // An earlier try may have removed some of them, and its answer got lost.
    const isRepeated = session.unsent().length > 0;
    const known = new Map(devicesBy(now, parts.keys).map((one) => [one.id, one]));
    const rest = isRepeated ? ids.filter((id) => known.has(id)) : ids;
    // Devices outside of the log don't get the new key anyway.
    const left = rest.filter((id) => known.get(id)?.isUnlisted !== true);
    if (isRepeated && left.length === 0) return [];
    const { random } = parts.platform;
    const given = { ...placeIn(parts, now), random, current, cut: parts.cut() };
    return removalTexts({ ...given, signer: await parts.signer() }, left);
  });

async function recovery(
  parts: LoggedKeysParts,
  session: LogSession,
  code: string,
): Promise<readonly string[]> {
  const { keys } = parts;
  const pairs = await keys.unlock(code);
  if (keys.log() === undefined) return keys.recover(code);
  await session.learn([], {});
  await session.follower()?.useCode(pairs.sealing);
  await keys.learn([]);
  return session.signed((now) => ownEntry(parts, now, pairs));
}

/** Returns the texts by which a recovery code names its successor, with the grant to it. */
async function replacement(
  parts: LoggedKeysParts,
  session: LogSession,
  { previous, code }: ReplacedCode,
): Promise<readonly string[]> {
  const { keys, platform } = parts;
  const log = keys.log();
  if (log === undefined)
    throw new FixpointError('NOT_IMPLEMENTED', 'replacing a code without a membership log');
  const recovery = await newLogRecovery(platform.random, code);
  const { signing } = await keys.unlock(previous);
  if (signing === undefined) throw new FixpointError('DEVICE_NOT_APPROVED', 'a code of before the log');
  return session.signed(async (now) => {
    if (now.seat === undefined || now.current === undefined) throw new FixpointError('DEVICE_NOT_APPROVED');
    // An earlier try may have signed the entry, and its answer got lost.
    if (await isKnownCode(keys, code)) return [];
    const given = { ...placeIn(parts, now), signer: await signerOf(signing.both) };
    const texts = await successorTexts(given, await parts.signer(), recovery);
    return [...texts, await keys.grantToRecovery(recovery, log)];
  });
}

/** Returns whether a list or this device has a grant to a recovery code. */
async function isKnownCode(keys: LedgerKeys, code: string): Promise<boolean> {
  try {
    await keys.unlock(code);
    return true;
  } catch (cause) {
    if (isFixpointError(cause, 'KEY_UNKNOWN')) return false;
    throw cause;
  }
}

/** Adds this device to the person of a recovery code, unless it has a seat (J4). */
async function ownEntry(
  parts: LoggedKeysParts,
  now: Followed,
  { signing }: CodePairs,
): Promise<readonly string[]> {
  if (now.seat !== undefined) return [];
  if (signing === undefined) throw new FixpointError('DEVICE_NOT_APPROVED', 'a code of before the log');
  const { pair, announcement } = parts.keys;
  const device = { signer: await parts.signer(), seal: pair.publicKey, name: 'recovered' };
  const given = { ...placeIn(parts, now), signer: await signerOf(signing.both) };
  return [announcement(), ...(await deviceTexts(given, device))];
}

/** Describes the seats of the log, and further devices that have the current key. */
function devicesBy(now: Followed, keys: LedgerKeys): readonly LedgerDevice[] {
  const { membership } = now.view;
  const { past } = membership;
  const { pair } = keys;
  const seats = membership.seats.all.filter(membership.isCurrent);
  const person = personOf(now);
  const listed = seats.map((seat) => {
    const [entry, admission] = [past.entryOf(seat.entry), past.entryOf(seat.person)];
    return {
      id: hex(deviceIdOf(bytesOf(seat.seal))),
      isThis: seat.seal === hex(pair.publicKey),
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
function codesAndRequestsIn(now: Followed, session: LogSession, keys: LedgerKeys) {
  const { seats, isCurrent } = now.view.membership;
  // The consent of a device stays in the list when its user loses access, or is removed.
  const asking = session
    .consents()
    .filter(({ sign, pub }) => seats.ofKey(hex(sign)).length === 0 && keys.hasAccess(pub) !== false)
    .map(({ pub }) => hex(deviceIdOf(pub)));
  return {
    hasRecoveryCode: seats.all.some((seat) => seat.kind === 'code' && isCurrent(seat)),
    // Devices of earlier versions ask without a consent.
    asking: [...new Set([...asking, ...keys.keyring().asking])],
  };
}

const bytesOf = (digits: string): Uint8Array =>
  Uint8Array.from(digits.match(/../g) ?? [], (two) => Number.parseInt(two, 16));
