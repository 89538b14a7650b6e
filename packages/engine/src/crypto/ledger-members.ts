/**
 * Finds the devices that have the current key of a sealed ledger, those that get the next key, and
 * those that ask for approval.
 */
import { FixpointError } from '@fixpoint/protocol';
import type { GrantRecord, KeyRecord, RotateRecord } from '@fixpoint/protocol/storage';
import { equalBytes, hex } from '../base/bytes.ts';
import { deviceIdOf } from './grant.ts';
import {
  announcedOf,
  grantsOf,
  isMine,
  type KnownKeys,
  recordsOf,
  remembered,
  rotationsOf,
} from './known-keys.ts';
import { MEMBERS_MAX } from './ledger-key-records.ts';
import type { LedgerDevice } from './ledger-keys-interface.ts';

type DeviceRecord = Extract<KeyRecord, { t: 'device' }>;

/** Returns public keys of the devices that have the current key. */
export const membersOf = (known: KnownKeys): readonly Uint8Array[] => [...membersIn(known).values()];

/** Returns whether a device has the current key. @param pub its public key in hex */
export const isMember = (known: KnownKeys, pub: string): boolean => membersIn(known).has(pub);

/** Returns the devices that have the current key, by their public keys in hex. */
const membersIn = (known: KnownKeys): ReadonlyMap<string, Uint8Array> => {
  const { records, proven, currentName, log, logged } = known;
  const of = [records.size, proven.size, currentName, log, logged.size];
  return remembered(known, 'members', of, () => findMembers(known));
};

function findMembers(known: KnownKeys): ReadonlyMap<string, Uint8Array> {
  const { proven, currentName } = known;
  if (currentName === undefined) return new Map();
  const ofCurrent = (record: GrantRecord | RotateRecord) =>
    proven.has(record) && hex(record.key) === currentName;
  const found = [
    ...rotationsOf(known)
      .filter(ofCurrent)
      .flatMap(({ pubs }) => pubs),
    ...grantsOf(known)
      .filter(ofCurrent)
      .map(({ pub }) => pub),
  ];
  return new Map(found.map((pub) => [hex(pub), pub]));
}

/** Returns members that somebody with access announced, and this device. */
export function entitledOf(known: KnownKeys): readonly Uint8Array[] {
  const list = announcedOf(known);
  return membersOf(known).filter((pub) => isMine(known, pub) || list.has(hex(pub)));
}

/**
 * Returns public keys of devices that ask for approval and that never received a key in a proven
 * record.
 */
export function askingOf(known: KnownKeys): readonly Uint8Array[] {
  const given = [...known.proven].flatMap((one) => (one.t === 'grant' ? [one.pub] : one.pubs));
  const everIn = new Set(given.map(hex));
  const list = announcedOf(known);
  return recordsOf<DeviceRecord>(known, 'device').flatMap(({ pub }) =>
    !everIn.has(hex(pub)) && list.has(hex(pub)) ? [pub] : [],
  );
}

/** Returns the device whose id starts with these bytes, if it is announced. */
export function deviceWith(known: KnownKeys, id: Uint8Array): Uint8Array | undefined {
  const list = announcedOf(known);
  return recordsOf<DeviceRecord>(known, 'device').find(
    ({ pub }) => list.has(hex(pub)) && equalBytes(deviceIdOf(pub).subarray(0, id.length), id),
  )?.pub;
}

export const isRecovery = (known: KnownKeys, pub: Uint8Array): boolean =>
  grantsOf(known).some((one) => one.locked !== undefined && equalBytes(one.pub, pub));

/**
 * Checks the limit of members. Beyond this limit, no rotation could list all members, so nobody
 * could be removed.
 * @throws FixpointError LIMIT_REACHED
 */
export function requireRoom(known: KnownKeys): void {
  if (membersOf(known).length >= MEMBERS_MAX)
    throw new FixpointError('LIMIT_REACHED', 'devices of one ledger');
}

/** Describes the devices and recovery codes that have the current key. */
export function describeDevices(known: KnownKeys): readonly LedgerDevice[] {
  const list = announcedOf(known);
  const own = list.get(hex(known.device.pair.publicKey))?.user;
  return membersOf(known).map((pub) => {
    const { user: owner, since } = list.get(hex(pub)) ?? {};
    const at = since === undefined ? Number.NaN : Date.parse(since);
    return {
      id: hex(deviceIdOf(pub)),
      isThis: isMine(known, pub),
      isRecovery: isRecovery(known, pub),
      owner,
      isOwn: isMine(known, pub) || (owner !== undefined && owner === own),
      since: Number.isNaN(at) ? undefined : at,
    };
  });
}
