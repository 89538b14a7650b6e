/**
 * Lists the logs of a database folder, and chooses the log that a process may write.
 *
 *   log, durable, lock          number 0: the only one unless processes open the database
 *                               at the same time
 *   log-n, durable-n, lock-n    number n: of a process that opened the folder while all
 *                               logs with lower numbers were in use
 *   logs                        number of logs, when more than one: 13 bytes "fixpoint-logs",
 *                               1 byte version (1), 2 bytes count,
 *                               16 bytes first half of sha-256 of the bytes above
 *
 * Each process or thread takes the first log that no living thread holds, and creates a log when
 * all are taken. So there are never more logs than were in use at the same time.
 *
 * A process first creates an empty log, then makes the new count durable, and only then writes a
 * record or the marker. So if a counted log is missing, the folder is damaged. If a log beyond the
 * count has a record or a marker, the count was lost or is an older copy, which is damage, too. A
 * crash between the first two steps leaves only an empty log beyond the count.
 */
import { createHash, randomBytes } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import { FixpointError } from '@fixpoint/protocol';
import type { FileSystem, Lock } from '../../../ports/file-system.ts';
import { replaceFile } from '../durable-file.ts';
import { isMissing, storeFailure, unlessMissing } from '../failure.ts';
import { type LogFiles, logPath, makeLog, openFiles, openingPath } from './log-files.ts';
import { HEADER_BYTES } from './log-format.ts';

const NAME = Buffer.from('fixpoint-logs', 'latin1');
const VERSION = 1;
const LOGS_MAX = 250;

export interface TakenLog {
  readonly slot: number;
  /** The number of logs. */
  readonly count: number;
  readonly lock: Lock;
  readonly own: LogFiles;
}

export const countPath = (folder: string) => `${folder}/logs`;
/** The folder of long values. */
export const filesFolder = (folder: string) => `${folder}/files`;
const lockPath = (folder: string, slot: number) => `${folder}/lock${slot === 0 ? '' : `-${slot}`}`;

/**
 * Takes a log to write, exclusively for this thread. Creates the folder if needed.
 * @throws FixpointError CORRUPT, FORMAT_NEWER, STORE_LOCKED
 */
export async function takeLog(files: FileSystem, folder: string): Promise<TakenLog> {
  // A folder that contains log 0 is already durable, so it isn't created again.
  const ensureFolder = async () => {
    if ((await files.stamp(logPath(folder, 0))) === undefined) await files.makeFolder(folder);
  };
  // This also creates the parent folder, which the lock needs. Other processes can remove the
  // folder until this one holds the lock, so the folder may be created twice.
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
        if (count === 0) await makeLog(files, folder, 0);
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

/**
 * Returns whether no other process has the folder open.
 * @throws FixpointError CORRUPT, FORMAT_NEWER
 */
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

/** Takes the lock of a log that no living process has. Returns undefined if one has it. */
export const lockLog = (files: FileSystem, folder: string, slot: number): Promise<Lock | undefined> =>
  files.oneAtATime(openingPath(folder), () => files.lock(lockPath(folder, slot)));

/**
 * Returns the number of logs in the folder; 0 for a new folder.
 * @throws FixpointError CORRUPT, FORMAT_NEWER
 */
export async function readCount(files: FileSystem, folder: string): Promise<number> {
  for (let before: number | undefined; ; ) {
    const count = await countIn(files, folder);
    const stray = await strayIn(files, folder, count);
    if (stray === undefined) return count;
    // Another process may have added a log since the count was read.
    if (count === before)
      throw new FixpointError('CORRUPT', `the folder has ${stray}, but counts ${count} logs`);
    before = count;
  }
}

async function countIn(files: FileSystem, folder: string): Promise<number> {
  const bytes = await files.readFile(countPath(folder));
  if (bytes !== undefined) return decodeCount(Buffer.from(bytes));
  return (await files.stamp(logPath(folder, 0))) === undefined ? 0 : 1;
}

/**
 * Returns the name of a file that a folder with this many logs can't contain. Such a file shows
 * that the count or a log was lost.
 */
async function strayIn(files: FileSystem, folder: string, count: number): Promise<string | undefined> {
  for (const name of await files.list(folder)) {
    const slot = slotOf(name);
    if (slot === undefined || slot < count) continue;
    if (name.startsWith('durable')) return name;
    const bytes = await files.readFile(`${folder}/${name}`);
    if ((bytes?.length ?? 0) > HEADER_BYTES) return name;
  }
  if (count === 0 && (await files.list(filesFolder(folder))).length > 0) return 'files';
  return undefined;
}

/** Returns the number of the log to which a log or marker file belongs. */
function slotOf(name: string): number | undefined {
  const found = /^(?:log|durable)(?:-(\d+))?$/.exec(name);
  return found === null ? undefined : Number(found[1] ?? 0);
}

async function makeNext(files: FileSystem, folder: string, count: number): Promise<TakenLog> {
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

/**
 * Removes a store by renaming its folder first. A crash leaves either the whole store, or a renamed
 * folder that no process opens and that the next call removes. Succeeds if another process removed
 * the store.
 * @throws FixpointError STORE_FULL, STORE_FAILED
 */
export async function destroyFolder(folder: string, files: FileSystem): Promise<void> {
  const aside = `${folder}.${randomBytes(8).toString('hex')}.destroyed`;
  try {
    await files.oneAtATime(openingPath(folder), () => files.rename(folder, aside)).catch(unlessMissing);
    for (const name of await files.list(dirname(folder)))
      if (isAsideOf(basename(folder), name)) await files.removeFolder(join(dirname(folder), name));
  } catch (cause) {
    throw storeFailure(cause);
  }
}

/**
 * Returns whether `name` is a folder that was renamed for removal. No database has a folder with
 * such a name (file-name.ts).
 */
const isAsideOf = (folder: string, name: string): boolean =>
  name.startsWith(`${folder}.`) && /^[0-9a-f]{16}\.destroyed$/.test(name.slice(folder.length + 1));
