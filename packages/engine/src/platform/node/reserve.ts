import { randomBytes } from 'node:crypto';
import type { FileSystem } from '../../ports/file-system.ts';
import type { ReservePlace } from '../reserve.ts';
import { writeAll } from './durable-file.ts';
import { storeFailure } from './failure.ts';

/** Enough for dozens of deletes, or for a compaction that starts with the most worn archives. */
const RESERVE_BYTES = 196_608;

/** A reserve as a file. Its bytes are random: some file systems store zeros in no space. */
export function fileReserve(files: FileSystem, path: string): ReservePlace {
  async function take(): Promise<number> {
    const stamp = await files.stamp(path);
    if (stamp?.endsWith(`:${RESERVE_BYTES}`)) return Number.POSITIVE_INFINITY;
    const file = await files.open(path, 'empty');
    try {
      await writeAll(file, randomBytes(RESERVE_BYTES), 0);
      await file.sync();
      return Number.POSITIVE_INFINITY;
    } catch (cause) {
      await file.truncate(0).catch(() => undefined);
      throw cause;
    } finally {
      await file.close();
    }
  }

  return {
    take: () => take().catch((cause) => Promise.reject(storeFailure(cause))),
    giveUp: () => files.remove(path),
  };
}
