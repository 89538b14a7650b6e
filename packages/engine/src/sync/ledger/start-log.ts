/**
 * Starts the membership log of a sealed ledger (docs/internals/membership-rules.md, L1 and G6), and
 * creates the pair with which this device signs entries.
 */
import { type ErrorCode, FixpointError, isFixpointError } from '@fixpoint/protocol';
import {
  bytesOfHex,
  decodeEntry,
  InvalidEntryError,
  ledgerBytes,
  parseKeyRecord,
} from '@fixpoint/protocol/storage';
import { compareBytes } from '../../base/bytes.ts';
import { newPair } from '../../base/p256.ts';
import { type Signer, signerOf } from '../../base/signatures.ts';
import { sortHead } from '../../clock/event.ts';
import { cidToBytes } from '../../codec/cid.ts';
import { sha256 } from '../../codec/sha256.ts';
import type { Commits } from '../../commit/commits-interface.ts';
import { type LogRecovery, newLogRecovery, unlockPairs } from '../../crypto/grant.ts';
import type { LogPlan } from '../../crypto/known-keys.ts';
import type { LedgerKeys } from '../../crypto/ledger-keys.ts';
import { newStart } from '../../crypto/log/start-entry.ts';
import type { Platform } from '../../ports/platform.ts';
import type { Random } from '../../ports/random.ts';
import { nameEvents, requireNoOtherLog } from '../log/event-name.ts';
import { sentBy } from '../log/own-events.ts';
import type { Session } from '../sync-session.ts';
import type { Connection, Target } from '../transport/connection.ts';
import { keyListAt } from './renew-keys.ts';

/** Maximum number of tries while other devices keep changing the keys. */
const TRIES_MAX = 5;
/** Maximum number of events that an entry of the log lists. */
const CUT_MAX = 16;
const PAIR_BYTES = 97;
const SECRET_BYTES = 32;
/** Answers that don't store the records. After other failures, the server may have them. */
const REFUSALS: readonly ErrorCode[] = [
  'CONFLICT',
  'FORBIDDEN',
  'LIMIT_REACHED',
  'NOT_FOUND',
  'REQUEST_INVALID',
];

export interface LogStart {
  readonly platform: Platform;
  readonly keys: LedgerKeys;
  readonly target: Target;
  readonly connection: Connection;
  /** The id and the name of the user of this device, who becomes the founder. */
  readonly user: string;
  readonly name: string;
  /** Returns the heads of the database: CIDs of events in bytes, sorted, at most 16. */
  readonly cut: () => Promise<readonly Uint8Array[]>;
  /** Resolves when `keys` has learned everything that the remote lists now. */
  readonly refresh: () => Promise<void>;
  /**
   * The recovery code, which the user has kept: nobody can replace the founder's code later without
   * it. Everything else that the log depends on is read after that.
   */
  readonly code: string;
}

/**
 * Starts the log, with this device and a new recovery code as the first seats. Puts the records and
 * `start` in one request, so that the gateway takes all of them or none. Until the server is known
 * to have them, a later call puts the same records again, with the code of the earlier call.
 * @throws FixpointError NOT_IMPLEMENTED if the server doesn't keep logs, or if this platform can't
 * sign; CONFLICT if this device has a log, if an earlier call started it with another code, or if
 * other devices kept changing the keys; REQUEST_INVALID for a mistyped code or an invalid name;
 * DEVICE_NOT_APPROVED; FORBIDDEN if the user isn't an admin of the tenant, or if the ledger has a
 * log
 */
export async function startLog(parts: LogStart): Promise<void> {
  const { platform, keys, target, connection, code } = parts;
  const recovery = await newLogRecovery(platform.random, code);
  await requireNoLog(parts);
  const { publish } = keyListAt({ platform, target, connection: () => connection });
  const put = async (plan: LogPlan): Promise<void> => {
    try {
      await publish([...plan.records, plan.start]);
    } catch (cause) {
      if (REFUSALS.some((code) => isFixpointError(cause, code))) await dropUnlessListed(parts);
      throw cause;
    }
    await keys.takePlannedLog();
    await keys.learn([...plan.records, plan.start]);
  };
  const earlier = keys.plannedLog();
  if (earlier !== undefined) {
    await put(earlier);
    if (await isCodeOf(earlier, recovery, ledgerBytes(target.tenant, target.ledger))) return;
    throw new FixpointError('CONFLICT', 'the log started with the code that you kept before');
  }
  const signer = await keys.signer();
  for (let tries = 1; ; tries++) {
    await parts.refresh();
    const plan = await planFor(parts, signer, recovery);
    await keys.planLog(plan);
    try {
      return await put(plan);
    } catch (cause) {
      // Another device rotated the key since the list was read.
      if (!isFixpointError(cause, 'CONFLICT') || tries === TRIES_MAX) throw cause;
    }
  }
}

/**
 * Requires that a log can start here.
 * @throws FixpointError NOT_IMPLEMENTED, CONFLICT
 */
export async function requireNoLog({
  keys,
  connection,
}: Pick<LogStart, 'keys' | 'connection'>): Promise<void> {
  if (keys.log() !== undefined) throw new FixpointError('CONFLICT', 'this ledger has a membership log');
  await requireLogs(connection);
}

/** Returns whether the planned records contain the grant to this code. */
async function isCodeOf({ records }: LogPlan, { secret }: LogRecovery, ledger: Uint8Array): Promise<boolean> {
  for (const text of records) {
    const record = parseKeyRecord(text);
    if (record?.t !== 'grant' || record.locked === undefined) continue;
    if ((await unlockPairs(ledger, record.locked, secret)) !== undefined) return true;
  }
  return false;
}

/** Drops the plan, unless an earlier put of it succeeded: `learn` then finds it in the list. */
async function dropUnlessListed({ keys, refresh }: LogStart): Promise<void> {
  await refresh();
  if (keys.log() === undefined) await keys.planLog(undefined);
}

/** Creates `start` and the records that it needs, for the key that is the current one now. */
async function planFor(
  { platform, keys, target, user, name, cut }: LogStart,
  signer: Signer,
  recovery: LogRecovery,
): Promise<LogPlan> {
  const announcement = keys.announcement();
  const start = await newStart({
    ledger: ledgerBytes(target.tenant, target.ledger),
    ...{ user, name, cut: await cut(), key: keys.current() },
    ...{ random: platform.random, timeMs: platform.time.now() },
    device: { signer, seal: publicKeyIn(announcement) },
    code: { signer: recovery.signer, seal: recovery.sealing.publicKey },
  }).catch(rejectForm);
  const log = bytesOfHex(decodeEntry(start, sha256).entry.id);
  return { log, start, records: [announcement, await keys.grantToRecovery(recovery, log)] };
}

/** Reports a name that the form of entries doesn't allow. @throws FixpointError REQUEST_INVALID */
export function rejectForm(cause: unknown): never {
  if (!(cause instanceof InvalidEntryError)) throw cause;
  throw new FixpointError('REQUEST_INVALID', `a name of 1 to 200 bytes is needed (${cause.rule})`, { cause });
}

/**
 * Returns the heads of a database, as entries list them: CIDs of events in bytes, sorted, at most
 * 16.
 */
export const cutOf = (commits: Pick<Commits, 'snapshot'>): readonly Uint8Array[] =>
  commits.snapshot().head.slice(0, CUT_MAX).map(cidToBytes).sort(compareBytes);

/**
 * Requires that this database may belong to the log of its ledger.
 * @throws FixpointError LEDGER_OTHER_LOG
 */
export const requireOwnLog = ({ commits, memory }: Pick<Session, 'commits' | 'memory'>): Promise<void> =>
  requireNoOtherLog({ local: commits.local, prefix: prefixOf(memory) });

const prefixOf = ({ prefix }: Session['memory']): string => `${prefix}secret/`;

/**
 * Returns the cut of `start`, which contains all documents. From now on, this device signs its
 * events, so that it can vouch for those that it writes before the log starts.
 */
export async function cutOfStart({
  commits,
  memory,
  platform,
}: Pick<Session, 'commits' | 'memory' | 'platform'>): Promise<readonly Uint8Array[]> {
  const signer = () => signerIn(commits, platform.random);
  await requireOwnLog({ commits, memory });
  const own = { commits, hasSent: sentBy(memory) };
  const naming = { ...own, local: commits.local, prefix: prefixOf(memory), signer };
  await nameEvents(naming, { log: undefined, name: undefined, hasLog: true });
  await commits.settle();
  if (commits.snapshot().head.length > CUT_MAX)
    await commits.mergeRemote({ head: sortHead([]), archives: [], remember: [], vouches: true });
  return cutOf(commits);
}

/** @throws FixpointError NOT_IMPLEMENTED */
async function requireLogs(connection: Connection): Promise<void> {
  const { gestalt } = await connection.request('reqGestalt', 'resGestalt', {});
  const { features } = gestalt as { readonly features?: unknown };
  if (!Array.isArray(features) || !features.includes('membership-log'))
    throw new FixpointError('NOT_IMPLEMENTED', 'a membership log at this server');
}

/**
 * Returns the signer of a database. Creates its pair if the database doesn't sign its events: if it
 * later does, it uses this pair.
 * @throws FixpointError STORE_FULL, STORE_FAILED; NOT_IMPLEMENTED if this platform can't sign
 */
export async function signerIn({ local }: Pick<Commits, 'local'>, random: Random): Promise<Signer> {
  const name = 'signer';
  for (;;) {
    const stored = await local.read(name);
    if (stored?.length === PAIR_BYTES) return signerOf(stored);
    const bytes = (await newPair(random.bytes(SECRET_BYTES))).both;
    // Another tab or process may create the row at the same time.
    const guard = { name, bytes: stored, coversAll: true };
    if (await local.write([{ name, bytes }], guard)) return signerOf(bytes);
  }
}

function publicKeyIn(announcement: string): Uint8Array {
  const record = parseKeyRecord(announcement);
  if (record?.t !== 'device') throw new FixpointError('CORRUPT', 'record of this device');
  return record.pub;
}
