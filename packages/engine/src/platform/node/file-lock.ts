import { readFile, rename, stat, unlink, writeFile } from 'node:fs/promises';
import { threadId } from 'node:worker_threads';
import { FixpointError } from '@fixpoint/protocol';
import { isExisting, isMissing } from './failure.ts';
import { isAlive, newHolder } from './lock-holder.ts';

const WAIT_MS = 20;
const WAITS_MAX = 500;
const EMPTY_MS = 2000;
const queues = new Map<string, Promise<unknown>>();

/**
 * Does the work while no other holder of this path does, in whichever process of this machine; it is for short work. A lock that a dead process left is taken over.
 * @throws FixpointError STORE_LOCKED after ten seconds
 */
export async function withFileLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  const before = queues.get(path) ?? Promise.resolve();
  const mine = before.then(
    () => holding(path, work),
    () => holding(path, work),
  );
  queues.set(path, mine);
  try {
    return await mine;
  } finally {
    if (queues.get(path) === mine) queues.delete(path);
  }
}

async function holding<T>(path: string, work: () => Promise<T>): Promise<T> {
  for (let wait = 0; !(await tryTake(path)); wait++) {
    if (wait >= WAITS_MAX) throw new FixpointError('STORE_LOCKED', path);
    await new Promise<void>((resolve) => void setTimeout(resolve, WAIT_MS));
  }
  try {
    return await work();
  } finally {
    await removeIfThere(path);
  }
}

async function tryTake(path: string): Promise<boolean> {
  try {
    await writeFile(path, newHolder(), { flag: 'wx', mode: 0o600 });
    return true;
  } catch (cause) {
    if (!isExisting(cause)) failed(cause);
  }
  const left = await leftBy(path);
  if (left !== undefined) await takeAway(path, left);
  return false;
}

/** What is written in the lock, if its holder is dead. */
async function leftBy(path: string): Promise<string | undefined> {
  const [text, found] = await Promise.all([readFile(path, 'utf8'), stat(path)]).catch(
    (cause): [undefined, undefined] => (isMissing(cause) ? [undefined, undefined] : failed(cause)),
  );
  if (text === undefined || found === undefined) return undefined;
  // Between its creation and its first byte a lock is empty, for a moment.
  if (text === '') return Date.now() - found.mtimeMs > EMPTY_MS ? text : undefined;
  return isAlive(text) ? undefined : text;
}

/** Of several that saw the same dead holder one takes its lock away; a lock that somebody took meanwhile is put back. */
async function takeAway(path: string, left: string): Promise<void> {
  const aside = `${path}.${process.pid}.${threadId}`;
  try {
    await rename(path, aside);
    if ((await readFile(aside, 'utf8')) === left) await removeIfThere(aside);
    else await rename(aside, path);
  } catch (cause) {
    if (!isMissing(cause)) failed(cause);
  }
}

async function removeIfThere(path: string): Promise<void> {
  await unlink(path).catch((cause) => (isMissing(cause) ? undefined : failed(cause)));
}

function failed(cause: unknown): never {
  throw new FixpointError('KEY_UPSERT', undefined, { cause });
}
