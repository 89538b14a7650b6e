/**
 * A lock as a file: the process that creates it holds it. On a full disk it is a symbolic link to
 * the holder's text, which needs no block.
 */
import { lstat, readFile, readlink, symlink, unlink, writeFile } from 'node:fs/promises';
import { isExisting, isFull, isMissing, unlessMissing } from './failure.ts';

/** Makes the lock in one step. @throws an error with code EEXIST when there is one */
export async function makeLockFile(path: string, holder: string): Promise<void> {
  try {
    await writeFile(path, holder, { flag: 'wx', mode: 0o600 });
  } catch (cause) {
    if (!isFull(cause)) throw cause;
    // It was made by this call, which would have failed with EEXIST otherwise, and stayed empty.
    await unlink(path).catch(unlessMissing);
    await symlink(holder, path).catch((failed) => Promise.reject(isExisting(failed) ? failed : cause));
  }
}

/** What the holder wrote; undefined when there is no lock. */
export async function readLockFile(path: string): Promise<string | undefined> {
  const text = await readFile(path, 'utf8').catch(unlessMissing);
  // A link leads nowhere.
  return text ?? (await readlink(path).catch(unlessNoLink));
}

/** What tells this lock from one that takes its place; undefined when there is none. */
export async function identityOf(path: string): Promise<string | undefined> {
  const found = await lstat(path).catch(unlessMissing);
  return found && `${found.ino}:${found.ctimeMs}`;
}

/** EINVAL: a lock that is a file has taken its place. */
function unlessNoLink(cause: unknown): undefined {
  if (!isMissing(cause) && (cause as NodeJS.ErrnoException).code !== 'EINVAL') throw cause;
}
