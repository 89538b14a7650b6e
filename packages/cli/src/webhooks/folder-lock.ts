/**
 * Lets one process at a time deliver the webhooks of a folder. Two of them would send each change
 * twice, and overwrite each other's positions.
 *
 * The file `lock` contains host, process id and start of the process that holds it, a random text,
 * and which machine's process ids these are. The holder renews the time of the file. Other machines
 * can't ask whether the process runs, so they watch the time. They don't compare it with a clock,
 * because clocks of machines differ.
 */
import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, readlink, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FixpointError } from '@fixpoint/protocol';

const TRIES_MAX = 5;
const SETTLE_MS = 100;
const RENEW_MS = 5000;
const STALE_MS = 20_000;
/** Number of looks at a lock until it is stale. */
const WATCH_TRIES = 20;

export interface LockOptions {
  /** Called once when another process took the lock over, or somebody removed it. */
  readonly onLost?: () => void;
  /** Interval at which the holder renews the lock. */
  readonly renewMs?: number;
  /** A lock of another machine that isn't renewed for this time is replaced. */
  readonly staleMs?: number;
}

/**
 * Locks a folder. Returns a function that unlocks it. Replaces a lock whose process ended. If the
 * lock may be that of another machine, waits until the holder renews it or the lock is stale.
 * @throws FixpointError CONFIG_INVALID while another process holds the lock
 */
export async function lockFolder(folder: string, options: LockOptions = {}): Promise<() => Promise<void>> {
  const { onLost, renewMs = RENEW_MS, staleMs = STALE_MS } = options;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, 'lock');
  const nonce = randomBytes(8).toString('hex');
  const own = `${hostname()} ${process.pid} ${await startOf(process.pid)} ${nonce} ${await machine()}`;
  const draft = `${file}.${randomBytes(8).toString('hex')}`;
  await writeFile(draft, own, { flag: 'wx', mode: 0o600 });
  try {
    for (let tries = 0; tries < TRIES_MAX; tries += 1) {
      // Creates the file with its content in one step.
      if ((await hasLinked(draft, file)) && (await stays(file, own))) return held(file, own, renewMs, onLost);
      const holder = await contentOf(file);
      if (holder === undefined) continue;
      if (await isHeld(file, holder, staleMs)) throw inUse(folder, file, holder);
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
  await sleep(SETTLE_MS);
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

/** Renews a lock until it is lost. Returns a function that unlocks it. */
function held(file: string, own: string, renewMs: number, onLost: LockOptions['onLost']) {
  let isOver = false;
  const end = () => {
    isOver = true;
    clearInterval(timer);
  };
  const renew = async () => {
    const isOwn = (await contentOf(file)) === own;
    if (isOver) return;
    if (isOwn) return utimes(file, new Date(), new Date());
    end();
    onLost?.();
  };
  // A failure to read or to write is tried again at the next interval.
  const timer = setInterval(() => void renew().catch(() => undefined), renewMs);
  timer.unref();
  return async () => {
    end();
    if ((await contentOf(file)) === own) await rm(file, { force: true });
  };
}

/** Returns whether the process of a lock runs, or renews the lock while this function watches. */
async function isHeld(file: string, holder: string, staleMs: number): Promise<boolean> {
  const [host, pid = '', start, , where] = holder.split(' ');
  if (host !== hostname() || where !== (await machine())) return isRenewed(file, holder, staleMs);
  if (!isProcess(Number(pid))) return false;
  const current = await startOf(Number(pid));
  return current === '' || start === '' || current === start;
}

/** Watches a lock for a time. Returns false early if the lock is removed or replaced. */
async function isRenewed(file: string, holder: string, ms: number): Promise<boolean> {
  const first = await modifiedAt(file);
  for (let tries = 0; tries < WATCH_TRIES; tries += 1) {
    await sleep(ms / WATCH_TRIES);
    if ((await contentOf(file)) !== holder) return false;
    if ((await modifiedAt(file)) !== first) return true;
  }
  return false;
}

/** Returns when a file was last modified; undefined if there is none. Opens it, as NFS requires. */
async function modifiedAt(file: string): Promise<number | undefined> {
  const handle = await open(file, 'r').catch(() => undefined);
  if (handle === undefined) return undefined;
  return handle
    .stat()
    .then(({ mtimeMs }) => mtimeMs)
    .finally(() => handle.close());
}

/**
 * Names the processes among which an id is unique: those of one start of a machine, in one
 * container. Containers may have the same host name. Empty on systems that don't say so.
 */
async function machine(): Promise<string> {
  const boot = await contentOf('/proc/sys/kernel/random/boot_id').catch(() => undefined);
  const space = await readlink('/proc/self/ns/pid').catch(() => '');
  return `${boot?.trim() ?? ''}${space.replace(/\s/g, '')}`;
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
