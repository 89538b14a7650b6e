/**
 * Stores long values in separate files next to the store: a log that holds films would be slow to
 * read at each open, and to rewrite.
 *
 * The store holds a pointer instead: 0x00, the text `large1`, and the name of a file in the folder.
 * A file gets a name that was never used, is durable before its pointer, and is removed only once
 * the removal of its pointer is durable. So a pointer always has its file, and a file without a
 * pointer was left by an interrupted write; the first write of a later process removes it. This
 * holds in a relaxed store too, which may lose its last writes but not the files of earlier ones.
 */
import { randomBytes } from 'node:crypto';
import { FixpointError } from '@fixpoint/protocol';
import type { ByteStore, Guard, StoreChange } from '../../ports/byte-store.ts';
import type { FileSystem, OpenFile } from '../../ports/file-system.ts';
import { writeAll } from './durable-file.ts';
import { isMissing, storeFailure } from './failure.ts';

const POINTER = Buffer.from('\0large1', 'latin1');
const NAME_BYTES = 16;
const POINTER_BYTES = POINTER.length + 2 * NAME_BYTES;

export interface LargeValuesOptions {
  readonly files: FileSystem;
  /**
   * Selects the values stored in files; a key for which this is always false has no pointers
   * either.
   */
  readonly keys: RegExp;
  readonly bytesMin: number;
  readonly report: (error: unknown) => void;
}

/**
 * @param folder must be removed together with the store
 * @throws FixpointError STORE_FAILED
 */
export function withLargeValues(
  store: ByteStore,
  folder: string,
  { files, keys, bytesMin, report }: LargeValuesOptions,
): ByteStore {
  /** Files created here whose pointers may not be written yet. */
  const made = new Set<string>();
  /** Starts with the first write: a process that only reads removes nothing. */
  let sweeping: Promise<void> | undefined;
  let isMade = false;

  const pathOf = (name: string) => `${folder}/${name}`;

  /**
   * Never creates the folder of a store that was removed: files in a folder without a log are
   * damage.
   */
  function makeFolder(): Promise<void> {
    const make = () => files.makeFolder(folder);
    return store.whileThere === undefined ? make() : store.whileThere(make);
  }

  /** Returns the name of each value's file. */
  async function writeFiles(values: readonly Uint8Array[]): Promise<string[]> {
    if (values.length === 0) return [];
    const names: string[] = [];
    const opened: OpenFile[] = [];
    try {
      if (!isMade) await makeFolder();
      isMade = true;
      try {
        for (const bytes of values) {
          const name = randomBytes(NAME_BYTES).toString('hex');
          names.push(name);
          made.add(name);
          const file = await files.open(pathOf(name), 'empty');
          opened.push(file);
          await writeAll(file, bytes, 0);
        }
        // In parallel, so that the file system can make them durable in one step.
        await settled(opened.map((file) => file.sync()));
      } finally {
        for (const file of opened) await file.close();
      }
      await files.syncFolder(folder);
      return names;
    } catch (cause) {
      // A partial file is harmless, but takes space.
      await removeFiles(names);
      // Without the folder the whole store may be gone; the store reports that.
      if (isMissing(cause)) await store.refresh?.();
      throw storeFailure(cause);
    }
  }

  const removeFiles = async (names: readonly string[]): Promise<void> => {
    for (const name of names) await files.remove(pathOf(name)).catch(report);
  };

  /**
   * The replacement is durable first: a power loss must not restore a pointer to a deleted file.
   */
  const removeReplaced = async (names: readonly string[]): Promise<void> => {
    try {
      await store.sync?.();
    } catch (cause) {
      return report(cause);
    }
    await removeFiles(names);
  };

  const wholeOf = async (key: string): Promise<Uint8Array | undefined> => {
    const stored = await store.read(key);
    return stored && resolve(key, stored);
  };

  /** A missing or truncated file is no proof of damage; only reading the whole value is. */
  async function partOf(key: string, offset: number, length: number): Promise<Uint8Array | undefined> {
    const stored = keys.test(key) ? await store.read(key) : undefined;
    const name = stored && nameIn(stored);
    const part = name === undefined ? undefined : await files.readPart(pathOf(name), offset, length);
    return part?.length === length ? part : (await wholeOf(key))?.subarray(offset, offset + length);
  }

  async function resolve(key: string, stored: Uint8Array): Promise<Uint8Array | undefined> {
    const name = keys.test(key) ? nameIn(stored) : undefined;
    if (name === undefined) return stored;
    const bytes = await files.readFile(pathOf(name)).catch((cause) => Promise.reject(storeFailure(cause)));
    if (bytes !== undefined) return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    // The value may have been replaced or removed, by another process too.
    await store.refresh?.();
    const now = await store.read(key);
    if (now === undefined || nameIn(now) !== name) return now && resolve(key, now);
    throw new FixpointError('CORRUPT', `the file of ${key} is gone`);
  }

  /** Returns the guard over the stored form; undefined when the store holds another value. */
  async function guardOver(guard: Guard): Promise<Guard | undefined> {
    const { key, bytes } = guard;
    const stored = bytes === undefined || !keys.test(key) ? undefined : await store.read(key);
    if (bytes === undefined || stored === undefined || nameIn(stored) === undefined) return guard;
    const value = await resolve(key, stored);
    return value !== undefined && Buffer.compare(value, bytes) === 0
      ? { ...guard, bytes: stored }
      : undefined;
  }

  /** Returns the files of the values currently stored under the keys. */
  async function filesBehind(changes: readonly StoreChange[]): Promise<string[]> {
    const names: string[] = [];
    for (const { key } of changes) {
      if (!keys.test(key) || (store.lengthOf !== undefined && store.lengthOf(key) !== POINTER_BYTES))
        continue;
      const stored = await store.read(key);
      const name = stored && nameIn(stored);
      if (name !== undefined) names.push(name);
    }
    return names;
  }

  /**
   * Another process may be about to write the pointer of a file; files created after the listing
   * are ignored.
   */
  async function removeLeft(): Promise<void> {
    const names = await files.list(folder);
    // Usually nothing is left over: then other processes need no check.
    if ((await leftOf(names)).length === 0 || (await store.isAlone?.()) === false) return;
    // Where a row is missing, its file isn't left over.
    await store.inspect?.();
    await removeFiles(await leftOf(names));
  }

  const sweep = (): Promise<void> => {
    sweeping ??= removeLeft().catch(report);
    return sweeping;
  };

  async function leftOf(names: readonly string[]): Promise<readonly string[]> {
    if (names.length === 0) return names;
    const keys = await store.keys('');
    const behind = new Set(await filesBehind(keys.map((key) => ({ key, bytes: undefined }))));
    return names.filter((name) => !behind.has(name) && !made.has(name));
  }

  return {
    read: wholeOf,
    readPart: (key, offset, length) =>
      partOf(key, offset, length).catch((cause) => Promise.reject(storeFailure(cause))),
    readPrefix: async (prefix) => {
      const rows = [...(await store.readPrefix(prefix))];
      const resolved = await Promise.all(
        rows.map(async ([key, stored]) => [key, await resolve(key, stored)] as const),
      );
      return new Map(resolved.flatMap(([key, bytes]) => (bytes === undefined ? [] : [[key, bytes]])));
    },
    keys: (prefix) => store.keys(prefix),
    write: async (changes, guard) => {
      void sweep();
      const exact = guard && (await guardOver(guard));
      if (guard !== undefined && exact === undefined) return false;
      if (!changes.some(({ key }) => keys.test(key))) return store.write(changes, exact);
      const before = await filesBehind(changes);
      const isLong = ({ key, bytes }: StoreChange) => (bytes?.length ?? 0) >= bytesMin && keys.test(key);
      const written = await writeFiles(changes.flatMap((one) => (isLong(one) && one.bytes) || []));
      const names = written.values();
      const rows = changes.map((one) =>
        isLong(one) ? { key: one.key, bytes: pointerTo(names.next().value as string) } : one,
      );
      const isDone = await store.write(rows, exact);
      if (!isDone) await removeFiles(written);
      else if (before.length > 0) await removeReplaced(before);
      return isDone;
    },
    ...(store.writer !== undefined && { writer: store.writer }),
    ...(store.refresh && { refresh: store.refresh.bind(store) }),
    ...(store.isAlone && { isAlone: store.isAlone.bind(store) }),
    ...(store.inspect && { inspect: store.inspect.bind(store) }),
    shrink: async () => {
      await sweep();
      await store.shrink?.();
    },
    ...(store.onClosed && { onClosed: store.onClosed.bind(store) }),
    ...(store.news && { news: store.news.bind(store) }),
    ...(store.watch && { watch: store.watch.bind(store) }),
    close: async () => {
      await sweeping;
      await store.close();
    },
    destroy: async () => {
      await sweeping;
      await store.destroy();
    },
  };
}

/** Resolves once all of them have settled, failed or not. */
async function settled(work: readonly Promise<void>[]): Promise<void> {
  for (const one of await Promise.allSettled(work)) if (one.status === 'rejected') throw one.reason;
}

const pointerTo = (name: string): Uint8Array => Buffer.concat([POINTER, Buffer.from(name, 'latin1')]);

const nameIn = (stored: Uint8Array): string | undefined =>
  Buffer.compare(stored.subarray(0, POINTER.length), POINTER) === 0
    ? Buffer.from(stored.subarray(POINTER.length)).toString('latin1')
    : undefined;
