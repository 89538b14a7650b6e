/**
 * The holder of a lock is a thread, not a process: each thread loads its own copy of this module,
 * so threads of a process don't know each other's locks. A lock contains these fields, separated by
 * spaces:
 *
 * - process id
 * - when the process began, in ms of the machine's monotonic clock
 * - thread id of the system, where the system reports it
 * - a random name of the lock
 * - when the process began according to the system, in ticks since the machine started, where
 *   reported
 * - the first 8 digits of the machine's boot id, which changes at each start; empty where there is
 *   none
 *
 * Earlier versions wrote the first four fields, and the earliest only the process id. All fields
 * fit in a symbolic link that needs no block of the disk (59 bytes in ext4), because processes must
 * be able to take a lock on a full disk.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, readlinkSync } from 'node:fs';

/**
 * Each thread computes the start time of its process, with an error below this. If a process number
 * is reused, the two processes start further apart than this.
 */
const SAME_MS = 1000;
/** Duration of a tick in ms. It is always 10 in Linux, whatever interval the kernel uses. */
const TICK_MS = 10;

/** The facts that a system reports about its processes. */
export interface Processes {
  readonly pid: number;
  /** When this process began, in ms of the monotonic clock. */
  readonly beganMs: number;
  /** The machine's boot id; empty where the system doesn't report it. */
  readonly boot: string;
  isProcess(pid: number): boolean;
  /**
   * Returns the ticks from the start of the machine to the start of the process; undefined where
   * the system doesn't report them.
   */
  startOf(pid: number): number | undefined;
  /** Returns undefined where the system doesn't report threads. */
  isThread(pid: number, thread: string): boolean | undefined;
  /** The monotonic clock. It stops while the machine sleeps. */
  nowMs(): number;
  /** How long the machine slept since it started. */
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
 * The processes of this machine. Only Linux has /proc; elsewhere, a thread counts as alive while
 * its process is alive.
 */
const PROCESSES: Processes = {
  pid: process.pid,
  beganMs: Math.round(nowMs() - process.uptime() * 1000),
  boot: attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').slice(0, 8)) ?? '',
  isProcess: (pid) => isProcess(pid),
  startOf: (pid) =>
    attempt(() => {
      const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
      // The name of the program, in brackets, may contain any characters.
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

/** Returns the text that this thread writes in a lock. */
export function newHolder({ pid, beganMs, boot, startOf }: Processes = PROCESSES): string {
  return [pid, beganMs, ownThread(), randomBytes(4).toString('hex'), startOf(pid) ?? '', boot].join(' ');
}

/**
 * Returns whether the thread that wrote this text is alive. Returns true for locks of this thread.
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

/** Compares start times. Where the system reports none, the process counts as the same. */
const isStartedAt = (start: number | undefined, ticks: number): boolean =>
  start === undefined || start === ticks;

/**
 * Returns whether the process with this number may be the one that began at `began`. Returns false
 * if the system reports a later start, because a process never computes an earlier start than the
 * system. Also returns false if `began` is in the future, because such a time is from before the
 * machine was started again.
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
