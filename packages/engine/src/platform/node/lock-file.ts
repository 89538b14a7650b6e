/**
 * A lock is a file, and the process that creates the file holds the lock. On a full disk, the lock
 * is a symbolic link whose target is the holder's text, because a short link needs no block.
 */
import { lstat, readFile, readlink, symlink, unlink, writeFile } from 'node:fs/promises';
import { isExisting, isFull, isMissing, unlessMissing } from './failure.ts';

/**
 * Creates the lock in one step.
 * @throws an error with code EEXIST when there is a lock already
 */
export async function makeLockFile(path: string, holder: string): Promise<void> {
  try {
    await writeFile(path, holder, { flag: 'wx', mode: 0o600 });
  } catch (cause) {
    if (!isFull(cause)) throw cause;
    // The failed call created an empty file. Otherwise, it would have failed with EEXIST.
    await unlink(path).catch(unlessMissing);
    await symlink(holder, path).catch((failed) => Promise.reject(isExisting(failed) ? failed : cause));
  }
}

/** Returns the holder's text, or undefined when there is no lock. */
export async function readLockFile(path: string): Promise<string | undefined> {
  const text = await readFile(path, 'utf8').catch(unlessMissing);
  // A lock that is a symbolic link has no target file, so reading it as a file fails.
  return text ?? (await readlink(path).catch(unlessNoLink));
}

/**
 * Returns a text that differs from that of any later lock at this path. Returns undefined when
 * there is no lock.
 */
export async function identityOf(path: string): Promise<string | undefined> {
  const found = await lstat(path).catch(unlessMissing);
  return found && `${found.ino}:${found.ctimeMs}`;
}

/**
 * Ignores a missing file, and EINVAL, which means that the lock is now a file instead of a link.
 */
function unlessNoLink(cause: unknown): undefined {
  if (!isMissing(cause) && (cause as NodeJS.ErrnoException).code !== 'EINVAL') throw cause;
}
