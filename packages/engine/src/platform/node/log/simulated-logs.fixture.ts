/** Logs on a simulated disk, for tests. */
import { isFixpointError } from '@fixpoint/protocol';
import type { ByteStore } from '../../../ports/byte-store.ts';
import type { FileSystem } from '../../../ports/file-system.ts';
import type { SimulatedDisk } from '../../../testing/simulated-disk.ts';
import { simulatedTime } from '../../../testing/simulated-time.ts';
import { openNodeStore } from '../node-store.ts';
import { logPath } from './log-files.ts';

export const FOLDER = '/disk/db';

export const openOver = (files: FileSystem, time = simulatedTime()): Promise<ByteStore> =>
  openNodeStore(FOLDER, 'strict', files, time, () => undefined);
export const openOn = (disk: SimulatedDisk) => openOver(disk.files);
export const filled = (length: number, fill: number) => new Uint8Array(length).fill(fill);
/**
 * Returns whether these are `length` bytes of the value `fill`. Comparing them one by one would be
 * slow.
 */
export const isFilled = (bytes: Uint8Array | undefined, length: number, fill: number) =>
  bytes !== undefined && Buffer.compare(bytes, filled(length, fill)) === 0;
export const text = (value: string) => Uint8Array.from(Buffer.from(value));
export const logOf = (disk: SimulatedDisk, slot = 0) =>
  disk.content().get(logPath(FOLDER, slot)) as Uint8Array;

/**
 * Returns the code of the failure, or undefined when there was none. Throws other kinds of errors.
 */
export async function failureOf(work: Promise<unknown>): Promise<string | undefined> {
  try {
    await work;
    return undefined;
  } catch (cause) {
    if (!isFixpointError(cause)) throw cause;
    return cause.code;
  }
}

/** Returns all rows that a process finds when it opens the folder after a crash. */
export async function afterCrash(disk: SimulatedDisk): Promise<ReadonlyMap<string, Uint8Array>> {
  disk.kill();
  const store = await openOn(disk);
  const all = await store.readPrefix('');
  await store.close();
  return all;
}
