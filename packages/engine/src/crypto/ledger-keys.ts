/** Keys of a sealed ledger on this device: `docs/internals/sealed-ledgers.md`, "Key records". */
import { FixpointError } from '@fixpoint/protocol';
import { hex } from '../base/bytes.ts';
import { newPair } from '../base/p256.ts';
import { hexOf } from './announced-devices.ts';
import { readDeviceCode } from './device-pair.ts';
import { openUntilDone } from './follow-keys.ts';
import {
  deviceIdOf,
  GRANT_KEYS_MAX,
  type GrantParts,
  grantToRecovery,
  lockPair,
  makeGrant,
  SEAT_SECRET,
  unlockPair,
  unlockPairs,
} from './grant.ts';
import { makeChain } from './key-chain.ts';
import { keysApart, lostRecords, recordsToKeep, supersededRecords } from './key-list-records.ts';
import {
  announcedOf,
  grantsOf,
  isApproved,
  isMine,
  type KnownKeys,
  keepLog,
  keepPlan,
  type LedgerKeysParts,
  learnRecords,
  learnStarts,
  loadKnownKeys,
  readCurrent,
  takeKeys,
  takePlan,
} from './known-keys.ts';
import { encodeRecord } from './ledger-key-records.ts';
import type { CodePairs, LedgerKeyring, LedgerKeys, SupersededRecords } from './ledger-keys-interface.ts';
import {
  askingOf,
  describeDevices,
  deviceWith,
  entitledOf,
  isMember,
  isRecovery,
  membersOf,
  requireRoom,
} from './ledger-members.ts';
import { makeRotation } from './rotation-record.ts';
import { type LedgerKey, ledgerKey } from './sealed-object.ts';
import { decodeCode, encodeCode } from './secret-code.ts';

const SECRET_BYTES = 16;
const RECOVERY_BYTES = 20;
/**
 * Minimum number of keys in a grant, if there are that many, because devices of earlier versions
 * don't follow chains.
 */
const FORMER_GRANT_KEYS = 60;
/** Up to this number of superseded rotations, superseded records remain in the list. */
const ROTATIONS_KEPT = 32;

export type {
  CodePairs,
  LedgerAdmission,
  LedgerDevice,
  LedgerKeyring,
  LedgerKeys,
  Named,
  ReplacedCode,
} from './ledger-keys-interface.ts';
export type {
  EarlierChanges,
  EarlierDevice,
  LedgerCodeRequest,
  LedgerFork,
  LedgerLog,
  LedgerMember,
  UnconfirmedEntry,
  WithheldEvent,
} from './log/described-log.ts';

/** Opens the keys. @throws FixpointError CORRUPT when their rows are damaged */
export async function openLedgerKeys(parts: LedgerKeysParts): Promise<LedgerKeys> {
  const known = await loadKnownKeys(parts);
  const { device } = known;
  const ownPub = device.pair.publicKey;
  /** Records that `supersededRecords` returned before. */
  const givenUp = new Set<string>();
  return {
    all: () => known.keys,
    current: () => readCurrent(known),
    isApproved: () => isApproved(known),
    code: device.code,
    learn: (texts, said = {}) => learn(known, texts, said),
    lost: (listed) => lostRecords(known, listed).map((text) => [text]),
    devices: () => describeDevices(known),
    keyring: () => describeKeyring(known),
    keyringMark: () => JSON.stringify(describeKeyring(known)),
    announcement: () => encodeRecord({ t: 'device', pub: ownPub }),
    requests: () => requestsIn(known),
    isAnnounced: () => announcedOf(known).has(hex(ownPub)),
    create: () => createFirst(known),
    grant: async (code) => [await grantTo(known, code)],
    grantToDevice: async (pub, secret) => {
      requireRoom(known);
      return encodeRecord(await makeGrant(grantParts(known), pub, secret));
    },
    grantToSeat: async (pub) => encodeRecord(await makeGrant(grantParts(known), pub, SEAT_SECRET)),
    missingGrants: async () => [],
    confirmLeaves: async () => [],
    secret: device.secret,
    access: () => (known.said.devices === undefined ? undefined : announcedOf(known)),
    user: () => announcedOf(known).get(hex(ownPub))?.user,
    consent: async () => undefined,
    greeting: async () => undefined,
    isIn: (code) => {
      const asked = deviceWith(known, readDeviceCode(code).id);
      return asked !== undefined && isMember(known, hex(asked));
    },
    asks: (code) => deviceWith(known, readDeviceCode(code).id) !== undefined,
    hasCurrent: (pub) => isMember(known, pub),
    rotate: async (removedIds) => [
      await rotateTo(
        known,
        entitledOf(known).filter((pub) => !removedIds.includes(hex(deviceIdOf(pub)))),
      ),
    ],
    rotateAway: async () => {
      const remaining = entitledOf(known);
      return remaining.length === membersOf(known).length ? [] : [await rotateTo(known, remaining)];
    },
    links: async () => chainTo(known, keysApart(known)),
    supersededRecords: () => giveUpRecords(known, givenUp),
    newRecoveryCode: () => createRecoveryCode(known),
    recover: (code) => recover(known, code),
    unlock: (code) => unlockCode(known, code),
    pair: device.pair,
    rotations: () => [...known.records].flatMap(([text, { t }]) => (t === 'rotate' ? [text] : [])),
    takeLogKeys: (keys, current) => takeKeys(known, keys, current),
    log: () => known.log,
    takeLog: (log) => keepLog(known, log),
    withdrawLog: () => keepLog(known, undefined),
    grantToRecovery: async (recovery, log) => {
      requireRoom(known);
      return encodeRecord(await grantToRecovery({ ...grantParts(known), log }, recovery));
    },
    replaceCode: noLog,
    setRole: noLog,
    rename: noLog,
    acceptLog: noLog,
    dismissLog: noLog,
    vouch: async () => false,
    signer: noLog,
    plannedLog: () => known.plan,
    planLog: (plan) => keepPlan(known, plan),
    takePlannedLog: async () => {
      if (known.plan !== undefined) await takePlan(known, known.plan);
    },
  };
}

/** The calls that only `loggedKeys` implements. */
const noLog = async (): Promise<never> => {
  throw new FixpointError('NOT_IMPLEMENTED', 'a ledger without a membership log');
};

async function learn(
  known: KnownKeys,
  texts: readonly string[],
  { devices, removed, rejected }: KnownKeys['said'],
): Promise<boolean> {
  const { device } = known;
  const { said } = known;
  known.said = {
    devices: devices ?? said.devices,
    removed: removed ?? said.removed,
    rejected: rejected ?? said.rejected,
  };
  learnRecords(known, texts);
  await learnStarts(known, texts);
  let isNews = await openUntilDone(known, device.pair, device.secrets);
  const isUnanswered = grantsOf(known).some(
    ({ pub, key }) => isMine(known, pub) && !known.keys.has(hex(key)),
  );
  // Another tab may have made a later request.
  if (isUnanswered && (await device.refresh()))
    isNews = (await openUntilDone(known, device.pair, device.secrets)) || isNews;
  await known.kept.set(recordsToKeep(known));
  return isNews;
}

const requestsIn = (known: KnownKeys): ReadonlyMap<string, string> =>
  new Map(
    [...known.records].flatMap(([text, one]) =>
      one.t === 'device' && announcedOf(known).has(hex(one.pub)) ? [[hex(deviceIdOf(one.pub)), text]] : [],
    ),
  );

/**
 * Returns whether the request of this device was rejected. The server says so, because a list
 * without the request shows nothing: a restored server may have lost it, and tabs hear lists at
 * different times.
 */
function isRejected(known: KnownKeys): boolean {
  const own = hex(known.device.pair.publicKey);
  return !isApproved(known) && known.said.rejected?.some((pub) => hexOf(pub) === own) === true;
}

function describeKeyring(known: KnownKeys): LedgerKeyring {
  return {
    ...(isRejected(known) && { isRejected: true }),
    current: known.currentName,
    count: known.keys.size,
    hasRecoveryCode: membersOf(known).some((pub) => isRecovery(known, pub)),
    asking: askingOf(known).map((pub) => hex(deviceIdOf(pub))),
  };
}

async function createFirst({ ledger, random, device }: KnownKeys): Promise<readonly string[]> {
  const key = ledgerKey(random.bytes(32));
  const pub = device.pair.publicKey;
  const made = await makeGrant({ ledger, random, keys: [key], current: key }, pub, device.secret());
  return [encodeRecord({ t: 'device', pub }), encodeRecord(made)];
}

async function grantTo(known: KnownKeys, code: string): Promise<string> {
  const { id, secret } = readDeviceCode(code);
  const asked = deviceWith(known, id);
  if (asked === undefined) throw new FixpointError('NOT_FOUND', 'no device with this code asks for approval');
  requireRoom(known);
  return encodeRecord(await makeGrant(grantParts(known), asked, secret));
}

/**
 * Returns the keys for a grant: the current key, then keys that no record leads to, as far as they
 * fit, then others for devices of earlier versions.
 */
function grantParts(known: KnownKeys): GrantParts {
  const { ledger, random, keys, currentName, log } = known;
  const needed = keysApart(known);
  const others = [...keys.values()]
    .filter((key) => key.name !== currentName && !needed.includes(key))
    .reverse();
  const listed = [...needed.slice(0, GRANT_KEYS_MAX - 1), ...others];
  const count = Math.max(FORMER_GRANT_KEYS, Math.min(needed.length + 1, GRANT_KEYS_MAX));
  const current = readCurrent(known);
  return { ledger, random, current, keys: [current, ...listed].slice(0, count), ...(log && { log }) };
}

async function rotateTo(known: KnownKeys, remaining: readonly Uint8Array[]): Promise<string> {
  const { ledger, random, report } = known;
  const skipped = (pub: Uint8Array, cause: unknown) =>
    report(new FixpointError('KEY_INVALID', `of device ${hex(deviceIdOf(pub))}`, { cause }));
  return encodeRecord(
    await makeRotation({ ledger, random, current: readCurrent(known) }, remaining, skipped),
  );
}

async function chainTo(known: KnownKeys, earlier: readonly LedgerKey[]): Promise<readonly string[]> {
  const { ledger, random } = known;
  return (await makeChain(ledger, readCurrent(known), earlier, random)).map(encodeRecord);
}

/**
 * Returns superseded records that were not returned before, unless there are too few.
 * @param givenUp the texts that were returned before; receives the texts that this call returns
 */
async function giveUpRecords(known: KnownKeys, givenUp: Set<string>): Promise<SupersededRecords | undefined> {
  const { keys, records, currentName } = known;
  const superseded = supersededRecords(known).filter((text) => !givenUp.has(text));
  if (superseded.filter((text) => records.get(text)?.t === 'rotate').length <= ROTATIONS_KEPT)
    return undefined;
  for (const text of superseded) givenUp.add(text);
  const first = await chainTo(
    known,
    [...keys.values()].filter(({ name }) => name !== currentName),
  );
  return { first, superseded };
}

async function createRecoveryCode(known: KnownKeys): Promise<{ code: string; records: readonly string[] }> {
  const { ledger, random } = known;
  const recovery = random.bytes(RECOVERY_BYTES);
  const own = await newPair(random.bytes(32));
  requireRoom(known);
  const locked = await lockPair(ledger, own, recovery);
  const record = encodeRecord(await makeGrant(grantParts(known), own.publicKey, recovery, locked));
  return { code: encodeCode(recovery), records: [record] };
}

/**
 * Learns the keys that a code opens. Returns its pairs.
 * @throws FixpointError REQUEST_INVALID, KEY_UNKNOWN
 */
async function unlockCode(known: KnownKeys, code: string): Promise<CodePairs> {
  const { ledger } = known;
  const recovery = decodeCode(code, RECOVERY_BYTES);
  for (const { locked } of grantsOf(known)) {
    if (locked === undefined) continue;
    const single = await unlockPair(ledger, locked, recovery);
    const pairs = single ? { sealing: single } : await unlockPairs(ledger, locked, recovery);
    if (pairs === undefined) continue;
    await openUntilDone(known, pairs.sealing, () => [recovery]);
    return pairs;
  }
  throw new FixpointError('KEY_UNKNOWN', 'this code opens nothing here');
}

async function recover(known: KnownKeys, code: string): Promise<readonly string[]> {
  const { random, device } = known;
  await unlockCode(known, code);
  const made = await makeGrant(grantParts(known), device.pair.publicKey, random.bytes(SECRET_BYTES));
  return [encodeRecord(made)];
}
