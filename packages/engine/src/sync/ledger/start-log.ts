/**
 * Starts the membership log of a sealed ledger (docs/internals/membership-rules.md, L1 and G6). No
 * application can call this yet: in a ledger with a log, the gateway rejects rotations without an
 * entry, and devices don't write such entries yet.
 */
import { type ErrorCode, FixpointError, isFixpointError } from '@fixpoint/protocol';
import { decodeEntry, ledgerBytes, parseKeyRecord } from '@fixpoint/protocol/storage';
import { type Signer, signerOf } from '../../base/signatures.ts';
import { sha256 } from '../../codec/sha256.ts';
import type { Commits } from '../../commit/commits-interface.ts';
import { type LogRecovery, newLogRecovery } from '../../crypto/grant.ts';
import type { LogPlan } from '../../crypto/known-keys.ts';
import type { LedgerKeys } from '../../crypto/ledger-keys.ts';
import { newStart } from '../../crypto/log/start-entry.ts';
import type { Platform } from '../../ports/platform.ts';
import { localKey } from '../../store/names.ts';
import type { Connection, Target } from '../transport/connection.ts';
import { keyListAt } from './renew-keys.ts';

/** Maximum number of tries while other devices keep changing the keys. */
const TRIES_MAX = 5;
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
  readonly commits: Pick<Commits, 'device' | 'remembered'>;
  readonly keys: LedgerKeys;
  readonly target: Target;
  readonly connection: Connection;
  /** The id and the name of the user of this device, who becomes the founder. */
  readonly user: string;
  readonly name: string;
  /** Resolves when `keys` has learned everything that the remote lists now. */
  readonly refresh: () => Promise<void>;
  /**
   * Receives the recovery code before the log exists. Resolves when the user has kept it: nobody
   * can replace the founder's code later without it.
   */
  readonly keepCode: (code: string) => Promise<void>;
}

/**
 * Starts the log, with this device and a new recovery code as the first seats. Puts the records and
 * `start` in one request, so that the gateway takes all of them or none. Until the server is known
 * to have them, a later call puts the same records again, and creates no other code.
 * @throws FixpointError NOT_IMPLEMENTED if the server doesn't keep logs, or if the database or this
 * platform can't sign; CONFLICT if this device has a log, or if other devices kept changing the
 * keys; DEVICE_NOT_APPROVED; FORBIDDEN if the user isn't an admin of the tenant, or if the ledger
 * has a log
 */
export async function startLog(parts: LogStart): Promise<void> {
  const { platform, keys, target, connection } = parts;
  if (keys.log() !== undefined) throw new FixpointError('CONFLICT', 'this ledger has a membership log');
  await requireLogs(connection);
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
  if (earlier !== undefined) return put(earlier);
  const signer = await signerOf(await signingPair(parts.commits));
  const recovery = await newLogRecovery(platform.random);
  // The user may need long for this. Everything that the log depends on is read afterwards.
  await parts.keepCode(recovery.code);
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

/** Drops the plan, unless an earlier put of it succeeded: `learn` then finds it in the list. */
async function dropUnlessListed({ keys, refresh }: LogStart): Promise<void> {
  await refresh();
  if (keys.log() === undefined) await keys.planLog(undefined);
}

/** Creates `start` and the records that it needs, for the key that is the current one now. */
async function planFor(
  { platform, keys, target, user, name }: LogStart,
  signer: Signer,
  recovery: LogRecovery,
): Promise<LogPlan> {
  const announcement = keys.announcement();
  const start = await newStart({
    ledger: ledgerBytes(target.tenant, target.ledger),
    ...{ user, name, key: keys.current(), random: platform.random, timeMs: platform.time.now() },
    device: { signer, seal: publicKeyIn(announcement) },
    code: { signer: recovery.signer, seal: recovery.sealing.publicKey },
  });
  const log = bytesOf(decodeEntry(start, sha256).entry.id);
  return { log, start, records: [announcement, await keys.grantToRecovery(recovery, log)] };
}

/** @throws FixpointError NOT_IMPLEMENTED */
async function requireLogs(connection: Connection): Promise<void> {
  const { gestalt } = await connection.request('reqGestalt', 'resGestalt', {});
  const { features } = gestalt as { readonly features?: unknown };
  if (!Array.isArray(features) || !features.includes('membership-log'))
    throw new FixpointError('NOT_IMPLEMENTED', 'a membership log at this server');
}

/**
 * Returns the pair that signs the events of this database.
 * @throws FixpointError NOT_IMPLEMENTED
 */
export async function signingPair(commits: LogStart['commits']): Promise<Uint8Array> {
  // A database that signs creates the pair before it returns its id.
  await commits.device();
  const row = localKey('signer');
  const pair = (await commits.remembered(row)).get(row);
  if (pair !== undefined) return pair;
  throw new FixpointError('NOT_IMPLEMENTED', 'a membership log for a database that does not sign its events');
}

function publicKeyIn(announcement: string): Uint8Array {
  const record = parseKeyRecord(announcement);
  if (record?.t !== 'device') throw new FixpointError('CORRUPT', 'record of this device');
  return record.pub;
}

const bytesOf = (digits: string): Uint8Array =>
  Uint8Array.from(digits.match(/../g) ?? [], (two) => Number.parseInt(two, 16));
