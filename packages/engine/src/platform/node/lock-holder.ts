/**
 * Who holds a lock: a thread of a process, for threads have nothing in common that would keep them apart. A lock file holds, separated by spaces:
 *
 *   process id
 *   when the process began, in ms of the clock of the machine that is never set
 *   id of the thread as the system knows it, where it tells
 *   a random name of this one lock
 */
import { randomBytes } from 'node:crypto';
import { existsSync, readlinkSync } from 'node:fs';

/** Threads of one process work out its beginning each by itself; processes that have one number after another lie further apart. */
const SAME_MS = 1000;

const beganMs = Math.round(Number(process.hrtime.bigint()) / 1e6 - process.uptime() * 1000);

/** A link that leads each thread to itself, in Linux; elsewhere a thread is taken to live as long as its process. */
function ownThread(): string {
  try {
    return readlinkSync('/proc/thread-self').split('/').at(-1) ?? '';
  } catch {
    return '';
  }
}

/** What this thread writes in a lock that it takes. */
export const newHolder = (): string =>
  `${process.pid} ${beganMs} ${ownThread()} ${randomBytes(8).toString('hex')}`;

/** Whether who wrote this in a lock lives. Another copy of this module in this thread is somebody else. */
export function isAlive(holder: string): boolean {
  const [number, began, thread] = holder.split(' ');
  const pid = Number(number);
  if (!Number.isInteger(pid) || pid <= 0) return false;
  if (pid !== process.pid) return isProcess(pid);
  // An earlier process had this number.
  if (began === undefined || !(Math.abs(Number(began) - beganMs) < SAME_MS)) return false;
  return !thread || existsSync(`/proc/self/task/${thread}`);
}

export function isProcess(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === 'EPERM';
  }
}
