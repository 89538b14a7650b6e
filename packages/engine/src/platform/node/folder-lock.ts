import { readFile, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FixpointError } from '@fixpoint/protocol';
import { isExisting, isMissing } from './failure.ts';

const heldHere = new Set<string>();

/** Takes the folder for this process; what it gives back lets it go. @throws FixpointError STORE_LOCKED */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const path = join(folder, 'lock');
  for (let attempt = 0; attempt < 3; attempt++) {
    if (heldHere.has(path)) break;
    try {
      await writeFile(path, String(process.pid), { flag: 'wx', mode: 0o600 });
      heldHere.add(path);
      return async () => {
        heldHere.delete(path);
        await removeIfThere(path);
      };
    } catch (cause) {
      if (!isExisting(cause)) throw cause;
    }
    if (await isHeld(path)) break;
    await removeIfThere(path);
  }
  throw new FixpointError('STORE_LOCKED', folder);
}

/** A lock that names this process, which does not hold it, was left by an earlier process of the same number. */
async function isHeld(path: string): Promise<boolean> {
  const text = await readFile(path, 'utf8').catch((cause) => (isMissing(cause) ? '' : Promise.reject(cause)));
  const pid = Number(text);
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function removeIfThere(path: string): Promise<void> {
  await unlink(path).catch((cause) => (isMissing(cause) ? undefined : Promise.reject(cause)));
}
