/**
 * Who holds a lock: a thread of a process, for threads have nothing in common that would keep them apart. A lock holds, separated by spaces:
 *
 *   process id
 *   when the process began, in ms of the clock of the machine that is never set
 *   id of the thread as the system knows it, where it tells
 *   a random name of this one lock
 *   when the process began as the system knows it, in ticks since the machine was started, where it tells
 *   the start of the machine: the first 8 digits of its id, where it has one
 *
 * Earlier versions wrote the first four, and the first of them only the process id. All of it fits in a symbolic link that needs no block of the disk
 * (59 bytes in ext4), because a lock has to be taken on a full disk too.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, readlinkSync } from 'node:fs';

/**
 * Threads of one process work out its beginning each by itself; processes that have one number
 * after another lie further apart.
 */
const SAME_MS = 1000;
/** In Linux, whatever its kernel counts by. */
const TICK_MS = 10;

/** What a system tells of its processes. */
export interface Processes {
  readonly pid: number;
  /** When this process began, in ms of the clock that is never set. */
  readonly beganMs: number;
  /** Empty where the system doesn't tell. */
  readonly boot: string;
  isProcess(pid: number): boolean;
  /** Ticks since the machine was started; undefined where the system doesn't tell. */
  startOf(pid: number): number | undefined;
  /** Undefined where the system doesn't tell. */
  isThread(pid: number, thread: string): boolean | undefined;
  /** The clock that is never set. It stands while the machine sleeps. */
  nowMs(): number;
  /** How long the machine slept since it was started. */
  sleptMs(): number;
}

const nowMs = (): number => Number(process.hrtime.bigint()) / 1e6;

const attempt = <T>(read: () => T): T | undefined => {
  try {
    return read();
  } catch {
    return undefined;
  }
};

/**
 * The processes of this machine. /proc is there in Linux alone: elsewhere a thread is taken to live
 * as long as its process.
 */
const PROCESSES: Processes = {
  pid: process.pid,
  beganMs: Math.round(nowMs() - process.uptime() * 1000),
  boot: attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').slice(0, 8)) ?? '',
  isProcess: (pid) => isProcess(pid),
  startOf: (pid) =>
    attempt(() => {
      const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
      // The name of the program, in brackets, may hold anything.
      const ticks = Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[19]);
      return Number.isSafeInteger(ticks) ? ticks : undefined;
    }),
  isThread: (pid, thread) =>
    existsSync(`/proc/${pid}/task`) ? existsSync(`/proc/${pid}/task/${thread}`) : undefined,
  nowMs,
  sleptMs: () =>
    attempt(() =>
      Math.max(0, Number(readFileSync('/proc/uptime', 'latin1').split(' ')[0]) * 1000 - nowMs()),
    ) ?? 0,
};

const ownThread = (): string => attempt(() => readlinkSync('/proc/thread-self').split('/').at(-1)) ?? '';

/** What this thread writes in a lock that it takes. */
export function newHolder({ pid, beganMs, boot, startOf }: Processes = PROCESSES): string {
  return [pid, beganMs, ownThread(), randomBytes(4).toString('hex'), startOf(pid) ?? '', boot].join(' ');
}

/**
 * Whether the thread that wrote this in a lock lives. Another copy of this module in this thread is
 * somebody else.
 */
export function isAlive(holder: string, processes: Processes = PROCESSES): boolean {
  const [number, began, thread, , ticks, boot] = holder.split(' ');
  const pid = Number(number);
  if (!Number.isInteger(pid) || pid <= 0 || !processes.isProcess(pid)) return false;
  if (boot && processes.boot && boot !== processes.boot) return false;
  const isSame = ticks
    ? isStartedAt(processes.startOf(pid), Number(ticks))
    : couldHaveBegun(pid, began === undefined ? undefined : Number(began), processes);
  return isSame && !(thread && processes.isThread(pid, thread) === false);
}

/** Where the system doesn't tell any more, nobody knows better. */
const isStartedAt = (start: number | undefined, ticks: number): boolean =>
  start === undefined || start === ticks;

/**
 * Whether the process of this number may be the one that began then. All that is known for sure:
 * the clock of an earlier start of the machine may have been ahead of the one of now, and a process
 * starts no later than it began, as measured by itself.
 */
function couldHaveBegun(pid: number, began: number | undefined, processes: Processes): boolean {
  if (pid === processes.pid) return began !== undefined && Math.abs(began - processes.beganMs) < SAME_MS;
  if (began === undefined) return true;
  if (!(began <= processes.nowMs() + SAME_MS)) return false;
  const start = processes.startOf(pid);
  return start === undefined || start * TICK_MS <= began + processes.sleptMs() + SAME_MS;
}

export function isProcess(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === 'EPERM';
  }
}
