/**
 * Decides which records may be put into the key list of a sealed ledger (docs/decisions/0133). The
 * gateway can't decrypt any record. But it sees which public keys each record contains, who put the
 * record, and who has access now.
 */
import { FixpointError } from '@fixpoint/protocol';
import {
  type DeviceRecord,
  type GrantRecord,
  hasRotationReserve,
  type KeyRecord,
  parseKeyRecord,
  type RotateRecord,
  recordFields,
} from '@fixpoint/protocol/storage';
import type { LedgerAccess, LedgerRights } from '../../rights/rights.ts';
import { isTenantAdmin } from '../../rights/standing.ts';
import type { Db } from '../../tables/connection.ts';
import {
  GREETING_KIND,
  isLogEntry,
  type KeyPolicy,
  type LedgerKeyList,
  readKeyList,
  type StoredKey,
} from '../../tables/sync/ledger-key-rows.ts';
import type { LedgerId } from '../../tables/sync/meta-rows.ts';
import { greetingPolicy } from './greeting-policy.ts';
import { announcedIn, textOf } from './key-records.ts';
import { logPolicy } from './log-policy.ts';

const DAY_MS = 86_400_000;
const KNOWN_TYPES = new Set(['device', 'grant', 'rotate', 'chain', 'consent', 'code']);

export interface Putter {
  readonly db: Db;
  readonly rights: LedgerRights;
  readonly id: LedgerId;
  readonly userId: string;
  /** Whether both the caller's rights and their token allow writes. */
  readonly mayWrite: boolean;
  /** Whether the caller is a program with an API token. */
  readonly isProgram: boolean;
  /** Whether this server lets admins start membership logs. */
  readonly startsLogs: boolean;
  readonly now: number;
  /** Counts a put of new entries of the membership log. @throws RateLimited */
  readonly takeTurn: () => void;
}

/**
 * Creates the policy of one put. Looks up all rights before the key list is locked, because no
 * other table is read while the list is locked.
 * @throws FixpointError REQUEST_INVALID, FORBIDDEN, CONFLICT, LIMIT_REACHED
 */
export async function keyPolicy(
  { db, rights, id, userId, mayWrite, isProgram, startsLogs, now, takeTurn }: Putter,
  keys: readonly string[],
): Promise<KeyPolicy | undefined> {
  if (!keys.some((key) => key.startsWith('S'))) return undefined;
  const access = new Map<string, LedgerAccess>();
  const before = await readKeyList(db, id.ledger);
  const { recordsOf } = before;
  for (const user of [...recordsOf.keys(), userId])
    access.set(user, await rights.accessTo(user, id.tenant, id.ledger));
  const rotations = keys.filter((key) => parseKeyRecord(key)?.t === 'rotate');
  const isAsked = rotations.length > 0 || keys.some(isLogEntry);
  // The token of an admin may be limited to reading.
  const isAdmin = isAsked && mayWrite && (await isTenantAdmin(db, userId, id.tenant));
  const isAdminInPerson = isAdmin && !isProgram;
  const mayStart = startsLogs && isAdminInPerson;
  const right = isAdminInPerson ? 'admin' : mayWrite ? 'write' : 'read';
  const putter = { id, userId, right, mayStart, now, takeTurn } as const;
  const log = await logPolicy(putter, keys, rotations, before);
  const greeting = await greetingPolicy(id, keys, before, takeTurn);
  let replaced: readonly string[] | undefined;
  // A user who isn't in the map put their first record after this lookup, so they have access.
  const accessOf = (user: string) => access.get(user) ?? 'write';
  let hasReserve = false;
  return {
    isFree: (user) => accessOf(user) === 'none',
    placeOf: (keyText) => {
      const seat = greeting?.seatOf(keyText);
      return seat === undefined ? log.placeOf(keyText) : { id: seat, kind: GREETING_KIND };
    },
    isOutdated: (keyText) => replaced === undefined && greeting?.seatOf(keyText) !== undefined,
    replaced: () => replaced ?? [],
    hasReserve: () => hasReserve,
    check: (list) => {
      const hasLog = log.check(list);
      replaced = greeting?.check(list);
      hasReserve = hasLog && isAdminInPerson && isWithinReserve(list, keys, userId, now);
      const view = viewOf(list, keys, userId, accessOf);
      const stored = new Set(list.keys);
      for (const key of keys)
        if (!stored.has(key) && !isLogEntry(key)) requireAllowed(key, view, isAdmin, hasLog);
    },
  };
}

/**
 * Returns whether the new records of a put are rotations, and few enough for the reserve of their
 * admin (G4).
 */
function isWithinReserve(
  { records }: LedgerKeyList,
  keys: readonly string[],
  userId: string,
  now: number,
): boolean {
  const stored = new Set(records.map(({ keyText }) => keyText));
  const fresh = [...new Set(keys)].filter((key) => !stored.has(key) && !isLogEntry(key));
  const isRotation = (key: string) => parseKeyRecord(key)?.t === 'rotate';
  const isRecent = ({ userId: owner, createdAt, keyText }: StoredKey) =>
    owner === userId && Date.parse(createdAt) > now - DAY_MS && isRotation(keyText);
  return fresh.every(isRotation) && hasRotationReserve(records.filter(isRecent).length + fresh.length);
}

interface View {
  readonly list: LedgerKeyList;
  readonly userId: string;
  readonly accessOf: (user: string) => LedgerAccess;
  /**
   * Maps each public key to the users with access who announced it; null where the user wasn't
   * recorded.
   */
  readonly owners: ReadonlyMap<string, ReadonlySet<string | null>>;
}

function viewOf(
  list: LedgerKeyList,
  keys: readonly string[],
  userId: string,
  accessOf: View['accessOf'],
): View {
  const owners = new Map<string, Set<string | null>>();
  const note = (keyText: string, owner: string | null) => {
    const pub = announcedIn(keyText);
    if (pub !== undefined) owners.set(pub, (owners.get(pub) ?? new Set()).add(owner));
  };
  for (const { keyText, userId: owner, removedAt } of list.records)
    if (removedAt === null && (owner === null || accessOf(owner) !== 'none')) note(keyText, owner);
  for (const key of keys) note(key, userId);
  return { list, userId, accessOf, owners };
}

/**
 * @param hasLog whether devices compute all rights from a log, so that only the form counts here
 * @throws FixpointError REQUEST_INVALID, FORBIDDEN, CONFLICT
 */
function requireAllowed(key: string, view: View, isAdmin: boolean, hasLog: boolean): void {
  const record = parseKeyRecord(key);
  if (record === undefined) {
    const t = recordFields(key)?.get('t');
    if (typeof t === 'string' && KNOWN_TYPES.has(t))
      throw new FixpointError(
        'REQUEST_INVALID',
        `meta.keys: a ${t} record, or a public key in it, is not valid`,
      );
  } else if (hasLog) {
    return;
  } else if (record.t === 'grant' && record.locked === undefined) {
    if (!view.owners.has(textOf(record.pub)))
      throw new FixpointError('FORBIDDEN', 'no user with access announced the device of this grant');
  } else if (record.t === 'rotate') {
    requireFirst(key, record, view);
    requireAnnounced(record, view);
    if (!isAdmin) requireNobodyDropped(record, view);
  } else if (record.t === 'device' || record.t === 'grant') requireUntaken(record, view);
}

/**
 * Requires that no other user announced the public key. Otherwise one user's records could remove
 * another user's device.
 */
function requireUntaken({ t, pub }: DeviceRecord | GrantRecord, { list, userId, accessOf }: View): void {
  const isTaken = list.records.some(({ keyText, userId: owner }) => {
    if (owner === null || owner === userId || announcedIn(keyText) !== textOf(pub)) return false;
    // A device may pass from a member who left to another member, but a recovery code may not.
    return t === 'grant' || accessOf(owner) !== 'none';
  });
  if (isTaken) throw new FixpointError('FORBIDDEN', 'another user announced this public key');
}

/**
 * Rejects a second rotation of the same key, which would split the devices into two groups. The
 * rejected device then reads the first rotation and rotates again.
 */
function requireFirst(key: string, { prev }: RotateRecord, view: View): void {
  const isSecond = rotationsIn(view).some(
    ({ record, keyText }) => keyText !== key && textOf(record.prev) === textOf(prev),
  );
  if (isSecond) throw new FixpointError('CONFLICT', 'another user rotated the key first');
}

function requireAnnounced({ pubs }: RotateRecord, { owners }: View): void {
  if (!pubs.every((pub) => owners.has(textOf(pub))))
    throw new FixpointError('CONFLICT', 'the rotation includes a device that no user with access announced');
}

/**
 * Requires that a rotation includes the devices of all other users with access, unless an admin
 * puts the rotation. Throws CONFLICT if another device was approved while the client prepared the
 * rotation. The client then retries.
 */
function requireNobodyDropped({ pubs, prev }: RotateRecord, view: View): void {
  const { owners, userId, list, accessOf } = view;
  const listed = new Set(pubs.map(textOf));
  const isDropped = (pub: string) =>
    !listed.has(pub) && [...(owners.get(pub) ?? [])].some((owner) => owner !== userId);
  const before = rotationsIn(view).filter(({ record }) => textOf(record.key) === textOf(prev));
  if (before.some(({ record }) => record.pubs.some((pub) => isDropped(textOf(pub)))))
    throw new FixpointError('FORBIDDEN', "only an admin may leave out other users' devices");
  const isGranted = ({ keyText, userId: by, removedAt }: StoredKey) => {
    // A reader's grant to themselves counts only from the next rotation on, because it could
    // contain anything.
    if (removedAt !== null || (by !== null && accessOf(by) !== 'write')) return false;
    const record: KeyRecord | undefined = parseKeyRecord(keyText);
    return record?.t === 'grant' && textOf(record.key) === textOf(prev) && isDropped(textOf(record.pub));
  };
  if (list.records.some(isGranted)) throw new FixpointError('CONFLICT', 'another device was just approved');
}

/** Returns the rotations in the list whose users may still write. */
function rotationsIn({ list, accessOf }: View) {
  return list.records.flatMap(({ keyText, userId, removedAt }) => {
    if (removedAt !== null || (userId !== null && accessOf(userId) !== 'write')) return [];
    const record = parseKeyRecord(keyText);
    return record?.t === 'rotate' ? [{ record, keyText }] : [];
  });
}
