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
import { deviceIdOf } from '../../crypto/grant.ts';
import type { CodePairs, LedgerAdmission, LedgerDevice, LedgerKeys } from '../../crypto/ledger-keys.ts';
import { comparedCode, comparedIdOf, consentText, isSameConsent } from '../../crypto/log/consent.ts';
import type { LedgerKey } from '../../crypto/sealed-object.ts';
import type { Platform } from '../../ports/platform.ts';
import { type LogSession, openLogSession, type SessionParts } from './log-session.ts';
import { type Followed, throwIf } from './log-state.ts';
import { admissionTexts, deviceTexts, removalTexts } from './log-writer.ts';

export interface LoggedKeysParts extends Omit<SessionParts, 'report' | 'now'> {
  readonly platform: Pick<Platform, 'random' | 'time' | 'report'>;
  /** Returns the signer of this database. @throws FixpointError NOT_IMPLEMENTED */
  readonly signer: () => Promise<Signer>;
  /** Returns the heads of the database: CIDs of events in bytes, sorted, at most 16. */
  readonly cut: () => readonly Uint8Array[];
}

/** Keys that follow the log of the ledger, if it has one. */
export interface LoggedKeys extends LedgerKeys {
  /** Follows a log: the user compared its id (L3). */
  acceptLog(log: EntryId): Promise<void>;
  /** Ignores a log that isn't the ledger's, as the user says, and no longer waits because of it. */
  dismissLog(log: EntryId): Promise<void>;
}

/**
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
    learn: (texts, said = {}) => turns(() => session.learn(texts, said)),
    devices: () => {
      const now = followed();
      return now === undefined ? keys.devices() : devicesBy(now, keys);
    },
    keyring: () => {
      const log = follower()?.describe();
      const now = followed();
      const withoutAccess = now === undefined ? [] : withoutAccessIn(now, keys);
      return { ...keys.keyring(), ...(log && { log: { ...log, waits: reasonToWait(), withoutAccess } }) };
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
    rotate: (ids) =>
      turns(async () => {
        requireCompared(session);
        return followed() === undefined ? keys.rotate(ids) : removal(parts, session, ids);
      }),
    rotateAway: () => turns(() => rotationAway(parts, session)),
    recover: (code) => turns(() => recovery(parts, session, code)),
    supersededRecords: async () => (followed() === undefined ? keys.supersededRecords() : undefined),
    acceptLog: (id) =>
      turns(async () => {
        await keys.takeLog(bytesOf(id));
        await session.learn([], {});
      }),
    dismissLog: (id) => turns(async () => follower()?.dismiss(id)),
  };
}

/** A database that doesn't sign its events can't be added to a log. */
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
  if (consent === undefined)
    throw new FixpointError('NOT_FOUND', 'no device with this code asks for approval');
  const unsent = await session.signed(async (now) => {
    if (now.current === undefined) throw new FixpointError('DEVICE_NOT_APPROVED');
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
    const known = new Set(devicesBy(now, parts.keys).map(({ id }) => id));
    const left = isRepeated ? ids.filter((id) => known.has(id)) : ids;
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

function devicesBy({ view, seat: own }: Followed, keys: LedgerKeys): readonly LedgerDevice[] {
  const { membership } = view;
  const { pair } = keys;
  const seats = membership.seats.all.filter(membership.isCurrent);
  const person = seats.find(({ key, entry }) => key === own?.key && entry === own.entry)?.person;
  return seats.map((seat) => {
    const [entry, admission] = [membership.past.entryOf(seat.entry), membership.past.entryOf(seat.person)];
    return {
      id: hex(deviceIdOf(bytesOf(seat.seal))),
      isThis: seat.seal === hex(pair.publicKey),
      isRecovery: seat.kind === 'code',
      owner: admission !== undefined && 'user' in admission ? admission.user : undefined,
      isOwn: seat.person === person,
      since: entry !== undefined && 'at' in entry ? entry.at : undefined,
    };
  });
}

const bytesOf = (digits: string): Uint8Array =>
  Uint8Array.from(digits.match(/../g) ?? [], (two) => Number.parseInt(two, 16));
