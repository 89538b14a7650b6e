/** The store of a database in Node: logs for short values, separate files for long ones. */
import { createTurns } from '../../base/turns.ts';
import type { ByteStore, Durability } from '../../ports/byte-store.ts';
import type { FileSystem } from '../../ports/file-system.ts';
import type { Time } from '../../ports/time.ts';
import { createReserves, withReserve } from '../reserve.ts';
import { fileReserve, RESERVE_BYTES_MIN } from './file-reserve.ts';
import { withLargeValues } from './large-values.ts';
import { filesFolder } from './log/log-folder.ts';
import { type LogByteStore, openLogStore } from './log/log-store.ts';

/**
 * Keys of values that are stored in files if they are long, because long values would make a log
 * slow to rewrite: archives, their indexes, attached files, and values kept for this device.
 */
const LONG = { keys: /^(car|idx|file|local)\//, bytesMin: 65_536 };

/** @throws FixpointError CORRUPT, FORMAT_NEWER, STORE_LOCKED, STORE_FAILED */
export async function openNodeStore(
  folder: string,
  durability: Durability,
  files: FileSystem,
  time: Time,
  report: (error: unknown) => void,
): Promise<ByteStore> {
  // Reserves are taken one at a time: even a failed attempt to take one uses the space that a
  // concurrent delete needs.
  const inTurn = createTurns();
  const places = {
    forDeletes: fileReserve(files, `${folder}/reserve`, () => 0),
    forPending: fileReserve(files, `${folder}/reserve-2`, () => 0),
    // Enough to rewrite the log, even after deletes used up the other reserve.
    forCompaction: fileReserve(files, `${folder}/reserve-1`, () => log.bytesToRewrite + RESERVE_BYTES_MIN),
  };
  const takerOf = (kind: keyof typeof places) => (written: number) =>
    inTurn(() => places[kind].take(written));
  const reserve = createReserves((kind) => ({ ...places[kind], take: takerOf(kind) }));
  const log: LogByteStore = await reserve.forDeletes.spend(() =>
    openLogStore(folder, durability, files, time),
  );
  const store = withLargeValues(log, filesFolder(folder), { ...LONG, files, report });
  const { forCompaction, forDeletes } = reserve;
  const shrink = () => inTurn(async () => store.shrink?.());
  const write: ByteStore['write'] = (changes, guard) =>
    guard?.frees === undefined ? store.write(changes, guard) : inTurn(() => store.write(changes, guard));
  return {
    ...withReserve({ ...store, write }, reserve),
    // Failures are ignored: a log that can't be rewritten stays unchanged. After a success, the
    // reserve is adjusted, because a shorter log needs a smaller reserve.
    shrink: () =>
      forCompaction
        .spend(() => forDeletes.spend(shrink))
        .then(() => takerOf('forCompaction')(0))
        .then(
          () => undefined,
          () => undefined,
        ),
  };
}
