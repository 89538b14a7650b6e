/**
 * The logs of one database folder: which there are, and which one a process may write.
 *
 *   log, durable, lock          number 0: the only one of a database that one process at a time has open
 *   log-n, durable-n, lock-n    number n: of a process that came while the logs before it were in use
 *   logs                        how many there are, when more than one: 13 bytes "fixpoint-logs", 1 byte version (1), 2 bytes count,
 *                               16 bytes first half of sha-256 of what stands before
 *
 * A process, or a thread of one, takes the first log that no living one has, and makes one when all are taken; so there are never more than were in use at once. The
 * count is durable before anything is written in a new log: a log that the count promises and that is not there is damage.
 */
import { createHash } from 'node:crypto';
import { FixpointError } from '@fixpoint/protocol';
import type { FileSystem, Lock } from '../../ports/file-system.ts';
import { replaceFile } from './durable-file.ts';
import { isMissing } from './failure.ts';
import { HEADER_BYTES } from './log-format.ts';
import { type LogFiles, logPath, makeLog, markerPath, openFiles, openingPath } from './own-log.ts';

const NAME = Buffer.from('fixpoint-logs', 'latin1');
const VERSION = 1;
const LOGS_MAX = 250;

export interface TakenLog {
  readonly slot: number;
  /** How many logs there are. */
  readonly count: number;
  readonly lock: Lock;
  readonly own: LogFiles;
}

export const countPath = (folder: string) => `${folder}/logs`;
const lockPath = (folder: string, slot: number) => `${folder}/lock${slot === 0 ? '' : `-${slot}`}`;

/** Takes a log to write, for this thread alone, in a folder that is made when there is none. @throws FixpointError CORRUPT, FORMAT_NEWER, STORE_LOCKED */
export async function takeLog(files: FileSystem, folder: string): Promise<TakenLog> {
  // A folder that has a log was made durable before it.
  const ensureFolder = async () => {
    if ((await files.stamp(logPath(folder, 0))) === undefined) await files.makeFolder(folder);
  };
  // Here for the place of the lock. Who has the lock keeps others from removing it; until then somebody may.
  await ensureFolder().catch((cause) => {
    if (!isMissing(cause)) throw cause;
  });
  return files.oneAtATime(openingPath(folder), async () => {
    await ensureFolder();
    const count = await readCount(files, folder);
    for (let slot = 0; slot < Math.max(count, 1); slot++) {
      const lock = await files.lock(lockPath(folder, slot));
      if (lock === undefined) continue;
      try {
        if (count === 0) await makeFirst(files, folder);
        return { slot, count: Math.max(count, 1), lock, own: await openFiles(files, folder, slot) };
      } catch (cause) {
        await lock.release();
        throw cause;
      }
    }
    if (count === LOGS_MAX) throw new FixpointError('STORE_LOCKED', folder);
    return makeNext(files, folder, count);
  });
}

/** Whether no other process has the folder open. @throws FixpointError CORRUPT, FORMAT_NEWER */
export function isAlone(files: FileSystem, folder: string, own: number): Promise<boolean> {
  return files.oneAtATime(openingPath(folder), async () => {
    const count = await readCount(files, folder);
    for (let slot = 0; slot < count; slot++) {
      if (slot === own) continue;
      const lock = await files.lock(lockPath(folder, slot));
      if (lock === undefined) return false;
      await lock.release();
    }
    return true;
  });
}

/** How many logs the folder has; 0 when it is new. @throws FixpointError CORRUPT, FORMAT_NEWER */
export async function readCount(files: FileSystem, folder: string): Promise<number> {
  const bytes = await files.readFile(countPath(folder));
  if (bytes !== undefined) return decodeCount(Buffer.from(bytes));
  await refuseStray(files, folder, 1);
  return (await files.stamp(logPath(folder, 0))) === undefined ? 0 : 1;
}

async function makeFirst(files: FileSystem, folder: string): Promise<void> {
  if ((await files.stamp(markerPath(folder, 0))) !== undefined)
    throw new FixpointError('CORRUPT', 'the log is gone');
  await makeLog(files, folder, 0);
}

async function makeNext(files: FileSystem, folder: string, count: number): Promise<TakenLog> {
  await refuseStray(files, folder, count);
  const lock = await files.lock(lockPath(folder, count));
  if (lock === undefined) throw new FixpointError('STORE_LOCKED', folder);
  try {
    await makeLog(files, folder, count);
    await replaceFile(files, countPath(folder), encodeCount(count + 1));
    return { slot: count, count: count + 1, lock, own: await openFiles(files, folder, count) };
  } catch (cause) {
    await lock.release();
    throw cause;
  }
}

/** A log behind the last one that is counted is what a crash left before anything was written in it; else the count is an older copy. */
async function refuseStray(files: FileSystem, folder: string, slot: number): Promise<void> {
  const bytes = await files.readFile(logPath(folder, slot));
  if ((bytes?.length ?? 0) > HEADER_BYTES) throw new FixpointError('CORRUPT', 'the count of logs is too low');
}

const checkOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest().subarray(0, 16);

function encodeCount(count: number): Buffer {
  const body = Buffer.concat([NAME, Buffer.of(VERSION, count >> 8, count & 0xff)]);
  return Buffer.concat([body, checkOf(body)]);
}

function decodeCount(bytes: Buffer): number {
  const body = bytes.subarray(0, NAME.length + 3);
  if (!checkOf(body).equals(bytes.subarray(body.length)) || !body.subarray(0, NAME.length).equals(NAME))
    throw new FixpointError('CORRUPT', 'the count of logs');
  if (body.readUInt8(NAME.length) > VERSION) throw new FixpointError('FORMAT_NEWER', 'the count of logs');
  return body.readUInt16BE(NAME.length + 1);
}
