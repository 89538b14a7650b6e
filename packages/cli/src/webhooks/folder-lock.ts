/**
 * Lets one process at a time deliver the webhooks of a folder. Two of them would send each change
 * twice, and overwrite each other's positions.
 *
 * The file `lock` contains host, process id and start of the process that holds it.
 */
import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { FixpointError } from '@fixpoint/protocol';

const TRIES_MAX = 5;
const SETTLE_MS = 100;

/**
 * Locks a folder. Returns a function that unlocks it. A lock whose process ended is replaced.
 * @throws FixpointError CONFIG_INVALID while another process holds the lock
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, 'lock');
  const own = `${hostname()} ${process.pid} ${await startOf(process.pid)} ${randomBytes(8).toString('hex')}`;
  const draft = `${file}.${randomBytes(8).toString('hex')}`;
  await writeFile(draft, own, { flag: 'wx', mode: 0o600 });
  try {
    for (let tries = 0; tries < TRIES_MAX; tries += 1) {
      // Creates the file with its content in one step.
      if ((await hasLinked(draft, file)) && (await stays(file, own))) return () => unlock(file, own);
      const holder = await contentOf(file);
      if (holder === undefined) continue;
      if (await isAlive(holder)) throw inUse(folder, file, holder);
      await removeStale(file, holder);
    }
  } finally {
    await rm(draft, { force: true });
  }
  throw new FixpointError('CONFIG_INVALID', `${folder} is in use`);
}

function inUse(folder: string, file: string, holder: string): FixpointError {
  const [host = '', pid] = holder.split(' ');
  const where = host === hostname() ? '' : ` on ${host}`;
  const who = pid === undefined ? 'another process' : `process ${pid}${where}`;
  return new FixpointError(
    'CONFIG_INVALID',
    `${folder} is in use by ${who}, which delivers its webhooks. Stop that process, or name another folder with --state. If it no longer runs, delete ${file}`,
  );
}

async function hasLinked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw cause;
  }
}

async function contentOf(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw cause;
  }
}

/**
 * Returns whether a new lock is still there after a while. Another process may have found a stale
 * lock just before, and remove this one instead.
 */
async function stays(file: string, own: string): Promise<boolean> {
  await setTimeout(SETTLE_MS);
  return (await contentOf(file)) === own;
}

/** Removes a lock whose process ended. Puts it back if another process has replaced it by now. */
async function removeStale(file: string, stale: string): Promise<void> {
  if ((await contentOf(file)) !== stale) return;
  const aside = `${file}.${randomBytes(8).toString('hex')}`;
  try {
    await rename(file, aside);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw cause;
  }
  if ((await contentOf(aside)) !== stale) await hasLinked(aside, file);
  await rm(aside, { force: true });
}

async function unlock(file: string, own: string): Promise<void> {
  if ((await contentOf(file)) === own) await rm(file, { force: true });
}

/** Returns whether the process of a lock runs. A process on another machine may run. */
async function isAlive(holder: string): Promise<boolean> {
  const [host, pid = '', start] = holder.split(' ');
  if (host !== hostname()) return true;
  if (!isProcess(Number(pid))) return false;
  const current = await startOf(Number(pid));
  return current === '' || start === '' || current === start;
}

function isProcess(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * Returns when a process started, in ticks since the machine started, so that another process with
 * the same id doesn't count. Empty on systems that don't say so.
 */
async function startOf(pid: number): Promise<string> {
  const stat = await contentOf(`/proc/${pid}/stat`).catch(() => undefined);
  // The name of the program may contain spaces and parentheses.
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}
