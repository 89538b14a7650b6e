/** What a database in Node lies in: logs for what is short, files of their own for what is long. */
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
 * Archives, their indexes, attached files, and what is kept for this device, when they are long: a
 * log of them would be long to rewrite.
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
  // Taking a reserve, even in vain, uses the space that a delete beside it needs.
  const inTurn = createTurns();
  const places = {
    forDeletes: fileReserve(files, `${folder}/reserve`, () => 0),
    // Enough to rewrite the log, also after the deletes for which the other one is kept.
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
    // A log that can't be rewritten stays as it is. A shorter one needs less of a reserve.
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
