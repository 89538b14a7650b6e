/**
 * Records in the key list of a sealed ledger: who owns them, and whether a follower has received
 * all of them. The gateway can't decrypt any record.
 */
import { createHash } from 'node:crypto';
import { type LedgerDeviceEntry, parseKeyRecord } from '@fixpoint/protocol/storage';
import type { LedgerRights } from '../../rights/rights.ts';
import { isLogEntry, type StoredKey } from '../../tables/sync/ledger-key-rows.ts';
import type { LedgerId, MetaPage } from '../../tables/sync/meta-rows.ts';

/** Information about the records of a sealed ledger, for its followers. */
export interface RecordNews {
  /**
   * Records of users who lost access, including removed records. Clients that don't support
   * `devices` withhold the key from these records.
   */
  readonly removed: readonly string[];
  /** Devices and recovery codes whose owners have access. Only these get the next key. */
  readonly devices: readonly LedgerDeviceEntry[];
  /** Public keys of devices whose requests for approval were removed, by the user who asked. */
  readonly rejected: ReadonlyMap<string, readonly string[]>;
}

export async function recordNews(
  rights: LedgerRights,
  { tenant, ledger }: LedgerId,
  { kind, records, recordsOf }: Pick<MetaPage, 'kind' | 'records' | 'recordsOf'>,
): Promise<RecordNews> {
  const gone = new Set<string>();
  const removed: string[] = [];
  for (const [userId, theirs] of recordsOf) {
    if ((await rights.accessTo(userId, tenant, ledger)) !== 'none') continue;
    gone.add(userId);
    for (const record of theirs) removed.push(record);
  }
  const isLive = ({ userId, removedAt }: StoredKey) =>
    removedAt === null && (userId === null || !gone.has(userId));
  const devices = kind === 'sealed' ? records.filter(isLive).flatMap(deviceIn) : [];
  return {
    removed: removed.sort(),
    devices: devices.sort((a, b) => (a.pub < b.pub ? -1 : 1)),
    rejected: kind === 'sealed' ? rejectedIn(records) : new Map(),
  };
}

/**
 * Returns the requests that were removed. Only an admin, or the user who asked, removes a request,
 * and asking again puts it back.
 */
function rejectedIn(records: readonly StoredKey[]): RecordNews['rejected'] {
  const found = new Map<string, string[]>();
  for (const { keyText, userId, removedAt } of records) {
    const request = removedAt === null || userId === null ? undefined : announcementIn(keyText);
    if (userId === null || request?.isDevice !== true) continue;
    found.set(userId, [...(found.get(userId) ?? []), request.pub].sort());
  }
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function deviceIn({ keyText, userId, createdAt }: StoredKey): readonly LedgerDeviceEntry[] {
  const pub = announcedIn(keyText);
  if (pub === undefined) return [];
  return [{ pub, ...(userId !== null && { user: userId }), since: createdAt }];
}

/** Prefix of a rotation's text. Rotations are long and announce no device, so they are skipped. */
const ROTATION = /^S1\.q[A-Z]F0ZnJvdGF0/;

/**
 * Returns the public key (base64url) that a record announces. The key belongs to a device that
 * requests access, or to a recovery code.
 */
export const announcedIn = (keyText: string): string | undefined => announcementIn(keyText)?.pub;

const announcementIn = (keyText: string) =>
  ROTATION.test(keyText) || isLogEntry(keyText) ? undefined : announcedByText(keyText);

const announcedByText = cachedByText(
  (keyText) => {
    const record = parseKeyRecord(keyText);
    const isDevice = record?.t === 'device';
    const isOwn = isDevice || (record?.t === 'grant' && record.locked !== undefined);
    return isOwn ? { pub: textOf(record.pub), isDevice } : undefined;
  },
  { texts: 20_000, chars: 16_000_000 },
);

export const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');

/**
 * Returns a short text that changes when the ledger moves, and when a sealed ledger's records or
 * their owners change; empty for other ledgers.
 */
export function keysMark(
  { kind, keys, movedTo }: Pick<MetaPage, 'kind' | 'keys' | 'movedTo'>,
  { removed, devices, rejected }: RecordNews,
): string {
  const move = movedTo === undefined ? '' : `>${movedTo.ledger} ${movedTo.kind}`;
  if (kind !== 'sealed') return move;
  const records = JSON.stringify([keys, removed, devices, [...rejected]]);
  return createHash('sha256').update(records).digest('base64url') + move;
}

/**
 * Longest list of keys, in characters, that is sent with each event, as existing clients expect.
 */
const REPEATED_CHARS_MAX = 8192;

/** Returns a short text that changes when a long list of keys changes; empty for a short list. */
export function listMark(keys: readonly string[]): string {
  let chars = 0;
  for (const { length } of keys) chars += length;
  if (chars <= REPEATED_CHARS_MAX) return '';
  return createHash('sha256').update(JSON.stringify(keys)).digest('base64url');
}

export interface CacheLimits {
  readonly texts: number;
  /** Total length of the texts. */
  readonly chars: number;
}

/** Remembers the results of a function, and forgets all of them when a limit is reached. */
export function cachedByText<T>(compute: (text: string) => T, limits: CacheLimits): (text: string) => T {
  const known = new Map<string, T>();
  let chars = 0;
  return (text) => {
    const found = known.get(text);
    if (found !== undefined || known.has(text)) return found as T;
    const result = compute(text);
    if (known.size >= limits.texts || chars + text.length > limits.chars) {
      known.clear();
      chars = 0;
    }
    known.set(text, result);
    chars += text.length;
    return result;
  };
}
