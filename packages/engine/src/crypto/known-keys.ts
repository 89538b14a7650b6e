/**
 * The keys of a sealed ledger that a device has, the records of the ledger's list, and the facts
 * that those records prove. Rows, sealed with the database's key: `<prefix>key/<hex id>` contains a
 * data key, `<prefix>current` contains the id of the current key, and `<prefix>log` that of the
 * ledger's membership log. `<prefix>log-withdrawn` contains the id of a log whose start was
 * withdrawn. `<prefix>log-start` contains the records that start a log, from before they are put
 * until the server is known to have them. See `device-pair.ts` for the rest.
 */
import { FixpointError } from '@fixpoint/protocol';
import {
  type ChainRecord,
  type GrantRecord,
  type KeyRecord,
  parseKeyRecord,
  type RotateRecord,
} from '@fixpoint/protocol/storage';
import { equalBytes, hex, utf8 } from '../base/bytes.ts';
import { asArray, decode, encode } from '../codec/dag-cbor.ts';
import { sha256 } from '../codec/sha256.ts';
import type { StoreChange } from '../ports/byte-store.ts';
import { type Announced, announcedBy, type Said } from './announced-devices.ts';
import { type DevicePair, loadPair, type PairParts } from './device-pair.ts';
import { type KeptRecords, keptRecords } from './kept-records.ts';
import { entriesIn, type SeenEntries, type Starts } from './log/listed-starts.ts';
import { type LedgerKey, ledgerKey } from './sealed-object.ts';

export interface LedgerKeysParts extends PairParts {
  /** Identifies the ledger. */
  readonly ledger: Uint8Array;
  readonly report?: (error: unknown) => void;
  /** Whether the device learns the id of a membership log. Default false: ids are ignored. */
  readonly followsLogs?: boolean;
}

export interface KnownKeys extends Pick<LedgerKeysParts, 'ledger' | 'random' | 'prefix' | 'save'> {
  readonly reread: LedgerKeysParts['reread'] | undefined;
  readonly report: (error: unknown) => void;
  readonly device: DevicePair;
  /** Keys by hex id, in the order in which this device learned them. */
  readonly keys: Map<string, LedgerKey>;
  /** The parsed records, by their text. */
  readonly records: Map<string, KeyRecord>;
  /** Records that prove that their author knew the key in the record. */
  readonly proven: Set<GrantRecord | RotateRecord>;
  /** The keys that each record leads to. */
  readonly leadsTo: Map<RotateRecord | ChainRecord, readonly string[]>;
  /** For each key, the earlier keys that vouch for it. */
  readonly vouchers: Map<string, Set<string>>;
  readonly kept: KeptRecords;
  /** The server's last report about the records. */
  said: Said;
  /** Results that are computed often, with what they depend on. */
  readonly results: Map<string, { readonly of: readonly unknown[]; readonly result: unknown }>;
  /** The hex id of the current key; undefined before this device was approved. */
  currentName: string | undefined;
  /** The id of the membership log, once this device knows it from a trusted source (L2). */
  log: Uint8Array | undefined;
  /** The id of a log that this device followed until its start was withdrawn (G2). */
  withdrawn: Uint8Array | undefined;
  /** The log that this device is about to start. */
  plan: LogPlan | undefined;
  /** The logs that this device found in the list since it was opened. */
  starts: Starts;
  /** Facts from the entries that this device saw since it was opened. */
  readonly seenEntries: SeenEntries;
  /** The hashes of the records that entries of logs contain. */
  readonly logged: Set<string>;
  /** See {@link LedgerKeysParts.followsLogs}. */
  readonly followsLogs: boolean;
  /** Grants that were searched for the id of the log, with the secrets that were tried. */
  readonly searched: WeakMap<GrantRecord, string>;
}

/** Loads what this device knows. @throws FixpointError CORRUPT */
export async function loadKnownKeys(parts: LedgerKeysParts): Promise<KnownKeys> {
  const { ledger, random, prefix, rows, save, reread, followsLogs = false } = parts;
  const { report = () => undefined } = parts;
  const keys = new Map<string, LedgerKey>();
  for (const [row, bytes] of rows)
    if (row.startsWith(`${prefix}key/`)) keys.set(ledgerKey(bytes).name, ledgerKey(bytes));
  const stored = rows.get(`${prefix}current`);
  const currentName = stored !== undefined && keys.has(hex(stored)) ? hex(stored) : undefined;
  const device = await loadPair(parts, currentName !== undefined);
  const known: KnownKeys = {
    ...{ ledger, random, prefix, save, reread, report, device, keys, currentName },
    log: followsLogs ? rows.get(`${prefix}log`) : undefined,
    withdrawn: followsLogs ? rows.get(`${prefix}log-withdrawn`) : undefined,
    starts: new Map(),
    seenEntries: new Map(),
    logged: new Set(),
    plan: followsLogs ? decodePlan(rows.get(`${prefix}log-start`)) : undefined,
    followsLogs,
    searched: new WeakMap(),
    records: new Map(),
    proven: new Set(),
    leadsTo: new Map(),
    vouchers: new Map(),
    kept: keptRecords(parts),
    said: {},
    results: new Map(),
  };
  learnRecords(known, known.kept.get().keys());
  return known;
}

export function learnRecords({ records }: KnownKeys, texts: Iterable<string>): void {
  for (const text of texts) {
    const record = records.has(text) ? undefined : parseKeyRecord(text);
    if (record !== undefined) records.set(text, record);
  }
}

/**
 * Learns which logs a list starts. Follows the own log again if its start is back, after it was
 * withdrawn or hidden.
 */
export async function learnStarts(known: KnownKeys, texts: readonly string[]): Promise<void> {
  if (!known.followsLogs) return;
  const { starts: found, records } = entriesIn(texts, known.seenEntries);
  known.starts = new Map([...known.starts, ...found]);
  for (const record of records) known.logged.add(record);
  const { plan, withdrawn, log } = known;
  // An earlier put of `start` succeeded, and this device stopped before the answer arrived.
  if (plan !== undefined && log === undefined && texts.includes(plan.start)) await takePlan(known, plan);
  else if (withdrawn !== undefined && log === undefined && found.has(hex(withdrawn)))
    await keepLog(known, withdrawn);
  else if (log === undefined) await learnFromTabs(known, texts);
}

/** Learns the log that another tab learned, or that it is about to start. */
async function learnFromTabs(known: KnownKeys, texts: readonly string[]): Promise<void> {
  const rows = await known.reread?.();
  known.log = rows?.get(`${known.prefix}log`);
  const plan = decodePlan(rows?.get(`${known.prefix}log-start`));
  if (known.log === undefined && plan !== undefined && texts.includes(plan.start))
    await takePlan(known, plan);
}

/** Follows a log from now on. Undefined stops following the one whose start was withdrawn. */
export async function keepLog(known: KnownKeys, log: Uint8Array | undefined): Promise<void> {
  const { prefix } = known;
  const withdrawn = log === undefined ? known.log : undefined;
  await known.save([
    { key: `${prefix}log`, bytes: log },
    { key: `${prefix}log-withdrawn`, bytes: withdrawn },
  ]);
  known.log = log;
  known.withdrawn = withdrawn;
}

/**
 * Makes keys durable and learns them. Returns whether any key is new, or became the current one.
 * @param next becomes the current key
 * @param answered the next request of this device, if these keys answer the pending one
 * @param log the id of the membership log, if these keys approve this device; ignored if one is
 * known
 */
export async function takeKeys(
  known: KnownKeys,
  fresh: readonly LedgerKey[],
  next: LedgerKey | undefined,
  answered?: ReturnType<DevicePair['nextRequest']>,
  log?: Uint8Array,
): Promise<boolean> {
  const { keys, prefix } = known;
  const added = fresh.filter(({ name }) => !keys.has(name));
  const becomes = next !== undefined && next.name !== known.currentName ? next : undefined;
  const learned = known.followsLogs && known.log === undefined ? log : undefined;
  if (added.length === 0 && becomes === undefined && learned === undefined) return false;
  await known.save([
    ...added.map(({ name, material }) => ({ key: `${prefix}key/${name}`, bytes: material })),
    ...(becomes ? [{ key: `${prefix}current`, bytes: becomes.id }] : []),
    ...(learned ? [{ key: `${prefix}log`, bytes: learned }] : []),
    ...(answered?.rows ?? []),
  ]);
  for (const key of added) keys.set(key.name, key);
  known.currentName = becomes?.name ?? known.currentName;
  known.log ??= learned;
  answered?.begun();
  return true;
}

export const recordsOf = <T extends KeyRecord>({ records }: KnownKeys, t: T['t']): readonly T[] =>
  [...records.values()].filter((one): one is T => one.t === t);
export const grantsOf = (known: KnownKeys) => recordsOf<GrantRecord>(known, 'grant');

/** Returns the rotations, unless entries of a log contain them that this device doesn't follow. */
export function rotationsOf(known: KnownKeys): readonly RotateRecord[] {
  const { log, logged, records } = known;
  if (log !== undefined || logged.size === 0) return recordsOf<RotateRecord>(known, 'rotate');
  return [...records].flatMap(([text, one]) =>
    one.t === 'rotate' && !logged.has(hex(sha256(utf8(text)))) ? [one] : [],
  );
}

export const chainsOf = (known: KnownKeys) => recordsOf<ChainRecord>(known, 'chain');

export const isMine = ({ device }: KnownKeys, pub: Uint8Array): boolean =>
  equalBytes(pub, device.pair.publicKey);

/**
 * Returns a result that an earlier call computed from the same, or computes it. A list has hundreds
 * of devices, and each of them asks about all others.
 * @param of everything that the result depends on. Records and proofs never disappear, so their
 * numbers suffice
 */
export function remembered<T>(
  { results }: KnownKeys,
  name: string,
  of: readonly unknown[],
  make: () => T,
): T {
  const known = results.get(name);
  if (known?.of.every((one, at) => one === of[at])) return known.result as T;
  const result = make();
  results.set(name, { of, result });
  return result;
}

export const announcedOf = (known: KnownKeys): Announced =>
  remembered(known, 'announced', [known.records.size, known.said], () =>
    announcedBy(known.records, known.said),
  );

/** Returns whether the key of this rotation follows the current one. */
export const isNext = ({ currentName, vouchers }: KnownKeys, { key, prev }: RotateRecord): boolean =>
  currentName !== undefined &&
  (hex(prev) === currentName || vouchers.get(hex(key))?.has(currentName) === true);

/** Returns whether this device has a current key, even if a later rotation excluded this device. */
export const wasApproved = (known: KnownKeys): boolean => getCurrent(known) !== undefined;

/**
 * Returns whether a proven rotation from the current key excludes this device. In a ledger with a
 * membership log, only the log excludes devices.
 */
export const isRotatedAway = (known: KnownKeys): boolean =>
  known.log === undefined &&
  rotationsOf(known).some(
    (one) => known.proven.has(one) && isNext(known, one) && !one.pubs.some((pub) => isMine(known, pub)),
  );

export const isApproved = (known: KnownKeys): boolean => wasApproved(known) && !isRotatedAway(known);

/**
 * Returns the key that seals new data.
 * @throws FixpointError DEVICE_NOT_APPROVED when there is none, or this device was removed
 */
export function readCurrent(known: KnownKeys): LedgerKey {
  const key = getCurrent(known);
  if (key === undefined || isRotatedAway(known)) throw new FixpointError('DEVICE_NOT_APPROVED');
  return key;
}

const getCurrent = ({ keys, currentName }: KnownKeys): LedgerKey | undefined =>
  currentName === undefined ? undefined : keys.get(currentName);

/**
 * The membership log that a device is about to start. It is durable before `start` is sent: without
 * it, a device that stops before the answer arrives wouldn't know its own log
 * (docs/internals/membership-rules.md, L1).
 */
export interface LogPlan {
  /** The id of the log: the hash of `start`. */
  readonly log: Uint8Array;
  /** The text of `start`. */
  readonly start: string;
  /** Records to put in the same request. */
  readonly records: readonly string[];
}

type PlanPlace = Pick<KnownKeys, 'prefix' | 'save' | 'log' | 'withdrawn' | 'plan'>;

/** @throws FixpointError CORRUPT when the row is damaged */
function decodePlan(row: Uint8Array | undefined): LogPlan | undefined {
  if (row === undefined) return undefined;
  const [log, start, ...records] = asArray(decode(row));
  if (log instanceof Uint8Array && typeof start === 'string')
    return { log, start, records: records.map(String) };
  throw new FixpointError('CORRUPT', 'row of a membership log');
}

const rowOf = ({ prefix }: PlanPlace, plan: LogPlan | undefined): StoreChange => ({
  key: `${prefix}log-start`,
  bytes: plan && encode([plan.log, plan.start, ...plan.records]),
});

/** Makes a plan durable, or drops it because the server rejected the log. */
export async function keepPlan(known: PlanPlace, plan: LogPlan | undefined): Promise<void> {
  await known.save([rowOf(known, plan)]);
  known.plan = plan;
}

/**
 * Learns that the server has the log that this device planned.
 * @throws FixpointError CONFLICT if this device knows another log
 */
export async function takePlan(known: PlanPlace, plan: LogPlan): Promise<void> {
  if (known.log !== undefined)
    throw new FixpointError('CONFLICT', 'this device knows another membership log');
  await known.save([
    { key: `${known.prefix}log`, bytes: plan.log },
    { key: `${known.prefix}log-withdrawn`, bytes: undefined },
    rowOf(known, undefined),
  ]);
  known.log = plan.log;
  known.withdrawn = undefined;
  known.plan = undefined;
}
