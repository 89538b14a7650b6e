/**
 * Stores long values in separate files next to the store. A log that contains videos would be slow
 * to rewrite, and to read at each open.
 *
 * The store contains a pointer in place of each long value: 0x00, the text `large1`, and the name
 * of a file in the folder. Each file gets a new name, becomes durable before its pointer, and is
 * removed only after the removal of its pointer is durable. So the file of a pointer always exists.
 * A file without a pointer was left by an interrupted write, and the first write of a later process
 * removes it. A relaxed store may lose its last writes, but it still has the file of each remaining
 * pointer.
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
   * Selects the keys whose values may be stored in files. Values of other keys are never read as
   * pointers.
   */
  readonly keys: RegExp;
  readonly bytesMin: number;
  readonly report: (error: unknown) => void;
}

interface LargeValues extends LargeValuesOptions {
  readonly store: ByteStore;
  readonly folder: string;
  /** Files that this process created, and whose pointers may not be written yet. */
  readonly made: Set<string>;
  /**
   * The removal of leftover files. It starts with the first write, so a process that only reads
   * removes nothing.
   */
  sweeping: Promise<void> | undefined;
  isFolderMade: boolean;
}

/**
 * Wraps a store so that it keeps long values in files.
 * @param folder must be removed together with the store
 * @throws FixpointError STORE_FAILED
 */
export function withLargeValues(store: ByteStore, folder: string, options: LargeValuesOptions): ByteStore {
  const values: LargeValues = {
    ...options,
    store,
    folder,
    made: new Set(),
    sweeping: undefined,
    isFolderMade: false,
  };
  return {
    read: (key) => readWhole(values, key),
    readPart: (key, offset, length) =>
      readPart(values, key, offset, length).catch((cause) => Promise.reject(storeFailure(cause))),
    readPrefix: (prefix) => readPrefix(values, prefix),
    keys: (prefix) => store.keys(prefix),
    write: (changes, guard) => write(values, changes, guard),
    ...(store.writer !== undefined && { writer: store.writer }),
    ...(store.refresh && { refresh: store.refresh.bind(store) }),
    ...(store.isAlone && { isAlone: store.isAlone.bind(store) }),
    ...(store.ifAbandoned && { ifAbandoned: store.ifAbandoned.bind(store) }),
    ...(store.inspect && { inspect: store.inspect.bind(store) }),
    shrink: async () => {
      await sweep(values);
      await store.shrink?.();
    },
    ...(store.onClosed && { onClosed: store.onClosed.bind(store) }),
    ...(store.news && { news: store.news.bind(store) }),
    ...(store.watch && { watch: store.watch.bind(store) }),
    close: async () => {
      await values.sweeping;
      await store.close();
    },
    destroy: async () => {
      await values.sweeping;
      await store.destroy();
    },
  };
}

const pathOf = ({ folder }: LargeValues, name: string): string => `${folder}/${name}`;

async function readWhole(values: LargeValues, key: string): Promise<Uint8Array | undefined> {
  const stored = await values.store.read(key);
  return stored && resolve(values, key, stored);
}

/**
 * Reads a part of a value. If the file is missing or too short, reads the whole value instead,
 * because another process may have replaced the file.
 */
async function readPart(
  values: LargeValues,
  key: string,
  offset: number,
  length: number,
): Promise<Uint8Array | undefined> {
  const { store, files, keys } = values;
  const stored = keys.test(key) ? await store.read(key) : undefined;
  const name = stored && nameIn(stored);
  const part = name === undefined ? undefined : await files.readPart(pathOf(values, name), offset, length);
  return part?.length === length ? part : (await readWhole(values, key))?.subarray(offset, offset + length);
}

async function readPrefix(values: LargeValues, prefix: string): Promise<Map<string, Uint8Array>> {
  const rows = [...(await values.store.readPrefix(prefix))];
  const resolved = await Promise.all(
    rows.map(async ([key, stored]) => [key, await resolve(values, key, stored)] as const),
  );
  return new Map(resolved.flatMap(([key, bytes]) => (bytes === undefined ? [] : [[key, bytes]])));
}

/**
 * Returns the value of a row: the content of the file if the row is a pointer, or else the row
 * itself.
 */
async function resolve(
  values: LargeValues,
  key: string,
  stored: Uint8Array,
): Promise<Uint8Array | undefined> {
  const { store, files, keys } = values;
  const name = keys.test(key) ? nameIn(stored) : undefined;
  if (name === undefined) return stored;
  const bytes = await files
    .readFile(pathOf(values, name))
    .catch((cause) => Promise.reject(storeFailure(cause)));
  if (bytes !== undefined) return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // This or another process may have replaced or removed the value.
  await store.refresh?.();
  const now = await store.read(key);
  if (now === undefined || nameIn(now) !== name) return now && resolve(values, key, now);
  throw new FixpointError('CORRUPT', `the file of ${key} is gone`);
}

async function write(values: LargeValues, changes: readonly StoreChange[], guard?: Guard): Promise<boolean> {
  const { store, keys, bytesMin } = values;
  void sweep(values);
  const exact = guard && (await guardOver(values, guard));
  if (guard !== undefined && exact === undefined) return false;
  if (!changes.some(({ key }) => keys.test(key))) return store.write(changes, exact);
  const before = await filesBehind(values, changes);
  const isLong = ({ key, bytes }: StoreChange) => (bytes?.length ?? 0) >= bytesMin && keys.test(key);
  const written = await writeFiles(
    values,
    changes.flatMap((one) => (isLong(one) && one.bytes) || []),
  );
  const names = written.values();
  const rows = changes.map((one) =>
    isLong(one) ? { key: one.key, bytes: pointerTo(names.next().value as string) } : one,
  );
  const isDone = await store.write(rows, exact);
  if (!isDone) await removeFiles(values, written);
  else if (before.length > 0) await removeReplaced(values, before);
  return isDone;
}

/**
 * Converts the condition of a write for the store, which may contain a pointer in place of the
 * value. Returns undefined when the store contains another value.
 */
async function guardOver(values: LargeValues, guard: Guard): Promise<Guard | undefined> {
  const { key, bytes } = guard;
  const stored = bytes === undefined || !values.keys.test(key) ? undefined : await values.store.read(key);
  if (bytes === undefined || stored === undefined || nameIn(stored) === undefined) return guard;
  const value = await resolve(values, key, stored);
  return value !== undefined && Buffer.compare(value, bytes) === 0 ? { ...guard, bytes: stored } : undefined;
}

/** Writes each value durably to a separate file. Returns the names of the files. */
async function writeFiles(values: LargeValues, contents: readonly Uint8Array[]): Promise<string[]> {
  if (contents.length === 0) return [];
  const { store, folder, files } = values;
  const names: string[] = [];
  try {
    if (!values.isFolderMade) await makeFolder(values);
    values.isFolderMade = true;
    await writeEach(values, contents, names);
    await files.syncFolder(folder);
    return names;
  } catch (cause) {
    // Remove partial files: they are harmless, but use space.
    await removeFiles(values, names);
    // If the folder is missing, the whole store may have been removed. Then `refresh` reports that.
    if (isMissing(cause)) await store.refresh?.();
    throw storeFailure(cause);
  }
}

/**
 * Creates the folder, but never for a store that was removed: files in a folder without a log count
 * as damage.
 */
function makeFolder({ store, folder, files }: LargeValues): Promise<void> {
  const make = () => files.makeFolder(folder);
  return store.whileThere === undefined ? make() : store.whileThere(make);
}

/**
 * Writes each value to a file.
 * @param names receives the name of each file before the file is created
 */
async function writeEach(
  values: LargeValues,
  contents: readonly Uint8Array[],
  names: string[],
): Promise<void> {
  const opened: OpenFile[] = [];
  try {
    for (const bytes of contents) {
      const name = randomBytes(NAME_BYTES).toString('hex');
      names.push(name);
      values.made.add(name);
      const file = await values.files.open(pathOf(values, name), 'empty');
      opened.push(file);
      await writeAll(file, bytes, 0);
    }
    // Sync the files in parallel, so that the file system can make them durable in one step.
    await settled(opened.map((file) => file.sync()));
  } finally {
    for (const file of opened) await file.close();
  }
}

async function removeFiles(values: LargeValues, names: readonly string[]): Promise<void> {
  for (const name of names) await values.files.remove(pathOf(values, name)).catch(values.report);
}

/**
 * Removes replaced files once the replacement is durable. Otherwise a power loss could restore a
 * pointer to a deleted file.
 */
async function removeReplaced(values: LargeValues, names: readonly string[]): Promise<void> {
  try {
    await values.store.sync?.();
  } catch (cause) {
    return values.report(cause);
  }
  await removeFiles(values, names);
}

/** Returns the files of the values currently stored under the keys. */
async function filesBehind(
  { store, keys }: LargeValues,
  changes: readonly Pick<StoreChange, 'key'>[],
): Promise<string[]> {
  const names: string[] = [];
  for (const { key } of changes) {
    if (!keys.test(key) || (store.lengthOf !== undefined && store.lengthOf(key) !== POINTER_BYTES)) continue;
    const stored = await store.read(key);
    const name = stored && nameIn(stored);
    if (name !== undefined) names.push(name);
  }
  return names;
}

/** Removes the files of interrupted writes, once per open store. */
function sweep(values: LargeValues): Promise<void> {
  values.sweeping ??= removeLeft(values).catch(values.report);
  return values.sweeping;
}

/**
 * Removes files without a pointer. Files created after the listing are ignored: another process may
 * be about to write their pointers.
 */
async function removeLeft(values: LargeValues): Promise<void> {
  const { store, folder, files } = values;
  const names = await files.list(folder);
  // Usually there are no leftovers, so there is no need to check for other processes.
  if ((await leftOf(values, names)).length === 0 || (await store.isAlone?.()) === false) return;
  // A file whose row is missing because of damage isn't a leftover, so check the store first.
  await store.inspect?.();
  await removeFiles(values, await leftOf(values, names));
}

async function leftOf(values: LargeValues, names: readonly string[]): Promise<readonly string[]> {
  if (names.length === 0) return names;
  const keys = await values.store.keys('');
  const behind = new Set(
    await filesBehind(
      values,
      keys.map((key) => ({ key })),
    ),
  );
  return names.filter((name) => !behind.has(name) && !values.made.has(name));
}

/** Waits until all have settled, then throws the first failure. */
async function settled(work: readonly Promise<void>[]): Promise<void> {
  for (const one of await Promise.allSettled(work)) if (one.status === 'rejected') throw one.reason;
}

const pointerTo = (name: string): Uint8Array => Buffer.concat([POINTER, Buffer.from(name, 'latin1')]);

const nameIn = (stored: Uint8Array): string | undefined =>
  Buffer.compare(stored.subarray(0, POINTER.length), POINTER) === 0
    ? Buffer.from(stored.subarray(POINTER.length)).toString('latin1')
    : undefined;
