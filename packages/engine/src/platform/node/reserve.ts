import { randomBytes } from 'node:crypto';
import type { FileSystem } from '../../ports/file-system.ts';
import type { ReservePlace } from '../reserve.ts';
import { writeAll } from './durable-file.ts';
import { storeFailure } from './failure.ts';

/** One piece of a reserve. The first one holds dozens of deletes, or a compaction that starts with the most worn archives. */
const PIECE_BYTES = 196_608;
/** Short archives lie in the log, which is rewritten as a whole: who wrote more of them needs more pieces to make it shorter. */
const WRITTEN_PER_PIECE = 2_097_152;
const PIECES_MAX = 4;

/** A reserve as a file. Its bytes are random: some file systems store zeros in no space. */
export function fileReserve(files: FileSystem, path: string): ReservePlace {
  async function take(written: number): Promise<number> {
    const stamp = await files.stamp(path);
    const taken = Number(stamp?.split(':').at(-1) ?? 0);
    const pieces = Math.max(
      Math.min(PIECES_MAX, 1 + Math.floor(written / WRITTEN_PER_PIECE)),
      Math.floor(taken / PIECE_BYTES),
    );
    if (taken < pieces * PIECE_BYTES) await lengthen(taken, pieces * PIECE_BYTES);
    return pieces >= PIECES_MAX ? Number.POSITIVE_INFINITY : pieces * WRITTEN_PER_PIECE;
  }

  async function lengthen(from: number, to: number): Promise<void> {
    const file = await files.open(path, 'create');
    try {
      await writeAll(file, randomBytes(to - from), from);
      await file.sync();
    } catch (cause) {
      await file.truncate(from).catch(() => undefined);
      throw cause;
    } finally {
      await file.close();
    }
  }

  return {
    take: (written) => take(written).catch((cause) => Promise.reject(storeFailure(cause))),
    giveUp: () => files.remove(path),
  };
}
