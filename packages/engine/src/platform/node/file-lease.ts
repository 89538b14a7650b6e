/**
 * A lease between processes: a file in the folder of the database.
 *
 *   line 1   host, process id and a random name of the holder, separated by spaces
 *   line 2   the holder's status
 *
 * The holder rewrites the file every half second through the handle that created it. So after
 * another process replaces the file, nobody reads what the former holder writes.
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
/** A holder counts as frozen when other processes have seen no write for this long. */
const FROZEN_MS = 3000;
/** A process whose check is this late was frozen itself, so it can't judge the holder. */
const LATE_MS = 1500;

interface Found {
  readonly owner: string;
  readonly words: string;
  readonly writtenAt: number;
}

/** @param time has timers that don't keep an otherwise idle process alive */
export function fileLeases(directory: string, time: Time, report: (error: unknown) => void): Leases {
  return {
    seek: (database, name, events) =>
      seekFileLease(join(directory, fileNameOf(database), `lease-${name}`), events, time, report),
  };
}

interface FileLease {
  readonly path: string;
  /** Random, so that each lease of a process has its own files. */
  readonly name: string;
  /** The first line of the file while this process holds the lease. */
  readonly me: string;
  readonly events: LeaseEvents;
  readonly time: Time;
  readonly report: (error: unknown) => void;
  held: FileHandle | undefined;
  isStopped: boolean;
  isWithoutFile: boolean;
  /** The holder's file at its last change, and when this process saw that change. */
  seen: { readonly owner: string; readonly writtenAt: number; readonly at: number };
  lookedAt: number;
  stopTimer: () => void;
  last: Promise<void>;
}

function seekFileLease(
  path: string,
  events: LeaseEvents,
  time: Time,
  report: (error: unknown) => void,
): Lease {
  const name = randomBytes(8).toString('hex');
  const lease: FileLease = {
    path,
    name,
    me: `${hostname()} ${process.pid} ${name}`,
    events,
    time,
    report,
    held: undefined,
    isStopped: false,
    isWithoutFile: false,
    seen: { owner: '', writtenAt: 0, at: 0 },
    lookedAt: 0,
    stopTimer: () => undefined,
    last: Promise.resolve(),
  };
  return {
    settled: next(lease),
    tell: () => {
      if (lease.held !== undefined) void next(lease);
    },
    release: () => release(lease),
  };
}

/** Checks the file after the current check has finished, and then at intervals. */
function next(lease: FileLease): Promise<void> {
  lease.stopTimer();
  lease.last = lease.last.then(() => look(lease)).catch((cause) => goWithoutFile(lease, cause));
  return lease.last.then(() => {
    lease.stopTimer();
    if (!lease.isStopped) lease.stopTimer = lease.time.after(LOOK_MS, () => void next(lease));
  });
}

async function look(lease: FileLease): Promise<void> {
  const { path, me, name, events } = lease;
  if (lease.isStopped || lease.isWithoutFile) return;
  const found = await read(path);
  if (lease.held !== undefined && found?.owner === me) return write(lease, lease.held);
  if (lease.held !== undefined) {
    await lease.held.close();
    lease.held = undefined;
    events.lost();
  }
  if (found === undefined) return take(lease);
  if (!isLeft(lease, found)) return events.heard(found.words);
  await takeAway(path, found.owner, `${path}.${name}.old`);
  await take(lease);
}

async function write({ me, events }: FileLease, file: FileHandle): Promise<void> {
  const bytes = Buffer.from(`${me}\n${events.words()}\n`);
  await file.write(bytes, 0, bytes.length, 0);
  await file.truncate(bytes.length);
}

/** Takes the lease unless another process was faster. */
async function take(lease: FileLease): Promise<void> {
  const mine = `${lease.path}.${lease.name}`;
  const file = await open(mine, 'w', 0o600);
  try {
    await write(lease, file);
    await link(mine, lease.path);
  } catch (cause) {
    await file.close();
    if (isExisting(cause)) return;
    throw cause;
  } finally {
    await removeIfThere(mine);
  }
  lease.held = file;
  lease.events.taken();
  await write(lease, file);
}

/**
 * Returns whether the holder is dead or frozen. Measures the time since this process saw the file
 * change. Never compares the file's timestamp with the clock, because either can be wrong.
 */
function isLeft(lease: FileLease, { owner, writtenAt }: Found): boolean {
  const { seen, lookedAt } = lease;
  const now = lease.time.now();
  // A clock that went back doesn't show how much time passed.
  const isLate = now - lookedAt > LATE_MS || now < lookedAt;
  const isNews = seen.owner !== owner || seen.writtenAt !== writtenAt || isLate;
  lease.lookedAt = now;
  if (isNews) lease.seen = { owner, writtenAt, at: now };
  const [host, pid] = owner.split(' ');
  if (host === hostname() && !isProcess(Number(pid))) return true;
  return now - lease.seen.at >= FROZEN_MS;
}

/** If no file can be created, each process does the work itself, without a lease. */
function goWithoutFile(lease: FileLease, cause: unknown): void {
  // The folder was removed, so the database closes, too.
  if (isMissing(cause)) return;
  lease.isWithoutFile = true;
  lease.report(cause);
  if (lease.held === undefined) lease.events.taken();
}

async function release(lease: FileLease): Promise<void> {
  lease.isStopped = true;
  lease.stopTimer();
  await lease.last;
  const file = lease.held;
  if (file === undefined) return;
  lease.held = undefined;
  try {
    await file.close();
    if ((await read(lease.path))?.owner === lease.me) await removeIfThere(lease.path);
  } catch (cause) {
    // Other processes notice anyway that this process ended or stopped writing.
    lease.report(cause);
  }
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
 * Removes the file of a failed holder. When several processes try this, one of them succeeds. A
 * newer file that was moved by mistake is put back. If another file is already in its place, the
 * owner of the moved file requests the lease again.
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
