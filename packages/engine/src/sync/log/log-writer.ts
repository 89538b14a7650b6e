/** Writes entries of the membership log that this device signs, with the rotations they contain. */
import { FixpointError } from '@fixpoint/protocol';
import {
  bytesOfHex,
  type ConsentRecord,
  decodeEntry,
  type EntryFields,
  type EntryId,
  isSignedBy,
  type LogEntry,
  type Role,
  type Signer,
  type SigningKey,
  signatureFault,
} from '@fixpoint/protocol/storage';
import { hex, textOf, utf8 } from '../../base/bytes.ts';
import { sha256 } from '../../codec/sha256.ts';
import { deviceIdOf } from '../../crypto/grant.ts';
import type { LedgerAdmission } from '../../crypto/ledger-keys.ts';
import { makeLogRotation } from '../../crypto/rotation-record.ts';
import type { LedgerKey } from '../../crypto/sealed-object.ts';
import { evaluate, type Membership } from '../../membership/evaluate.ts';
import { newEntry, placeOf } from '../../membership/form/new-entry.ts';
import { recipientsIn } from '../../membership/keys.ts';
import type { Seat } from '../../membership/seats.ts';
import type { Random } from '../../ports/random.ts';
import type { LogView } from '../ledger/log-view.ts';
import { rejectForm } from '../ledger/start-log.ts';

const ROT_BYTES = 48;
/** Maximum number of keys in `keep` (F2). */
const KEEP_MAX = 64;
/**
 * Maximum number of seats whose leaving one request confirms. The next ones follow with the next
 * rotation. The gateway accepts at most 64 new entries in a request.
 */
const CONFIRMED_MAX = 16;

export interface LogWriterParts {
  /** See `ledgerBytes`. */
  readonly ledger: Uint8Array;
  readonly random: Random;
  readonly signer: Signer;
  /** When the entries are signed, in milliseconds since 1970. */
  readonly timeMs: number;
  /** The id of the log. */
  readonly start: EntryId;
  readonly view: LogView;
  /** The current data key. */
  readonly current: LedgerKey;
  /** The heads of the database: CIDs of events in bytes, sorted, at most 16 (E3). */
  readonly cut: readonly Uint8Array[];
}

/**
 * Returns the texts of one request that removes devices and recovery codes, and rotates the data
 * key. Removes a person whose last devices these are. Without ids, only rotates the key.
 * @param ids the ids of devices, in hex
 * @param left seats that left, which the entries confirm (C4)
 * @throws FixpointError NOT_FOUND; FORBIDDEN if the rules don't let this device remove one of them;
 * DEVICE_NOT_APPROVED; LIMIT_REACHED
 */
export async function removalTexts(
  parts: LogWriterParts,
  ids: readonly string[],
  left: readonly Seat[] = [],
): Promise<readonly string[]> {
  const fields = removalFields(parts, ids, left);
  const last = fields.pop() ?? { t: 'key' };
  const { texts, entries } = await signedAll(parts, fields);
  return [...texts, ...(await withRotation(parts, entries, last))];
}

/** Returns the fields of the entries that remove devices, and confirm that others left. */
function removalFields(
  parts: Pick<LogWriterParts, 'view' | 'signer' | 'cut'>,
  ids: readonly string[],
  left: readonly Seat[],
): EntryFields[] {
  const { membership } = parts.view;
  const { signer, cut } = parts;
  const named = ids.map((id) => seatWithId(membership, id));
  const own = membership.seats.ofKey(hex(signer.publicKey))[0]?.person;
  const removals = targetsOf(membership, named, own);
  const confirmed = confirmedWith(membership, named, removals, left);
  const keys = [...new Set(confirmed.map(({ key }) => key))].map((key) => ({ target: bytesOfHex(key) }));
  const targets = [...removals, ...keys];
  const keep = keptBy(membership, [...named, ...confirmed], targets);
  return targets.map(
    (target): EntryFields => ({
      ...{ t: 'remove', ...target },
      ...(cut.length > 0 && { cut }),
      ...(keep.length > 0 && { keep }),
    }),
  );
}

/**
 * Returns those seats that left whose confirmation fits into a request beside these removals.
 * Anybody can add many devices that leave, and that must not prevent a removal.
 */
export function confirmedWith(
  membership: Membership,
  named: readonly Seat[],
  removals: readonly Target[],
  left: readonly Seat[],
): readonly Seat[] {
  const chosen: Seat[] = [];
  for (const seat of left) {
    if (chosen.length === CONFIRMED_MAX) break;
    const kept = keysKept(membership, [...named, ...chosen, seat], removals);
    if (kept.length <= KEEP_MAX) chosen.push(seat);
  }
  return chosen;
}

function seatWithId({ seats, isCurrent }: Membership, id: string): Seat {
  const seat = seats.all.find((one) => isCurrent(one) && hex(deviceIdOf(bytesOfHex(one.seal))) === id);
  if (seat === undefined) throw new FixpointError('NOT_FOUND', 'no device with this id');
  return seat;
}

type Target = { readonly person: Uint8Array } | { readonly target: Uint8Array };

/** Returns a person in place of all their devices: a recovery code of theirs must end, too. */
function targetsOf(
  { seats, isCurrent }: Membership,
  removed: readonly Seat[],
  own: EntryId | undefined,
): readonly Target[] {
  const isWhole = (person: EntryId) =>
    person !== own &&
    seats.all.every(
      (seat) => seat.person !== person || seat.kind === 'code' || !isCurrent(seat) || removed.includes(seat),
    );
  const persons = [...new Set(removed.map(({ person }) => person))].filter(isWhole);
  const keys = removed.filter(({ person }) => !persons.includes(person)).map(({ key }) => key);
  return [
    ...persons.map((person) => ({ person: bytesOfHex(person) })),
    ...[...new Set(keys)].map((key) => ({ target: bytesOfHex(key) })),
  ];
}

/**
 * Returns the keys of the seats that stay: those that a removed seat introduced, directly or
 * through others, and that the user doesn't remove (C2). Seats that they introduced stay with them.
 * @throws FixpointError LIMIT_REACHED
 */
export function keptBy(
  membership: Membership,
  removed: readonly Seat[],
  targets: readonly Target[],
): readonly Uint8Array[] {
  const keys = keysKept(membership, removed, targets);
  if (keys.length <= KEEP_MAX) return keys.map(bytesOfHex);
  throw new FixpointError('LIMIT_REACHED', 'devices that the removed ones added: remove some of them first');
}

function keysKept(
  { seats, isCurrent }: Membership,
  removed: readonly Seat[],
  targets: readonly Target[],
): readonly SigningKey[] {
  const persons = new Set(targets.flatMap((one) => ('person' in one ? [hex(one.person)] : [])));
  const isHit = (seat: Seat) => removed.includes(seat) || persons.has(seat.person);
  const introduced = seats.all.filter(
    (seat) => isCurrent(seat) && !isHit(seat) && seat.from !== undefined && isEnded(seat.from),
  );
  // A seat between, which isn't current, also passes a removal on.
  function isEnded(seat: Seat): boolean {
    if (isHit(seat)) return true;
    return !isCurrent(seat) && seat.from !== undefined && isEnded(seat.from);
  }
  return [...new Set(introduced.map(({ key }) => key))].sort();
}

/**
 * Returns the texts of one request by which this device leaves (C13), after it removed others. It
 * creates no key: the next rotation excludes all of them.
 * @param ids the ids of devices that it removes before, in hex
 * @throws FixpointError as {@link removalTexts}
 */
export async function leaveTexts(parts: LogWriterParts, ids: readonly string[]): Promise<readonly string[]> {
  return (await signedAll(parts, [...removalFields(parts, ids, []), { t: 'leave' }])).texts;
}

/**
 * Returns the texts that add the device of a consent to the person of its user, or admit this
 * person.
 * @param admission who the person is, as the user of this device says; undefined for a device of
 * their own
 * @param seen whether the user of this device compared the code of the other device
 * @throws FixpointError FORBIDDEN; REQUEST_INVALID if the device belongs to somebody else than the
 * admission says
 */
export async function admissionTexts(
  parts: Omit<LogWriterParts, 'cut' | 'current' | 'random'>,
  consent: ConsentRecord,
  admission: LedgerAdmission | undefined,
  seen: 'seen' | 'not seen' = 'seen',
): Promise<readonly string[]> {
  const { view, signer, ledger } = parts;
  const { membership, read } = view;
  const own = membership.seats.ofKey(hex(signer.publicKey)).find(membership.isCurrent)?.person;
  const person = personOf(membership.members, textOf(consent.user), own, admission);
  const keys = {
    ...{ dev: consent.sign, seal: consent.pub, ok: consent.ok },
    ...(seen === 'seen' && { seen: Uint8Array.of(1) }),
  };
  const fields =
    'person' in person
      ? { t: 'device', person: bytesOfHex(person.person), name: utf8('added') }
      : { t: 'person', user: consent.user, name: utf8(person.name), role: person.role };
  const { texts, fieldsOfEntry } = await signed(parts, read.entries, { ...keys, ...fields });
  // Others would ignore an entry without a valid consent.
  const fault = await signatureFault(fieldsOfEntry, ledger, consent.user, isSignedBy);
  if (fault === undefined) return texts;
  throw new FixpointError('REQUEST_INVALID', `the consent of this device isn't valid (${fault})`);
}

/**
 * Returns the member to whom a device belongs, or how to admit its user. The device learns its user
 * id from the server. A lie must not add somebody else's device to the user who approves it, or to
 * another member.
 * @param own the person of this device
 * @throws FixpointError REQUEST_INVALID
 */
function personOf(
  members: Membership['members'],
  user: string,
  own: EntryId | undefined,
  admission: LedgerAdmission | undefined,
): { readonly person: EntryId } | LedgerAdmission {
  const known = members.filter((one) => one.user === user);
  if (admission === undefined) {
    const self = known.find(({ person }) => person === own);
    if (self !== undefined) return self;
    throw new FixpointError('REQUEST_INVALID', `a device of ${user}: a name and a role are needed`);
  }
  const { name, role } = admission;
  const same = known.find((one) => one.person !== own && one.name === name && one.role === role);
  const [other] = known;
  if (same !== undefined || other === undefined) return same ?? admission;
  throw new FixpointError(
    'REQUEST_INVALID',
    `the device says that it belongs to ${other.name} (${other.role})`,
  );
}

/**
 * Returns the texts of one request that give a member another role. Several persons can have one
 * user id (M1), and all of them get the role.
 * @throws FixpointError NOT_FOUND; FORBIDDEN if the rules don't let this device change the role
 */
export async function roleTexts(
  parts: Omit<LogWriterParts, 'current' | 'random'>,
  user: string,
  role: Role,
): Promise<readonly string[]> {
  const { view, cut } = parts;
  const persons = view.membership.members.filter((one) => one.user === user);
  if (persons.length === 0) throw new FixpointError('NOT_FOUND', 'no member with this user id');
  const fields = persons
    .filter((one) => one.role !== role)
    .map(
      ({ person }): EntryFields => ({
        ...{ t: 'role', person: bytesOfHex(person), role },
        ...(role === 'read' && cut.length > 0 && { cut }),
      }),
    );
  return (await signedAll(parts, fields)).texts;
}

/** Signs entries that follow each other. Returns all entries then, and the texts of these. */
export async function signedAll(
  parts: SigningParts & Pick<LogWriterParts, 'view'>,
  fields: readonly EntryFields[],
) {
  let { entries } = parts.view.read;
  const texts: string[] = [];
  let last: Awaited<ReturnType<typeof signed>> | undefined;
  for (const one of fields) {
    last = await signed(parts, entries, one);
    entries = [...entries, ...last.made];
    for (const text of last.texts) texts.push(text);
  }
  return { texts, entries, last };
}

type SigningParts = Pick<LogWriterParts, 'ledger' | 'signer' | 'timeMs' | 'start'>;

/**
 * Signs an entry, after the joins that it needs.
 * @throws FixpointError FORBIDDEN if it wouldn't count; DEVICE_NOT_APPROVED; REQUEST_INVALID for a
 * name that isn't valid
 */
export async function signed(
  { ledger, signer, timeMs, start }: SigningParts,
  entries: readonly LogEntry[],
  fields: EntryFields,
  cosigner?: Signer,
) {
  const membership = evaluate(entries, start);
  const seat = membership.seats.ofKey(hex(signer.publicKey)).find(membership.isCurrent);
  if (seat === undefined) throw new FixpointError('DEVICE_NOT_APPROVED');
  const place = placeOf(membership, seat);
  const texts = await newEntry(place, ledger, fields, signer, timeMs, cosigner).catch(rejectForm);
  const decoded = texts.map((text) => decodeEntry(text, sha256));
  const made = decoded.map(({ entry }) => entry);
  const { id } = made.at(-1) as LogEntry;
  const fieldsOfEntry = decoded.at(-1)?.fields as EntryFields;
  const after = evaluate([...entries, ...made], start);
  if (!after.counts(id))
    throw new FixpointError('FORBIDDEN', `by rule ${after.reasonOf(id)?.rule} of the membership log`);
  return { texts, made, id, fieldsOfEntry, after, seat, prev: place.fields['prev'] as Uint8Array[] };
}

/** Signs an entry with a rotation, unless the author has no right to rotate (C7). */
export async function withRotation(
  parts: LogWriterParts,
  entries: readonly LogEntry[],
  fields: EntryFields,
): Promise<readonly string[]> {
  const { ledger, random, start, view, current } = parts;
  // The recipients follow from the entry, and the record names its place. So it is signed twice.
  const blank = fields['t'] === 'key' ? { rot: new Uint8Array(ROT_BYTES) } : {};
  const trial = await signed(parts, entries, { ...fields, ...blank });
  const { after, id, seat, prev } = trial;
  if (!after.counting.hadRole(seat.person, 'write', id)) return trial.texts;
  const known = evaluate(after.past.upTo(id), start);
  const { rot, text } = await makeLogRotation({
    ...{ ledger, random, current, prev },
    recipients: recipientsIn(known).map(bytesOfHex),
    back: (view.key?.back ?? []).flatMap((name) => view.keys.get(name) ?? []),
  });
  const { texts } = await signed(parts, entries, { ...fields, rot });
  return [...texts, text];
}
