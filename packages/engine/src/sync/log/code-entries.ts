/** Writes entries of the membership log that recovery codes sign, or that introduce one. */
import { FixpointError } from '@fixpoint/protocol';
import {
  bytesOfHex,
  type CodeRecord,
  consentOf,
  type EntryFields,
  type EntryId,
  isAdmission,
  isSignedBy,
  type Signer,
  signatureFault,
} from '@fixpoint/protocol/storage';
import { hex, utf8 } from '../../base/bytes.ts';
import type { LogRecovery } from '../../crypto/grant.ts';
import { keptBy, type LogWriterParts, signed, signedAll, withRotation } from './log-writer.ts';

/**
 * Returns the texts of one request by which a recovery code adds this device to its person (J4).
 * @throws FixpointError DEVICE_NOT_APPROVED if the code was spent or removed
 */
export async function deviceTexts(
  parts: Omit<LogWriterParts, 'cut' | 'current' | 'random'>,
  device: { readonly signer: Signer; readonly seal: Uint8Array; readonly name: string },
): Promise<readonly string[]> {
  const { view, ledger, signer: code } = parts;
  const { membership, read } = view;
  const seat = membership.seats.ofKey(hex(code.publicKey)).find(membership.isCurrent);
  const person = seat && membership.past.entryOf(seat.person);
  if (seat === undefined || person === undefined || !isAdmission(person))
    throw new FixpointError('DEVICE_NOT_APPROVED', 'this recovery code is no longer valid');
  const consent = { ledger, user: utf8(person.user), kind: 'device' as const, seal: device.seal };
  const { texts } = await signed(parts, read.entries, {
    ...{ t: 'device', person: bytesOfHex(person.id), name: utf8(device.name) },
    ...{ dev: device.signer.publicKey, seal: device.seal, ok: await consentOf(device.signer, consent) },
  });
  return texts;
}

/**
 * Returns the texts of one request by which a recovery code names its successor, together with this
 * device (C5). The code is then spent.
 * @param device signs for this device
 * @throws FixpointError DEVICE_NOT_APPROVED if the code was spent or removed; FORBIDDEN if the code
 * belongs to somebody else, or added this device
 */
export async function successorTexts(
  parts: Omit<LogWriterParts, 'cut' | 'current' | 'random'>,
  device: Signer,
  next: LogRecovery,
): Promise<readonly string[]> {
  const { view, ledger, signer: code } = parts;
  const { membership, read } = view;
  const { seats, isCurrent, past } = membership;
  const spent = seats.ofKey(hex(code.publicKey)).find(isCurrent);
  const person = spent && past.entryOf(spent.person);
  if (spent === undefined || person === undefined || !isAdmission(person))
    throw new FixpointError('DEVICE_NOT_APPROVED', 'this recovery code is no longer valid');
  const own = seats
    .ofKey(hex(device.publicKey))
    .find((seat) => isCurrent(seat) && seat.person === spent.person);
  if (own === undefined) throw new FixpointError('FORBIDDEN', 'this recovery code belongs to somebody else');
  const [csign, cseal] = [next.signer.publicKey, next.sealing.publicKey];
  const consent = { ledger, user: utf8(person.user), kind: 'code' as const, seal: cseal };
  const { texts } = await signed(
    parts,
    read.entries,
    {
      ...{
        t: 'code',
        person: bytesOfHex(person.id),
        csign,
        cseal,
        cok: await consentOf(next.signer, consent),
      },
      with: bytesOfHex(own.entry),
    },
    device,
  );
  return texts;
}

/**
 * Returns the texts of one request that adds a requested code to its person, in place of earlier
 * codes (M2).
 * @throws FixpointError FORBIDDEN unless this device belongs to an admin above the person;
 * REQUEST_INVALID
 */
export async function addedCodeTexts(
  parts: LogWriterParts,
  person: EntryId,
  { pub, sign, ok, user }: CodeRecord,
): Promise<readonly string[]> {
  const { view, ledger, cut } = parts;
  const { seats, isCurrent } = view.membership;
  const earlier = seats.all.filter(
    (seat) => seat.person === person && seat.kind === 'code' && isCurrent(seat),
  );
  const keep = keptBy(view.membership, earlier, []);
  const removals = earlier.map(
    ({ key }): EntryFields => ({
      ...{ t: 'remove', target: bytesOfHex(key) },
      ...(cut.length > 0 && { cut }),
      ...(keep.length > 0 && { keep }),
    }),
  );
  const code = { t: 'code', person: bytesOfHex(person), csign: sign, cseal: pub, cok: ok };
  const { texts, entries, last } = await signedAll(parts, [...removals, code]);
  const fault = await signatureFault(last?.fieldsOfEntry ?? {}, ledger, user, isSignedBy);
  if (fault !== undefined)
    throw new FixpointError('REQUEST_INVALID', `the consent of this code isn't valid (${fault})`);
  // The removed codes have the current key.
  return earlier.length === 0 ? texts : [...texts, ...(await withRotation(parts, entries, { t: 'key' }))];
}
