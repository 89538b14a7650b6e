/**
 * A lease between processes: a file in the folder of the database.
 *
 *   line 1   host, process id and a random name of the holder, separated by spaces
 *   line 2   the holder's status
 *
 * The holder rewrites the file every second through the handle that created it: once another
 * process has replaced the file, writes of the former holder reach nobody.
 */
import { randomBytes } from 'node:crypto';
import { type FileHandle, link, open, readFile, rename, stat, unlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Lease, LeaseEvents, Leases } from '../../ports/lease.ts';
import type { Time } from '../../ports/time.ts';
import { isExisting, isMissing } from './failure.ts';
import { fileNameOf } from './file-name.ts';
import { isProcess } from './lock-holder.ts';

const LOOK_MS = 500;
/** A holder that others saw write nothing for this long is frozen. */
const FROZEN_MS = 3000;
/** A process that checks this late was frozen itself, and knows nothing about others. */
const LATE_MS = 1500;

interface Found {
  readonly owner: string;
  readonly words: string;
  readonly writtenAt: number;
}

/** @param time whose timers don't keep an otherwise idle process alive */
export function fileLeases(directory: string, time: Time, report: (error: unknown) => void): Leases {
  return {
    seek: (database, name, events) =>
      seekFileLease(join(directory, fileNameOf(database), `lease-${name}`), events, time, report),
  };
}

function seekFileLease(
  path: string,
  events: LeaseEvents,
  time: Time,
  report: (error: unknown) => void,
): Lease {
  const name = randomBytes(8).toString('hex');
  const me = `${hostname()} ${process.pid} ${name}`;
  let held: FileHandle | undefined;
  let isStopped = false;
  let isWithoutFile = false;
  let seen = { owner: '', writtenAt: 0, at: 0 };
  let lookedAt = 0;
  let stopTimer: () => void = () => undefined;
  let last: Promise<void> = Promise.resolve();

  async function look(): Promise<void> {
    if (isStopped || isWithoutFile) return;
    const found = await read(path);
    if (held !== undefined && found?.owner === me) return write(held);
    if (held !== undefined) {
      await held.close();
      held = undefined;
      events.lost();
    }
    if (found === undefined) return take();
    if (!isLeft(found)) return events.heard(found.words);
    await takeAway(path, found.owner, `${path}.${name}.old`);
    await take();
  }

  async function write(file: FileHandle): Promise<void> {
    const bytes = Buffer.from(`${me}\n${events.words()}\n`);
    await file.write(bytes, 0, bytes.length, 0);
    await file.truncate(bytes.length);
  }

  async function take(): Promise<void> {
    const mine = `${path}.${name}`;
    const file = await open(mine, 'w', 0o600);
    try {
      await write(file);
      await link(mine, path);
    } catch (cause) {
      await file.close();
      if (isExisting(cause)) return;
      throw cause;
    } finally {
      await removeIfThere(mine);
    }
    held = file;
    events.taken();
    await write(file);
  }

  /**
   * Whether the holder is dead or frozen. Judges a file's age by its changes, never by its
   * timestamp.
   */
  function isLeft({ owner, writtenAt }: Found): boolean {
    const now = time.now();
    // A clock that went back doesn't show how much time passed.
    const isLate = now - lookedAt > LATE_MS || now < lookedAt;
    const isNews = seen.owner !== owner || seen.writtenAt !== writtenAt || isLate;
    lookedAt = now;
    if (isNews) seen = { owner, writtenAt, at: now };
    const [host, pid] = owner.split(' ');
    if (host === hostname() && !isProcess(Number(pid))) return true;
    return now - seen.at >= FROZEN_MS;
  }

  /** Where no file can be created, each process does the work by itself. */
  function goWithoutFile(cause: unknown): void {
    // The folder was removed: the database closes too.
    if (isMissing(cause)) return;
    isWithoutFile = true;
    report(cause);
    if (held === undefined) events.taken();
  }

  function next(): Promise<void> {
    stopTimer();
    last = last.then(look).catch(goWithoutFile);
    return last.then(() => {
      stopTimer();
      if (!isStopped) stopTimer = time.after(LOOK_MS, () => void next());
    });
  }

  return {
    settled: next(),
    tell: () => {
      if (held !== undefined) void next();
    },
    release: async () => {
      isStopped = true;
      stopTimer();
      await last;
      if (held === undefined) return;
      const file = held;
      held = undefined;
      try {
        await file.close();
        if ((await read(path))?.owner === me) await removeIfThere(path);
      } catch (cause) {
        // Others detect that this process ended, or stopped writing.
        report(cause);
      }
    },
  };
}

async function read(path: string): Promise<Found | undefined> {
  try {
    const [text, { mtimeMs }] = await Promise.all([readFile(path, 'utf8'), stat(path)]);
    const [owner = '', words = ''] = text.split('\n');
    return { owner, words, writtenAt: mtimeMs };
  } catch (cause) {
    if (isMissing(cause)) return undefined;
    throw cause;
  }
}

/**
 * Removes the file of a failed holder, for one of the processes that noticed; a newer file is put
 * back, or its owner asks again.
 */
async function takeAway(path: string, owner: string, aside: string): Promise<void> {
  try {
    await rename(path, aside);
    if ((await read(aside))?.owner !== owner) await link(aside, path);
  } catch (cause) {
    if (!isMissing(cause) && !isExisting(cause)) throw cause;
  } finally {
    await removeIfThere(aside);
  }
}

async function removeIfThere(path: string): Promise<void> {
  await unlink(path).catch((cause) => (isMissing(cause) ? undefined : Promise.reject(cause)));
}
