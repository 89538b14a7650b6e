/** Uses and replaces recovery codes in a ledger with a membership log. */
import { FixpointError, isFixpointError } from '@fixpoint/protocol';
import { bytesOfHex, consentOf, isAdmission, signedCodeRequest } from '@fixpoint/protocol/storage';
import { hex, utf8 } from '../../base/bytes.ts';
import { signerOf } from '../../base/signatures.ts';
import { newLogRecovery } from '../../crypto/grant.ts';
import { encodeRecord } from '../../crypto/ledger-key-records.ts';
import type { CodePairs, LedgerKeys, ReplacedCode } from '../../crypto/ledger-keys.ts';
import { addedCodeTexts, deviceTexts, successorTexts } from './code-entries.ts';
import type { CodeRequest } from './log-requests.ts';
import type { LogSession } from './log-session.ts';
import { type Followed, personOf } from './log-state.ts';
import { type LoggedParts, placeIn } from './logged-parts.ts';

/** Learns the keys of a code, and returns the texts by which it adds this device. */
export async function recovery(
  parts: LoggedParts,
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
export async function replacement(
  parts: LoggedParts,
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
  parts: LoggedParts,
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

/**
 * Creates a recovery code for the person of this device, and returns the records by which it asks
 * an admin to add the code to the log. Until then, the code isn't valid.
 * @throws FixpointError DEVICE_NOT_APPROVED, LIMIT_REACHED; FORBIDDEN for the founder, above whom
 * there is no admin
 */
export async function requestedCode(
  { keys, platform, ledger, signer: ownSigner }: LoggedParts,
  now: Followed,
): Promise<{ readonly code: string; readonly records: readonly string[] }> {
  const { seat, view } = now;
  const log = keys.log();
  const person = personOf(now);
  const admission = person === undefined ? undefined : view.membership.past.entryOf(person);
  if (seat === undefined || log === undefined || admission === undefined || !isAdmission(admission))
    throw new FixpointError('DEVICE_NOT_APPROVED');
  if (admission.kind === 'start')
    throw new FixpointError(
      'FORBIDDEN',
      'nobody can confirm a code of the founder: replace the code instead',
    );
  const recovery = await newLogRecovery(platform.random);
  const [user, pub] = [utf8(admission.user), recovery.sealing.publicKey];
  const ok = await consentOf(recovery.signer, { ledger, user, kind: 'code', seal: pub });
  const fields = { t: 'code', pub, sign: recovery.signer.publicKey, user, ok } as const;
  const place = { at: timeBytes(platform.time.now()), in: bytesOfHex(seat.entry) };
  const record = await signedCodeRequest({ ...fields, ...place }, ledger, await ownSigner());
  return {
    code: recovery.code,
    records: [await keys.grantToRecovery(recovery, log), encodeRecord(record)],
  };
}

/** Returns the requests of members for recovery codes. */
export const codeRequestsOf = ({ requests, followed }: LogSession): readonly CodeRequest[] => {
  const now = followed();
  return now === undefined ? [] : requests.codes(now.view.membership);
};

/**
 * Returns the texts by which an admin adds a requested code to the log. Earlier codes of the member
 * end (M2).
 * @throws FixpointError FORBIDDEN unless this device belongs to an admin above the member
 */
export const confirmation = (
  parts: LoggedParts,
  session: LogSession,
  { person, record }: CodeRequest,
): Promise<readonly string[]> =>
  session.signed(async (now) => {
    const { current, view } = now;
    if (now.seat === undefined || current === undefined) throw new FixpointError('DEVICE_NOT_APPROVED');
    // An earlier try may have signed the entry, and its answer got lost.
    if (view.membership.seats.ofKey(hex(record.sign)).length > 0) return [];
    const given = { ...placeIn(parts, now), random: parts.platform.random, current, cut: parts.cut() };
    return addedCodeTexts({ ...given, signer: await parts.signer() }, person, record);
  });

const timeBytes = (ms: number): Uint8Array => bytesOfHex(Math.floor(ms).toString(16).padStart(12, '0'));
