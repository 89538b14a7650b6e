/**
 * Adds a random delay to each call of a file system, so that the steps of several processes
 * interleave in many ways.
 */
import type { FileSystem, OpenFile } from '../src/ports/file-system.ts';
import type { Time } from '../src/ports/time.ts';
import type { SeededRandom } from '../src/testing/seeded-random.ts';

const WAIT_MS_MAX = 4;

export function slowFiles(files: FileSystem, time: Time, random: SeededRandom): FileSystem {
  const pause = async () => {
    const ms = random.below(WAIT_MS_MAX);
    if (ms > 0) await new Promise<void>((resolve) => void time.after(ms, resolve));
  };
  const slowly =
    <Given extends unknown[], T>(call: (...given: Given) => Promise<T>) =>
    async (...given: Given): Promise<T> => {
      await pause();
      return call(...given);
    };
  const slowFile = (file: OpenFile): OpenFile => ({
    ...file,
    read: slowly(file.read),
    write: slowly(file.write),
    truncate: slowly(file.truncate),
    sync: slowly(file.sync),
  });
  return {
    ...files,
    open: async (...given) => {
      await pause();
      return slowFile(await files.open(...given));
    },
    readFile: slowly(files.readFile),
    readPart: slowly(files.readPart),
    rename: slowly(files.rename),
    syncFolder: slowly(files.syncFolder),
    list: slowly(files.list),
    remove: slowly(files.remove),
    stamp: slowly(files.stamp),
  };
}
