/** The file system of a process that a test can kill while other processes continue. */
import type { FileSystem, Lock, OpenFile } from '../src/ports/file-system.ts';

export interface MortalFiles {
  readonly files: FileSystem;
  /** Ends the process: its locks are free, and its calls never resolve. */
  kill(): Promise<void>;
}

type Call = (...given: never[]) => unknown;

export function mortalFiles(files: FileSystem): MortalFiles {
  let isAlive = true;
  const locks = new Set<Lock>();
  const never = new Promise<never>(() => undefined);
  /** Returns an object whose calls never resolve after the end of the process. */
  const mortal = <T extends object>(object: T): T => {
    const calls = Object.entries(object).map(([name, call]: [string, Call]) => [
      name,
      (...given: never[]) => (isAlive ? call(...given) : never),
    ]);
    return Object.fromEntries(calls) as T;
  };
  return {
    files: mortal({
      ...files,
      open: async (...given: Parameters<FileSystem['open']>): Promise<OpenFile> =>
        mortal(await files.open(...given)),
      lock: async (path: string) => {
        const lock = await files.lock(path);
        if (lock !== undefined) locks.add(lock);
        return lock && mortal(lock);
      },
    }),
    kill: async () => {
      isAlive = false;
      for (const lock of locks) await lock.release();
    },
  };
}
