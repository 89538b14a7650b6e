import { randomBytes } from 'node:crypto';
import type { FileSystem } from '../../ports/file-system.ts';
import type { ReservePlace } from '../reserve.ts';
import { writeAll } from './durable-file.ts';
import { storeFailure } from './failure.ts';

/**
 * The size of a piece; reserves consist of whole pieces. One piece is enough for dozens of deletes,
 * or for a compaction that starts with the archives that have the most dead bytes.
 */
export const RESERVE_BYTES_MIN = 196_608;
const PIECES_MAX = 40;
const SPARE_PIECES = 1;
/** After this many written bytes, the needed size is checked again. */
const LOOK_BYTES = 131_072;

/**
 * Stores a reserve in a file. The bytes of the file are random, because some file systems store
 * zeros without using space.
 * @param needed the minimum size of the reserve in bytes
 */
export function fileReserve(files: FileSystem, path: string, needed: () => number): ReservePlace {
  async function take(written: number): Promise<number> {
    const stamp = await files.stamp(path);
    const taken = Number(stamp?.split(':').at(-1) ?? 0);
    const wanted = Math.min(PIECES_MAX, 1 + Math.ceil(needed() / RESERVE_BYTES_MIN));
    const held = Math.floor(taken / RESERVE_BYTES_MIN);
    // Keep a spare piece: a log grows again after it was rewritten.
    const pieces = Math.max(wanted, Math.min(held, wanted + SPARE_PIECES));
    if (taken !== pieces * RESERVE_BYTES_MIN) await setLength(taken, pieces * RESERVE_BYTES_MIN);
    return written + LOOK_BYTES;
  }

  async function setLength(from: number, to: number): Promise<void> {
    const file = await files.open(path, 'create');
    try {
      if (to < from) return await file.truncate(to);
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
