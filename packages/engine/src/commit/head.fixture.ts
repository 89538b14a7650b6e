/**
 * Heads of databases in memory, without the write queue and the maintenance of an open database. A
 * test can set hooks that run before a call of the store. A hook may throw, or write as another
 * tab.
 */
import { FixpointError } from '@fixpoint/protocol';
import { expect } from 'vitest';
import { readCar } from '../archive/car.ts';
import { packFiles } from '../archive/file-archive.ts';
import type { Archive } from '../archive/pack.ts';
import { blockOf } from '../codec/block.ts';
import { RAW } from '../codec/cid.ts';
import { NO_KEYS } from '../crypto/keys.ts';
import { parseDocKey } from '../documents/doc-key.ts';
import { encodeDocument, TOMBSTONE } from '../documents/encode.ts';
import { memoryStore } from '../platform/memory-store.ts';
import type { ByteStore, Guard, StoreChange } from '../ports/byte-store.ts';
import { Archives } from '../store/archives.ts';
import { FileArchives } from '../store/file-archives.ts';
import { simulatedTime } from '../testing/simulated-time.ts';
import { getLink } from '../trie/get.ts';
import { isWholeWith } from '../trie/whole-trie.ts';
import { createFiles, type OperationFiles } from './attached-files.ts';
import { commit } from './commit.ts';
import { type CurrentHead, createHead, openHead } from './current-head.ts';
import { createFeed, type HeadChange } from './news.ts';
import { rebuiltSnapshot } from './rebuild.ts';
import type { Operation } from './write-queue.ts';

export const keys = { keys: () => NO_KEYS };
export const full = new FixpointError('STORE_FULL', 'ENOSPC');
export const code = (name: string) => expect.objectContaining({ code: name }) as Error;

export function operation(id: string, n: number, files?: OperationFiles): Operation {
  const key = parseDocKey(id);
  return { key, value: encodeDocument({ _id: id, n }, key), ...(files && { files }) };
}
export const deletion = (id: string): Operation => ({ key: parseDocKey(id), value: TOMBSTONE });
export const fileOf = (...bytes: number[]) => packFiles([], [blockOf(Uint8Array.from(bytes), RAW)]);

/** Functions that run before a call of the store. A hook may throw the error of the call. */
interface Hooks {
  write?: ((changes: readonly StoreChange[], guard: Guard | undefined) => unknown) | undefined;
  readPrefix?: ((prefix: string) => unknown) | undefined;
  read?: ((key: string) => unknown) | undefined;
}

/** Creates a store over shared values. `writes` contains the writes that succeeded. */
export function watchedStore(values = new Map<string, Uint8Array>(), more: Partial<ByteStore> = {}) {
  const inner = memoryStore(values);
  const hooks: Hooks = {};
  const writes: { readonly keys: readonly string[]; readonly guard: Guard | undefined }[] = [];
  const store: ByteStore = {
    ...inner,
    read: async (key) => {
      await hooks.read?.(key);
      return inner.read(key);
    },
    readPrefix: async (prefix) => {
      // Without a hook that waits, reads run in the order in which they begin.
      const hooked = hooks.readPrefix?.(prefix);
      if (hooked !== undefined) await hooked;
      return inner.readPrefix(prefix);
    },
    write: async (changes, guard) => {
      await hooks.write?.(changes, guard);
      const done = await inner.write(changes, guard);
      if (done) writes.push({ keys: changes.map(({ key }) => key), guard });
      return done;
    },
    ...more,
  };
  /** Makes the next call fail. Later calls succeed again. */
  const failOnce = (call: keyof Hooks, cause: FixpointError) => {
    hooks[call] = () => {
      hooks[call] = undefined;
      throw cause;
    };
  };
  return { values, store, hooks, writes, failOnce };
}

/** Creates the head of one tab or process over stored values. `open` reads the stored head. */
export async function headOver(values = new Map<string, Uint8Array>(), more: Partial<ByteStore> = {}) {
  const watched = watchedStore(values, more);
  const changes: HeadChange[] = [];
  const posts: number[] = [];
  const feed = createFeed((error) => {
    throw error;
  });
  feed.subscribe((change) => changes.push(change));
  const time = simulatedTime();
  const { store } = watched;
  const head = createHead({
    store,
    channel: {
      // Records the number of durable writes at the time of each notification.
      post: () => void posts.push(watched.writes.length),
      onHint: () => () => undefined,
      close: () => undefined,
    },
    archives: new Archives(store, keys),
    files: createFiles(store, new FileArchives(store, keys), time),
    feed,
    rebuild: rebuiltSnapshot,
    isWhole: isWholeWith,
  });
  const open = () => openHead(head);
  return { ...watched, head, open, changes, posts, time };
}

/** Creates and opens a head, then writes each document in a separate commit. */
export async function openedHead(values = new Map<string, Uint8Array>(), ...documents: Operation[]) {
  const opened = await headOver(values);
  await opened.open();
  for (const one of documents) expect(await commit(opened.head, [one])).toBe(true);
  opened.changes.length = 0;
  opened.posts.length = 0;
  opened.writes.length = 0;
  return opened;
}

/** Returns the block of a document at the current head, read through the readers of the head. */
export async function documentAt(
  { snapshot, readers }: CurrentHead,
  id: string,
): Promise<Uint8Array | undefined> {
  if (snapshot.root === undefined) return undefined;
  const cid = await getLink(readers.shard, snapshot.root, id);
  return cid && readers.block(cid);
}

/** Returns the archives of a database, as a remote sends them. */
export const archivesOf = ({ archives }: CurrentHead): Promise<Archive[]> =>
  Promise.all(
    [...archives.list.keys()].map(async (cid) => {
      const bytes = await archives.readArchive(cid);
      return { cid, bytes, blocks: readCar(bytes).blocks };
    }),
  );

/** Copies stored values, so that a test can check that a step didn't change them. */
export const copyOf = (values: ReadonlyMap<string, Uint8Array>) => new Map(values);
