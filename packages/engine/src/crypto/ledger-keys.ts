/**
 * Keys of a sealed ledger on this device. Rows, sealed with the database's key: `<prefix>key/<hex
 * id>` a data key, `<prefix>current` the id of the current one. Others: `device-pair.ts`.
 */
import { FixpointError } from '@fixpoint/protocol';
import {
  type ChainRecord,
  type GrantRecord,
  type KeyRecord,
  parseKeyRecord,
  type RotateRecord,
} from '@fixpoint/protocol/storage';
import { equalBytes } from '../base/bytes.ts';
import { newPair, type OpenKeyPair } from '../base/p256.ts';
import { announcedBy, type Said } from './announced.ts';
import { loadPair, type PairParts, readDeviceCode } from './device-pair.ts';
import {
  deviceIdOf,
  GRANT_KEYS_MAX,
  isProven,
  lockPair,
  makeGrant,
  makeRotation,
  openGrant,
  openRotation,
  unlockPair,
} from './grant.ts';
import { keptRecords } from './kept-records.ts';
import { makeChain, openKeys, vouchersOf } from './key-chain.ts';
import { encodeRecord, MEMBERS_MAX } from './key-record.ts';
import type { LedgerKeys } from './ledger-keys-interface.ts';
import { hex, type LedgerKey, ledgerKey } from './sealed-object.ts';
import { decodeCode, encodeCode } from './secret-code.ts';

const SECRET_BYTES = 16;
const RECOVERY_BYTES = 20;
/** Keys in a grant for devices of earlier versions, which follow no chain. */
const FORMER_GRANT_KEYS = 60;
/** Rotations kept before superseded ones are removed. */
const ROTATIONS_KEPT = 32;

export type { LedgerDevice, LedgerKeyring, LedgerKeys } from './ledger-keys-interface.ts';

export interface LedgerKeysParts extends PairParts {
  /** Identifies the ledger. */
  readonly ledger: Uint8Array;
  readonly report?: (error: unknown) => void;
}

type Secrets = () => readonly Uint8Array[];

export async function openLedgerKeys(parts: LedgerKeysParts): Promise<LedgerKeys> {
  const { ledger, random, prefix, rows, save, report = () => undefined } = parts;
  const keys = new Map<string, LedgerKey>();
  const records = new Map<string, KeyRecord>();
  const proven = new Set<GrantRecord | RotateRecord>();
  /** The keys that each record leads to. */
  const leadsTo = new Map<RotateRecord | ChainRecord, readonly string[]>();
  /** For each key, the earlier keys that vouch for it. */
  const vouchers = new Map<string, Set<string>>();
  const givenUp = new Set<string>();
  let said: Said = {};
  let currentName: string | undefined;
  for (const [row, bytes] of rows)
    if (row.startsWith(`${prefix}key/`)) keys.set(ledgerKey(bytes).name, ledgerKey(bytes));
  const stored = rows.get(`${prefix}current`);
  if (stored !== undefined && keys.has(hex(stored))) currentName = hex(stored);
  const device = await loadPair(parts, currentName !== undefined);
  const { pair } = device;
  const kept = keptRecords(parts);
  learnRecords(kept.get().keys());

  function learnRecords(texts: Iterable<string>): void {
    for (const text of texts) {
      const record = records.has(text) ? undefined : parseKeyRecord(text);
      if (record !== undefined) records.set(text, record);
    }
  }

  const ofType = <T extends KeyRecord>(t: T['t']) =>
    [...records.values()].filter((one): one is T => one.t === t);
  const grants = () => ofType<GrantRecord>('grant');
  const rotations = () => ofType<RotateRecord>('rotate');
  const isMine = (pub: Uint8Array) => equalBytes(pub, pair.publicKey);
  const known = () => (currentName === undefined ? undefined : keys.get(currentName));
  /** Whether the key of this rotation comes after the current one. */
  const isNext = ({ key, prev }: RotateRecord): boolean =>
    currentName !== undefined &&
    (hex(prev) === currentName || vouchers.get(hex(key))?.has(currentName) === true);
  const rotationAway = () =>
    rotations().find((one) => proven.has(one) && isNext(one) && !one.pubs.some(isMine));

  function current(): LedgerKey {
    const key = known();
    if (key === undefined || rotationAway() !== undefined) throw new FixpointError('DEVICE_NOT_APPROVED');
    return key;
  }

  async function take(
    fresh: readonly LedgerKey[],
    next: LedgerKey | undefined,
    answered?: ReturnType<typeof device.nextRequest>,
  ): Promise<boolean> {
    const added = fresh.filter(({ name }) => !keys.has(name));
    const becomes = next !== undefined && next.name !== currentName ? next : undefined;
    if (added.length === 0 && becomes === undefined) return false;
    await save([
      ...added.map(({ name, material }) => ({ key: `${prefix}key/${name}`, bytes: material })),
      ...(becomes ? [{ key: `${prefix}current`, bytes: becomes.id }] : []),
      ...(answered?.rows ?? []),
    ]);
    for (const key of added) keys.set(key.name, key);
    currentName = becomes?.name ?? currentName;
    answered?.begun();
    return true;
  }

  async function prove(): Promise<void> {
    for (const chain of ofType<ChainRecord>('chain')) {
      const name = hex(chain.key);
      const found = vouchers.get(name) ?? new Set();
      vouchers.set(name, found);
      const open = chain.proofs.filter((proof) => !found.has(hex(proof.subarray(0, 16))));
      for (const earlier of await vouchersOf(ledger, { ...chain, proofs: open }, keys)) found.add(earlier);
    }
    for (const record of records.values()) {
      if (record.t === 'device' || record.t === 'chain' || proven.has(record)) continue;
      const key = keys.get(hex(record.t === 'grant' ? record.key : record.prev));
      const isVouched = record.t === 'rotate' && (vouchers.get(hex(record.key))?.size ?? 0) > 0;
      if (isVouched || (key !== undefined && (await isProven(ledger, record, key)))) proven.add(record);
    }
  }

  /** Takes one grant, which may prove a rotation that must be followed before the next. */
  async function takeGrant(own: OpenKeyPair, secrets: Secrets): Promise<boolean> {
    for (const grant of grants()) {
      if (!equalBytes(grant.pub, own.publicKey) || keys.has(hex(grant.key))) continue;
      for (const secret of secrets()) {
        const opened = await openGrant(ledger, grant, own, secret);
        if (opened === undefined) continue;
        // A removed device that is approved again continues with the key of the later grant.
        const mayLead = known() === undefined || rotationAway() !== undefined;
        const answered = mayLead && secret === device.secret() ? device.nextRequest() : undefined;
        if (await take(opened, mayLead ? opened[0] : undefined, answered)) return true;
      }
    }
    return false;
  }

  async function followRotations(own: OpenKeyPair): Promise<boolean> {
    let isNews = false;
    await prove();
    for (const rotation of rotations()) {
      if (!proven.has(rotation) || keys.has(hex(rotation.key))) continue;
      const box = rotation.boxes[rotation.pubs.findIndex((pub) => equalBytes(pub, own.publicKey))];
      const key = box && (await openRotation(ledger, rotation, box, own));
      if (key === undefined || key.name !== hex(rotation.key)) continue;
      await take([key], isNext(rotation) ? key : undefined);
      isNews = true;
    }
    return isNews;
  }

  /** Follows the chain from known keys to earlier ones. */
  async function followChain(): Promise<boolean> {
    let isNews = false;
    for (const record of [...rotations(), ...ofType<ChainRecord>('chain')]) {
      const key = leadsTo.has(record) ? undefined : keys.get(hex(record.key));
      if (key === undefined) continue;
      const box = record.t === 'chain' ? record.box : record.back;
      const earlier = box === undefined ? [] : await openKeys(ledger, key, box);
      if (await take(earlier, undefined)) isNews = true;
      leadsTo.set(
        record,
        earlier.map(({ name }) => name),
      );
    }
    return isNews;
  }

  /** Follows rotations before grants: a granted key could never become the current one. */
  async function openUntilDone(own: OpenKeyPair, secrets: Secrets): Promise<boolean> {
    let isNews = false;
    while ((await followRotations(own)) || (await takeGrant(own, secrets)) || (await followChain()))
      isNews = true;
    return isNews;
  }

  /** Returns public keys of the devices that have the current key. */
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

  const announced = () => announcedBy(records, said);

  /** Returns members that somebody with access announced, and this device. */
  function entitled(): readonly Uint8Array[] {
    const list = announced();
    return members().filter((pub) => isMine(pub) || list.has(hex(pub)));
  }

  /** Returns public keys that ask, and that no proven record ever gave a key. */
  function asking(): readonly Uint8Array[] {
    const given = [...proven].flatMap((one) => (one.t === 'grant' ? [one.pub] : one.pubs));
    const everIn = new Set(given.map(hex));
    const list = announced();
    return ofType<Extract<KeyRecord, { t: 'device' }>>('device').flatMap(({ pub }) =>
      !everIn.has(hex(pub)) && list.has(hex(pub)) ? [pub] : [],
    );
  }

  /** Proven records of the current key; codes of unknown owners could outlive their access. */
  function recordsToKeep(): ReadonlyMap<string, string> {
    const list = announced();
    const found = new Map<string, string>();
    for (const [text, record] of records) {
      if (record.t === 'device' || hex(record.key) !== currentName) continue;
      if (record.t === 'chain' ? !leadsTo.get(record)?.length : !proven.has(record)) continue;
      const isCode = record.t === 'grant' && record.locked !== undefined;
      const owner = isCode ? (kept.get().get(text) ?? list.get(hex(record.pub))?.user) : '';
      if (owner !== undefined) found.set(text, owner);
    }
    return found;
  }

  const isRecovery = (pub: Uint8Array): boolean =>
    grants().some((one) => one.locked !== undefined && equalBytes(one.pub, pub));

  /** Beyond this limit no rotation could list all members, so nobody could be removed. */
  function requireRoom(): void {
    if (members().length >= MEMBERS_MAX) throw new FixpointError('LIMIT_REACHED', 'devices of one ledger');
  }

  const skipped = (pub: Uint8Array, cause: unknown) =>
    report(new FixpointError('KEY_INVALID', `of device ${hex(deviceIdOf(pub))}`, { cause }));

  const rotateTo = async (remaining: readonly Uint8Array[]) =>
    encodeRecord(await makeRotation({ ledger, random, current: current() }, remaining, skipped));

  /** Returns keys to which no record leads from the current one. */
  function apart(): readonly LedgerKey[] {
    const found = new Set([current().name]);
    const steps = [...leadsTo].map(([record, names]) => ({ from: hex(record.key), names }));
    for (const name of found)
      for (const { from, names } of steps) if (from === name) for (const one of names) found.add(one);
    return [...keys.values()].filter(({ name }) => !found.has(name));
  }

  /** Includes keys that no record leads to, if they fit, and others for earlier versions. */
  function grantParts() {
    const needed = apart();
    const others = [...keys.values()]
      .filter((key) => key.name !== currentName && !needed.includes(key))
      .reverse();
    const listed = [...needed.slice(0, GRANT_KEYS_MAX - 1), ...others];
    const count = Math.max(FORMER_GRANT_KEYS, Math.min(needed.length + 1, GRANT_KEYS_MAX));
    return { ledger, random, current: current(), keys: [current(), ...listed].slice(0, count) };
  }

  const chainTo = async (earlier: readonly LedgerKey[]) =>
    (await makeChain(ledger, current(), earlier, random)).map(encodeRecord);

  const grantSelf = async () =>
    encodeRecord(await makeGrant(grantParts(), pair.publicKey, random.bytes(SECRET_BYTES)));

  /** Returns the device with this code, if it is announced. */
  function deviceWith(id: Uint8Array): Uint8Array | undefined {
    const list = announced();
    return ofType<Extract<KeyRecord, { t: 'device' }>>('device').find(
      ({ pub }) => list.has(hex(pub)) && equalBytes(deviceIdOf(pub).subarray(0, id.length), id),
    )?.pub;
  }

  function superseded(): readonly string[] {
    const inNow = new Set(members().map(hex));
    const isOld = (record: KeyRecord): boolean => {
      if (record.t === 'device' || hex(record.key) === currentName || !keys.has(hex(record.key)))
        return false;
      if (record.t === 'chain') return leadsTo.has(record);
      if (!proven.has(record)) return false;
      return record.t === 'grant' ? !inNow.has(hex(record.pub)) : keys.has(hex(record.prev));
    };
    return [...records].flatMap(([text, record]) => (!givenUp.has(text) && isOld(record) ? [text] : []));
  }

  return {
    all: () => keys,
    current,
    isApproved: () => known() !== undefined && rotationAway() === undefined,
    code: device.code,
    learn: async (texts, saidNow = {}) => {
      said = { devices: saidNow.devices ?? said.devices, removed: saidNow.removed ?? said.removed };
      learnRecords(texts);
      let isNews = await openUntilDone(pair, device.secrets);
      const isUnanswered = grants().some(({ pub, key }) => isMine(pub) && !keys.has(hex(key)));
      if (isUnanswered && (await device.refresh()))
        isNews = (await openUntilDone(pair, device.secrets)) || isNews;
      await kept.set(recordsToKeep());
      return isNews;
    },
    lost: (listed) => {
      if (known() === undefined || rotationAway() !== undefined) return [];
      const own = announced().get(hex(pair.publicKey))?.user;
      const found = [...kept.get()].filter(
        ([text, owner]) => !listed.has(text) && (owner === '' || owner === own),
      );
      const isRotation = ([text]: [string, string]) => records.get(text)?.t === 'rotate';
      return found.sort((a, b) => Number(isRotation(b)) - Number(isRotation(a))).map(([text]) => text);
    },
    devices: () => {
      const list = announced();
      const own = list.get(hex(pair.publicKey))?.user;
      return members().map((pub) => {
        const { user: owner, since } = list.get(hex(pub)) ?? {};
        const at = since === undefined ? Number.NaN : Date.parse(since);
        return {
          id: hex(deviceIdOf(pub)),
          isThis: isMine(pub),
          isRecovery: isRecovery(pub),
          owner,
          isOwn: isMine(pub) || (owner !== undefined && owner === own),
          since: Number.isNaN(at) ? undefined : at,
        };
      });
    },
    keyring: () => ({
      current: currentName,
      count: keys.size,
      hasRecoveryCode: members().some(isRecovery),
      asking: asking().map((pub) => hex(deviceIdOf(pub))),
    }),
    announcement: () => encodeRecord({ t: 'device', pub: pair.publicKey }),
    isAnnounced: () => announced().has(hex(pair.publicKey)),
    create: async () => {
      const key = ledgerKey(random.bytes(32));
      const made = await makeGrant(
        { ledger, random, keys: [key], current: key },
        pair.publicKey,
        device.secret(),
      );
      return [encodeRecord({ t: 'device', pub: pair.publicKey }), encodeRecord(made)];
    },
    grant: async (text) => {
      const { id, secret } = readDeviceCode(text);
      const asked = deviceWith(id);
      if (asked === undefined)
        throw new FixpointError('NOT_FOUND', 'no device with this code asks for approval');
      requireRoom();
      return encodeRecord(await makeGrant(grantParts(), asked, secret));
    },
    isIn: (text) => {
      const asked = deviceWith(readDeviceCode(text).id);
      return asked !== undefined && members().some((pub) => equalBytes(pub, asked));
    },
    rotate: (removedIds) => rotateTo(entitled().filter((pub) => !removedIds.includes(hex(deviceIdOf(pub))))),
    rotateAway: async () => {
      const remaining = entitled();
      return remaining.length === members().length ? undefined : rotateTo(remaining);
    },
    links: async () => chainTo(apart()),
    supersededRecords: async () => {
      const found = superseded();
      if (found.filter((text) => records.get(text)?.t === 'rotate').length <= ROTATIONS_KEPT)
        return undefined;
      for (const text of found) givenUp.add(text);
      const first = await chainTo([...keys.values()].filter(({ name }) => name !== currentName));
      return { first, superseded: found };
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
        await openUntilDone(own, () => [recovery]);
        return grantSelf();
      }
      throw new FixpointError('KEY_UNKNOWN', 'this code opens nothing here');
    },
  };
}
