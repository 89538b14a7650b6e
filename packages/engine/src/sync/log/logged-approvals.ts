/** Asks for approval in a ledger with a membership log, and approves others. */
import { FixpointError, isFixpointError } from '@fixpoint/protocol';
import { bytesOfHex, type ConsentRecord, type Signer } from '@fixpoint/protocol/storage';
import { equalBytes, hex } from '../../base/bytes.ts';
import { readDeviceCode } from '../../crypto/device-pair.ts';
import { deviceIdOf } from '../../crypto/grant.ts';
import type { LedgerAdmission, LedgerKeys } from '../../crypto/ledger-keys.ts';
import { comparedCode, comparedIdOf, consentText, isSameConsent } from '../../crypto/log/consent.ts';
import type { LogSession } from './log-session.ts';
import { admissionTexts } from './log-writer.ts';
import { codeRequestsOf, confirmation } from './logged-codes.ts';
import { bondedIn } from './logged-devices.ts';
import { type LoggedParts, placeIn, requireCompared, type Turns } from './logged-parts.ts';

/** Returns the calls by which devices ask for approval, and approve each other. */
export function approvalCalls(
  parts: LoggedParts,
  session: LogSession,
  turns: Turns,
): Pick<LedgerKeys, 'code' | 'consent' | 'isIn' | 'grant'> {
  const { keys } = parts;
  const { followed } = session;
  let signer: Signer | undefined;
  /** The ids that this device approved without a code. They aren't codes of devices. */
  const approved = new Set<string>();

  /** Returns how to approve an id; undefined if nothing with this id waits for it. */
  function waitingWith(id: string, admission?: LedgerAdmission) {
    const earlier = bondedIn(session, keys).find(({ pub }) => hex(deviceIdOf(pub)) === id);
    if (earlier !== undefined) return () => admittedEarlier(parts, session, earlier, admission);
    const request = codeRequestsOf(session).find((one) => one.id === id);
    return request && (() => confirmation(parts, session, request));
  }

  return {
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
      if (approved.has(code)) return waitingWith(code) === undefined;
      const consent = consentWith(session, code);
      return consent !== undefined && isAdded(session, consent) && keys.hasCurrent(hex(consent.pub));
    },
    grant: (code, admission) =>
      turns(async () => {
        requireCompared(session);
        if (followed() === undefined) return keys.grant(code);
        const approve = waitingWith(code, admission);
        if (approve === undefined && !approved.has(code)) return approval(parts, session, code, admission);
        approved.add(code);
        // An earlier try signed the entry, and its answer got lost.
        return approve === undefined ? session.unsent() : approve();
      }),
  };
}

/** A device whose platform can't sign can't be added to a log. */
function unlessMissing(cause: unknown): undefined {
  if (!isFixpointError(cause, 'NOT_IMPLEMENTED')) throw cause;
}

/** Returns the consent of this device, unless the list has it, or the user is unknown. */
async function consentTo(
  { keys, ledger, platform }: LoggedParts,
  session: LogSession,
  signer: Signer,
): Promise<string | undefined> {
  const [user, pub] = [keys.user(), keys.pair.publicKey];
  const own = { pub, sign: signer.publicKey };
  const founder = founderSeal(keys, session);
  const isDone = (one: ConsentRecord) =>
    user !== undefined && isSameConsent(one, own, user) && (founder === undefined || one.bond !== undefined);
  if (user === undefined || session.requests.consents().some(isDone)) return undefined;
  const bond = founder && { pair: keys.pair, founder, random: platform.random };
  return consentText(ledger, signer, { pub, user, bond });
}

/** Returns the sealing key of the founder's first device, if this device is from before the log. */
function founderSeal(keys: LedgerKeys, { follower }: LogSession): Uint8Array | undefined {
  const start = keys.isApproved() ? follower()?.start() : undefined;
  return start?.kind === 'start' ? bytesOfHex(start.device.seal) : undefined;
}

/** Returns the consent of the device with a code. @throws FixpointError REQUEST_INVALID */
function consentWith({ requests }: LogSession, code: string): ConsentRecord | undefined {
  const { id } = readDeviceCode(code);
  return requests.consents().find((one) => equalBytes(comparedIdOf(one), id));
}

/**
 * Returns the texts by which the founder adds a device from before the log, whose code nobody
 * compared (L5). It has the current key already, and follows the log once its user compared it.
 */
const admittedEarlier = (
  parts: LoggedParts,
  session: LogSession,
  consent: ConsentRecord,
  admission: LedgerAdmission | undefined,
): Promise<readonly string[]> =>
  session.signed(async (now) => {
    if (now.seat === undefined || now.current === undefined) throw new FixpointError('DEVICE_NOT_APPROVED');
    if (isAdded(session, consent)) return [];
    // The server says whose device this is. A lie must not give it the rights of an admin.
    if (admission === undefined || admission.role === 'admin')
      throw new FixpointError('FORBIDDEN', 'a device of an admin needs its code');
    const given = { ...placeIn(parts, now), signer: await parts.signer() };
    return admissionTexts(given, consent, admission, 'not seen');
  });

/** Returns whether the device of a consent has a seat that receives keys. */
function isAdded({ followed }: LogSession, { pub, sign }: ConsentRecord): boolean {
  const membership = followed()?.view.membership;
  const seats = membership?.seats.ofKey(hex(sign)) ?? [];
  return seats.some((seat) => seat.seal === hex(pub) && membership?.isCurrent(seat));
}

/** Returns the texts that approve a device: its entry, unless the log has it, and its grant. */
async function approval(
  parts: LoggedParts,
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
