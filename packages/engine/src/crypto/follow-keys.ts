/** Follows the records of a sealed ledger from keys that this device knows to further keys. */
import type { GrantRecord, RotateRecord } from '@fixpoint/protocol/storage';
import { equalBytes, hex } from '../base/bytes.ts';
import type { OpenKeyPair } from '../base/p256.ts';
import { isProven, logInGrant, openGrant } from './grant.ts';
import { openKeys, vouchersOf } from './key-chain.ts';
import {
  chainsOf,
  grantsOf,
  isNext,
  isRotatedAway,
  type KnownKeys,
  rotationsOf,
  takeKeys,
  wasApproved,
} from './known-keys.ts';
import { isListedLog } from './log/listed-starts.ts';
import { openRotation } from './rotation-record.ts';
import type { LedgerKey } from './sealed-object.ts';

/** Secrets that may open a grant. */
export type Secrets = () => readonly Uint8Array[];

/**
 * Learns all keys that the records lead to. Follows rotations before grants. Otherwise, a rotation
 * to a key that a grant already contained would be skipped, and that key could never become the
 * current one. Returns whether a key is new, or became the current one.
 * @param own the pair of this device, or of a recovery code
 */
export async function openUntilDone(known: KnownKeys, own: OpenKeyPair, secrets: Secrets): Promise<boolean> {
  let isNews = false;
  while (
    (await followRotations(known, own)) ||
    (await takeGrant(known, own, secrets)) ||
    (await followChain(known))
  )
    isNews = true;
  return (await findLog(known, own, secrets)) || isNews;
}

async function followRotations(known: KnownKeys, own: OpenKeyPair): Promise<boolean> {
  const { ledger, keys, proven } = known;
  let isNews = false;
  await proveRecords(known);
  // In a ledger with a membership log, only rotations that an entry contains count (D6).
  if (known.log !== undefined) return false;
  for (const rotation of rotationsOf(known)) {
    if (!proven.has(rotation) || keys.has(hex(rotation.key))) continue;
    const box = rotation.boxes[rotation.pubs.findIndex((pub) => equalBytes(pub, own.publicKey))];
    const key = box && (await openRotation(ledger, rotation, box, own));
    if (key === undefined || key.name !== hex(rotation.key)) continue;
    await takeKeys(known, [key], isNext(known, rotation) ? key : undefined);
    isNews = true;
  }
  return isNews;
}

/**
 * Opens one grant and learns its keys. These keys may prove a rotation, which must be followed
 * before the next grant.
 */
async function takeGrant(known: KnownKeys, own: OpenKeyPair, secrets: Secrets): Promise<boolean> {
  const { ledger, keys, device } = known;
  for (const grant of grantsOf(known)) {
    if (!equalBytes(grant.pub, own.publicKey) || keys.has(hex(grant.key))) continue;
    for (const secret of secrets()) {
      const opened = await openGrant(ledger, grant, own, secret);
      if (opened === undefined) continue;
      const given = await newLogIn(known, grant, own, secret);
      // A removed device that is approved again continues with the key of the later grant.
      const isOut = !wasApproved(known) || isRotatedAway(known);
      // A device that waits for the log of its ledger only knows earlier keys of it (L3).
      const keysNow = isOut ? undefined : new Map([...keys].filter(([name]) => name === known.currentName));
      const isRight = given && (await isTrusted(known, own, { log: given, secret, opened, keysNow }));
      // A later list may contain the log. Without it, this device would seal outside of the log.
      if (given !== undefined && isOut && !isRight) continue;
      const [log, mayLead] = [isRight ? given : undefined, isOut || isRight === true];
      const answered = mayLead && secret === device.secret() ? device.nextRequest() : undefined;
      if (await takeKeys(known, opened, mayLead ? opened[0] : undefined, answered, log)) return true;
    }
  }
  return false;
}

/** Returns the id of the log in a grant, unless this device knows its log or ignores logs. */
const newLogIn = async (known: KnownKeys, grant: GrantRecord, own: OpenKeyPair, secret: Uint8Array) =>
  known.followsLogs && known.log === undefined ? logInGrant(known.ledger, grant, own, secret) : undefined;

/**
 * Returns whether a grant may lead this device into a log (L2): the grant answers the pending
 * request, or is the one to a recovery code, and the list contains the start of the log. A member
 * who answered an earlier request knows its secret, and may have been removed since.
 */
async function isTrusted(
  known: KnownKeys,
  own: OpenKeyPair,
  { log, secret, opened = [], keysNow }: LogGrant,
): Promise<boolean> {
  if (own === known.device.pair && secret !== known.device.secret()) return false;
  return keysNow === undefined
    ? isListedLog(known, log, opened)
    : isListedLog({ ...known, keys: keysNow, records: new Map() }, log);
}

interface LogGrant {
  readonly log: Uint8Array;
  readonly secret: Uint8Array;
  /** The data keys in the grant. */
  readonly opened?: readonly LedgerKey[];
  /** The only keys that the start of the log may prove; undefined for all known ones. */
  readonly keysNow?: ReadonlyMap<string, LedgerKey> | undefined;
}

/**
 * Learns the id of the membership log from a grant of a key that this device already has, for
 * example if the device was approved before the log started. Such a grant must be one of the
 * current key: a removed member knows only earlier keys, and may know a code that this device
 * showed to them (L2). A recovery code has its own secret, which only its owner knows.
 */
async function findLog(known: KnownKeys, own: OpenKeyPair, secrets: Secrets): Promise<boolean> {
  const { ledger, device, proven, searched } = known;
  const isOfDevice = own === device.pair;
  if (known.log !== undefined || !known.followsLogs) return false;
  for (const grant of grantsOf(known)) {
    const isRecent = proven.has(grant) && (!isOfDevice || isCurrent(known, grant));
    const tried = [...secrets().map(hex), ...known.starts.keys(), known.keys.size].join();
    if (!equalBytes(grant.pub, own.publicKey) || !isRecent || searched.get(grant) === tried) continue;
    searched.set(grant, tried);
    for (const secret of secrets()) {
      const log = await logInGrant(ledger, grant, own, secret);
      if (log === undefined || !(await isTrusted(known, own, { log, secret }))) continue;
      const answered = isOfDevice ? device.nextRequest() : undefined;
      return takeKeys(known, [], undefined, answered, log);
    }
  }
  return false;
}

const isCurrent = (known: KnownKeys, { key }: GrantRecord): boolean =>
  hex(key) === known.currentName && !isRotatedAway(known);

/** Follows the chain from known keys to earlier ones. */
async function followChain(known: KnownKeys): Promise<boolean> {
  const { ledger, keys, leadsTo } = known;
  let isNews = false;
  for (const record of [...rotationsOf(known), ...chainsOf(known)]) {
    const key = leadsTo.has(record) ? undefined : keys.get(hex(record.key));
    if (key === undefined) continue;
    const box = record.t === 'chain' ? record.box : record.back;
    const earlier = box === undefined ? [] : await openKeys(ledger, key, box);
    if (await takeKeys(known, earlier, undefined)) isNews = true;
    leadsTo.set(
      record,
      earlier.map(({ name }) => name),
    );
  }
  return isNews;
}

/** Finds the records that prove that their author knew the key in the record. */
async function proveRecords(known: KnownKeys): Promise<void> {
  const { ledger, keys, records, proven, vouchers } = known;
  for (const chain of chainsOf(known)) {
    const name = hex(chain.key);
    const found = vouchers.get(name) ?? new Set();
    vouchers.set(name, found);
    const open = chain.proofs.filter((proof) => !found.has(hex(proof.subarray(0, 16))));
    for (const earlier of await vouchersOf(ledger, { ...chain, proofs: open }, keys)) found.add(earlier);
  }
  const isVouched = (record: GrantRecord | RotateRecord) =>
    record.t === 'rotate' && (vouchers.get(hex(record.key))?.size ?? 0) > 0;
  for (const record of records.values()) {
    if ((record.t !== 'grant' && record.t !== 'rotate') || proven.has(record)) continue;
    const key = keys.get(hex(record.t === 'grant' ? record.key : record.prev));
    if (isVouched(record) || (key !== undefined && (await isProven(ledger, record, key)))) proven.add(record);
  }
}
