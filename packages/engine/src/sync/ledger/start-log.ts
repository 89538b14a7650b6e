/**
 * Starts the membership log of a sealed ledger (docs/internals/membership-rules.md, L1 and G6). No
 * application can call this yet: in a ledger with a log, the gateway rejects rotations without an
 * entry, and devices don't write such entries yet.
 */
import { FixpointError } from '@fixpoint/protocol';
import { decodeEntry, ledgerBytes, parseKeyRecord } from '@fixpoint/protocol/storage';
import { signerOf } from '../../base/signatures.ts';
import { sha256 } from '../../codec/sha256.ts';
import type { Commits } from '../../commit/commits-interface.ts';
import { newLogRecovery } from '../../crypto/grant.ts';
import type { LedgerKeys } from '../../crypto/ledger-keys.ts';
import type { Platform } from '../../ports/platform.ts';
import { localKey } from '../../store/names.ts';
import type { Connection, Target } from '../transport/connection.ts';
import { newStart } from './log-start-entry.ts';
import { keyListAt } from './renew-keys.ts';

export interface LogStart {
  readonly platform: Platform;
  readonly commits: Pick<Commits, 'device' | 'remembered'>;
  readonly keys: LedgerKeys;
  readonly target: Target;
  readonly connection: Connection;
  /** The id and the name of the user of this device, who becomes the founder. */
  readonly user: string;
  readonly name: string;
  /**
   * Receives the recovery code before the log exists. Resolves when the user has kept it: nobody
   * can replace the founder's code later without it.
   */
  readonly keepCode: (code: string) => Promise<void>;
}

/**
 * Starts the log, with this device and a new recovery code as the first seats. Puts the records and
 * `start` in one request, so that the gateway takes all of them or none.
 * @throws FixpointError NOT_IMPLEMENTED if the server doesn't keep logs, or if the database or this
 * platform can't sign; CONFLICT if this device has a log; DEVICE_NOT_APPROVED; FORBIDDEN if the
 * user isn't an admin of the tenant, or if the ledger has a log
 */
export async function startLog(parts: LogStart): Promise<void> {
  const { platform, keys, target, connection, user, name } = parts;
  if (keys.log() !== undefined) throw new FixpointError('CONFLICT', 'this ledger has a membership log');
  await requireLogs(connection);
  const key = keys.current();
  const signer = await signerOf(await signingPair(parts.commits));
  const announcement = keys.announcement();
  const recovery = await newLogRecovery(platform.random);
  const text = await newStart({
    ledger: ledgerBytes(target.tenant, target.ledger),
    ...{ user, name, key, random: platform.random, timeMs: platform.time.now() },
    device: { signer, seal: publicKeyIn(announcement) },
    code: { signer: recovery.signer, seal: recovery.sealing.publicKey },
  });
  const log = bytesOf(decodeEntry(text, sha256).entry.id);
  const granted = await keys.grantToRecovery(recovery, log);
  await parts.keepCode(recovery.code);
  const { publish } = keyListAt({ platform, target, connection: () => connection });
  await publish([announcement, granted, text]);
  await keys.learnLog(log);
  await keys.learn([announcement, granted]);
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
async function signingPair(commits: LogStart['commits']): Promise<Uint8Array> {
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
