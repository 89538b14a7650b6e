import { rename, unlink } from 'node:fs/promises';
import { threadId } from 'node:worker_threads';
import { FixpointError } from '@fixpoint/protocol';
import { isExisting, isMissing } from './failure.ts';
import { identityOf, makeLockFile, readLockFile } from './lock-file.ts';
import { isAlive, newHolder } from './lock-holder.ts';

const WAIT_MS = 20;
const WAITS_MAX = 500;
/**
 * A new lock is empty until its holder writes the first byte. A lock that is still empty after this
 * many checks was left by a dead process.
 */
const EMPTY_LOOKS_MAX = 100;
const queues = new Map<string, Promise<unknown>>();

/**
 * Runs short work while it holds the lock at `path`, so that no other process or thread on this
 * machine runs such work at the same time. Takes over the lock of a dead process.
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
  const empty: Empty = { identity: undefined, looks: 0 };
  for (let wait = 0; !(await tryTake(path, empty)); wait++) {
    if (wait >= WAITS_MAX) throw new FixpointError('STORE_LOCKED', path);
    await new Promise<void>((resolve) => void setTimeout(resolve, WAIT_MS));
  }
  try {
    return await work();
  } finally {
    await removeIfThere(path);
  }
}

/** An empty lock, and how many checks in a row have found it empty. */
interface Empty {
  identity: string | undefined;
  looks: number;
}

async function tryTake(path: string, empty: Empty): Promise<boolean> {
  try {
    await makeLockFile(path, newHolder());
    return true;
  } catch (cause) {
    if (!isExisting(cause)) failed(cause);
  }
  const left = await leftBy(path, empty).catch(failed);
  if (left !== undefined) await takeAway(path, left);
  return false;
}

/** Returns the content of the lock if its holder is dead. */
async function leftBy(path: string, empty: Empty): Promise<string | undefined> {
  const text = await readLockFile(path);
  if (text !== '') return text === undefined || isAlive(text) ? undefined : text;
  const identity = await identityOf(path);
  empty.looks = identity === empty.identity ? empty.looks + 1 : 0;
  empty.identity = identity;
  return empty.looks < EMPTY_LOOKS_MAX ? undefined : text;
}

/**
 * Removes the lock of a dead holder. When several processes try this, one of them succeeds. A newer
 * lock that was moved by mistake is put back.
 */
async function takeAway(path: string, left: string): Promise<void> {
  const aside = `${path}.${process.pid}.${threadId}`;
  try {
    await rename(path, aside);
    if ((await readLockFile(aside)) === left) await removeIfThere(aside);
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
