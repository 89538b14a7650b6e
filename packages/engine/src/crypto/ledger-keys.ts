/**
 * The keys of a sealed ledger on this device. Rows of the database, which are sealed with its own key:
 * `<prefix>pair` the private and public key of this device and the secret of its code; `<prefix>key/<hex id>` a data key; `<prefix>current` the id of the current one.
 */
import { FixpointError } from '@fixpoint/protocol';
import { concatBytes, equalBytes } from '../base/bytes.ts';
import { newPair, type OpenKeyPair, pairOf } from '../base/p256.ts';
import type { StoreChange } from '../ports/byte-store.ts';
import type { Random } from '../ports/random.ts';
import {
  deviceIdOf,
  isProven,
  lockPair,
  makeGrant,
  makeRotation,
  openGrant,
  openRotation,
  unlockPair,
} from './grant.ts';
import {
  encodeRecord,
  type GrantRecord,
  type KeyRecord,
  MEMBERS_MAX,
  parseRecord,
  type RotateRecord,
} from './key-record.ts';
import { hex, type LedgerKey, ledgerKey } from './sealed-object.ts';
import { decodeCode, encodeCode } from './secret-code.ts';

const PAIR_BYTES = 97;
const SECRET_BYTES = 10;
const RECOVERY_BYTES = 20;
const DEVICE_BYTES = 10;

/** A device of a sealed ledger. */
export interface LedgerDevice {
  /** Hex text; the beginning of the device's code says the same. */
  readonly id: string;
  readonly isThis: boolean;
  /** It stands for a recovery code. */
  readonly isRecovery: boolean;
}

/** What a device knows of the keys of a sealed ledger. */
export interface LedgerKeyring {
  /** The id of the key that seals what is sent now; undefined before this device was let in. */
  readonly current: string | undefined;
  /** How many keys this device has: one more with each time that a device or a member was removed. */
  readonly count: number;
  /** Whether some recovery code opens the ledger. */
  readonly hasRecoveryCode: boolean;
  /** Ids of devices that ask to be let in, and never were in. */
  readonly asking: readonly string[];
}

export interface LedgerKeysParts {
  /** Which ledger it is. */
  readonly ledger: Uint8Array;
  readonly random: Random;
  readonly prefix: string;
  readonly rows: ReadonlyMap<string, Uint8Array>;
  /** Resolves when the rows are durable. */
  readonly save: (rows: readonly StoreChange[]) => Promise<void>;
}

/** Methods that give records give what has to stand in the `keys` list of the ledger; it takes effect when it comes back by `learn`. */
export interface LedgerKeys {
  all(): ReadonlyMap<string, LedgerKey>;
  /** The key to seal with. @throws FixpointError DEVICE_NOT_APPROVED when there is none, or this device was removed */
  current(): LedgerKey;
  isApproved(): boolean;
  /** What another device needs in order to let this one in. */
  code(): string;
  /** Takes the texts of a `keys` list. Gives whether a key is new, or became the current one. */
  learn(texts: readonly string[]): Promise<boolean>;
  devices(): readonly LedgerDevice[];
  keyring(): LedgerKeyring;
  /** Asks for approval. */
  announcement(): string;
  /** The first key of a new ledger. */
  create(): Promise<readonly string[]>;
  /** @throws FixpointError REQUEST_INVALID for a mistyped code, NOT_FOUND when that device has not asked, DEVICE_NOT_APPROVED, LIMIT_REACHED */
  grant(code: string): Promise<string>;
  /** A new data key, for all devices but these. @throws FixpointError DEVICE_NOT_APPROVED */
  rotate(removedIds: readonly string[]): Promise<string>;
  /**
   * The same for the devices and recovery codes of which these records are; undefined when none of them has the current key. This device keeps it in any case.
   */
  rotateAway(records: readonly string[]): Promise<string | undefined>;
  /** @throws FixpointError DEVICE_NOT_APPROVED, LIMIT_REACHED */
  newRecoveryCode(): Promise<{ readonly code: string; readonly record: string }>;
  /** Takes the keys that a recovery code opens; gives the record that lets this device in. @throws FixpointError REQUEST_INVALID, KEY_UNKNOWN when it opens none */
  recover(code: string): Promise<string>;
}

export async function openLedgerKeys(parts: LedgerKeysParts): Promise<LedgerKeys> {
  const { ledger, random, prefix, rows, save } = parts;
  const keys = new Map<string, LedgerKey>();
  const records = new Map<string, KeyRecord>();
  const proven = new Set<GrantRecord | RotateRecord>();
  const { pair, secret } = await loadPair(parts);
  let currentName: string | undefined;
  for (const [row, bytes] of rows)
    if (row.startsWith(`${prefix}key/`)) keys.set(ledgerKey(bytes).name, ledgerKey(bytes));
  const stored = rows.get(`${prefix}current`);
  if (stored !== undefined && keys.has(hex(stored))) currentName = hex(stored);

  const grants = () => [...records.values()].filter((one): one is GrantRecord => one.t === 'grant');
  const rotations = () => [...records.values()].filter((one): one is RotateRecord => one.t === 'rotate');
  const isMine = (pub: Uint8Array) => equalBytes(pub, pair.publicKey);
  const known = () => (currentName === undefined ? undefined : keys.get(currentName));
  const rotationAway = () =>
    rotations().find((one) => proven.has(one) && hex(one.prev) === currentName && !one.pubs.some(isMine));

  function current(): LedgerKey {
    const key = known();
    if (key === undefined || rotationAway() !== undefined) throw new FixpointError('DEVICE_NOT_APPROVED');
    return key;
  }

  async function take(fresh: readonly LedgerKey[], next: LedgerKey | undefined): Promise<boolean> {
    const added = fresh.filter(({ name }) => !keys.has(name));
    const becomes = next !== undefined && next.name !== currentName ? next : undefined;
    if (added.length === 0 && becomes === undefined) return false;
    await save([
      ...added.map(({ name, material }) => ({ key: `${prefix}key/${name}`, bytes: material })),
      ...(becomes ? [{ key: `${prefix}current`, bytes: becomes.id }] : []),
    ]);
    for (const key of added) keys.set(key.name, key);
    currentName = becomes?.name ?? currentName;
    return true;
  }

  async function prove(): Promise<void> {
    for (const record of records.values()) {
      if (record.t === 'device' || proven.has(record)) continue;
      const key = keys.get(hex(record.t === 'grant' ? record.key : record.prev));
      if (key !== undefined && (await isProven(ledger, record, key))) proven.add(record);
    }
  }

  async function takeGrants(own: OpenKeyPair, ownSecret: Uint8Array): Promise<boolean> {
    let isNews = false;
    for (const grant of grants()) {
      if (!equalBytes(grant.pub, own.publicKey) || keys.has(hex(grant.key))) continue;
      const opened = (await openGrant(ledger, grant, own, ownSecret)) ?? [];
      // Whoever was removed and is let in again goes on with the key of the later grant.
      const [first] = opened;
      const mayLead = known() === undefined || rotationAway() !== undefined;
      if (await take(opened, mayLead ? first : undefined)) isNews = true;
    }
    return isNews;
  }

  async function followRotations(own: OpenKeyPair): Promise<boolean> {
    let isNews = false;
    await prove();
    for (const rotation of rotations()) {
      if (!proven.has(rotation) || keys.has(hex(rotation.key))) continue;
      const box = rotation.boxes[rotation.pubs.findIndex((pub) => equalBytes(pub, own.publicKey))];
      const key = box && (await openRotation(ledger, rotation, box, own));
      if (key === undefined || key.name !== hex(rotation.key)) continue;
      await take([key], hex(rotation.prev) === currentName ? key : undefined);
      isNews = true;
    }
    return isNews;
  }

  /** Rotations to their end before each look at grants: a key that a grant brought first would be known, and never become the current one. */
  async function openUntilDone(own: OpenKeyPair, ownSecret: Uint8Array): Promise<boolean> {
    let isNews = false;
    while ((await followRotations(own)) || (await takeGrants(own, ownSecret))) isNews = true;
    return isNews;
  }

  /** Public keys of the devices that have the current key. */
  function members(): readonly Uint8Array[] {
    if (currentName === undefined) return [];
    const ofCurrent = (record: GrantRecord | RotateRecord) =>
      proven.has(record) && hex(record.key) === currentName;
    const found = [
      ...rotations()
        .filter(ofCurrent)
        .flatMap(({ pubs }) => pubs),
      ...grants()
        .filter(ofCurrent)
        .map(({ pub }) => pub),
    ];
    return [...new Map(found.map((pub) => [hex(pub), pub])).values()];
  }

  /** Public keys that ask, and that no proven record ever gave a key. */
  function asking(): readonly Uint8Array[] {
    const given = [...proven].flatMap((one) => (one.t === 'grant' ? [one.pub] : one.pubs));
    const everIn = new Set(given.map(hex));
    return [...records.values()].flatMap((one) =>
      one.t === 'device' && !everIn.has(hex(one.pub)) ? [one.pub] : [],
    );
  }

  const isRecovery = (pub: Uint8Array): boolean =>
    grants().some((one) => one.locked !== undefined && equalBytes(one.pub, pub));

  /** Who is let in beyond what a rotation can list could never be left out again, nor anybody else. */
  function requireRoom(): void {
    if (members().length >= MEMBERS_MAX) throw new FixpointError('LIMIT_REACHED', 'devices of one ledger');
  }

  const rotateTo = async (remaining: readonly Uint8Array[]) =>
    encodeRecord(await makeRotation(grantParts(), remaining));

  const grantParts = () => ({
    ledger,
    random,
    current: current(),
    keys: [current(), ...[...keys.values()].filter(({ name }) => name !== currentName)],
  });

  return {
    all: () => keys,
    current,
    isApproved: () => known() !== undefined && rotationAway() === undefined,
    code: () => encodeCode(concatBytes([deviceIdOf(pair.publicKey), secret])),
    learn: async (texts) => {
      for (const text of texts) {
        const record = records.has(text) ? undefined : parseRecord(text);
        if (record !== undefined) records.set(text, record);
      }
      return openUntilDone(pair, secret);
    },
    devices: () =>
      members().map((pub) => ({
        id: hex(deviceIdOf(pub)),
        isThis: isMine(pub),
        isRecovery: isRecovery(pub),
      })),
    keyring: () => ({
      current: currentName,
      count: keys.size,
      hasRecoveryCode: members().some(isRecovery),
      asking: asking().map((pub) => hex(deviceIdOf(pub))),
    }),
    announcement: () => encodeRecord({ t: 'device', pub: pair.publicKey }),
    create: async () => {
      const key = ledgerKey(random.bytes(32));
      const made = await makeGrant({ ledger, random, keys: [key], current: key }, pair.publicKey, secret);
      return [encodeRecord({ t: 'device', pub: pair.publicKey }), encodeRecord(made)];
    },
    grant: async (text) => {
      const code = decodeCode(text, DEVICE_BYTES + SECRET_BYTES);
      const id = code.subarray(0, DEVICE_BYTES);
      const asked = [...records.values()].find(
        (one) => one.t === 'device' && equalBytes(deviceIdOf(one.pub), id),
      );
      if (asked?.t !== 'device')
        throw new FixpointError('NOT_FOUND', 'no device with this code asks for approval');
      requireRoom();
      return encodeRecord(await makeGrant(grantParts(), asked.pub, code.subarray(DEVICE_BYTES)));
    },
    rotate: (removedIds) => rotateTo(members().filter((pub) => !removedIds.includes(hex(deviceIdOf(pub))))),
    rotateAway: async (texts) => {
      const gone = new Set(texts.flatMap(ownerOf));
      const all = members();
      const remaining = all.filter((pub) => isMine(pub) || !gone.has(hex(pub)));
      return remaining.length === all.length ? undefined : rotateTo(remaining);
    },
    newRecoveryCode: async () => {
      const recovery = random.bytes(RECOVERY_BYTES);
      const own = await newPair(random.bytes(32));
      requireRoom();
      const locked = await lockPair(ledger, own, recovery);
      const record = encodeRecord(await makeGrant(grantParts(), own.publicKey, recovery, locked));
      return { code: encodeCode(recovery), record };
    },
    recover: async (text) => {
      const recovery = decodeCode(text, RECOVERY_BYTES);
      for (const { locked } of grants()) {
        const own = locked && (await unlockPair(ledger, locked, recovery));
        if (own === undefined) continue;
        await openUntilDone(own, recovery);
        return encodeRecord(await makeGrant(grantParts(), pair.publicKey, secret));
      }
      throw new FixpointError('KEY_UNKNOWN', 'this code opens nothing here');
    },
  };
}

/** Whose record it is: a device's that asks, or a recovery code's. That somebody let a device in does not make it his. */
function ownerOf(text: string): readonly string[] {
  const record = parseRecord(text);
  const isOwn = record?.t === 'device' || (record?.t === 'grant' && record.locked !== undefined);
  return isOwn ? [hex(record.pub)] : [];
}

/** The pair of this device for this ledger, made at first use. @throws FixpointError CORRUPT */
async function loadPair({ prefix, rows, random, save }: LedgerKeysParts) {
  const row = `${prefix}pair`;
  const known = rows.get(row);
  if (known !== undefined) {
    if (known.length !== PAIR_BYTES + SECRET_BYTES)
      throw new FixpointError('CORRUPT', 'key pair of this device');
    return { pair: await pairOf(known.subarray(0, PAIR_BYTES)), secret: known.slice(PAIR_BYTES) };
  }
  const pair = await newPair(random.bytes(32));
  const secret = random.bytes(SECRET_BYTES);
  await save([{ key: row, bytes: concatBytes([pair.both, secret]) }]);
  return { pair, secret };
}
