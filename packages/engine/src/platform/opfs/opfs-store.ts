/** A store in OPFS. The database of its name in IndexedDB says that the rows are in OPFS. */
import { FixpointError, isFixpointError } from '@fixpoint/protocol';
import { hex, utf8 } from '../../base/bytes.ts';
import type { ByteStore, Durability } from '../../ports/byte-store.ts';
import type { Random } from '../../ports/random.ts';
import type { Time } from '../../ports/time.ts';
import { OPFS_KEY, openIndexedDbStore } from '../browser/indexeddb-store.ts';
import { hasOpfs, openStoreFiles, removeStoreFiles } from './opfs-files.ts';
import type { Sha256 } from './opfs-format.ts';
import { openLeader, opfsFailure } from './opfs-leader.ts';
import { openTabs, type TabMessage, type Tabs } from './opfs-tabs.ts';

export interface OpfsParts {
  readonly sha256: Sha256;
  readonly random: Random;
  readonly time: Time;
}

interface Opening extends OpfsParts {
  readonly storageName: string;
  readonly isStrict: boolean;
  /** Returns whether a tab has recorded that the rows are in OPFS. */
  isKnown(): Promise<boolean>;
}

/** How often, and after which time, opening files is tried again that an ended tab still has. */
const [RETRIES_MAX, RETRY_MS] = [100, 20];
const PLACE = utf8('opfs');

/**
 * Returns a function that opens a database in OPFS. It opens the database in IndexedDB if it is
 * there already, or if OPFS doesn't work here.
 */
export const opfsOpener =
  (parts: OpfsParts) =>
  /** @throws FixpointError STORE_UNREADABLE, STORE_LOST, CORRUPT */
  async (storageName: string, durability: Durability): Promise<ByteStore> => {
    const anchor = await openIndexedDbStore(storageName, durability, true);
    /** Opens the store in IndexedDB, which then notices if another tab chooses OPFS. */
    const plain = async () => {
      await anchor.close();
      return openIndexedDbStore(storageName, durability);
    };
    try {
      const isKnown = async () => (await anchor.read(OPFS_KEY)) !== undefined;
      const isStrict = durability === 'strict';
      // One read, because another tab may choose OPFS at any moment.
      const [first] = await anchor.keys('');
      if (first !== OPFS_KEY && (first !== undefined || !hasOpfs())) return await plain();
      if (!hasOpfs()) throw new FixpointError('STORE_UNREADABLE', 'no access to OPFS in this thread');
      return (await openBeside(anchor, { ...parts, storageName, isStrict, isKnown })) ?? (await plain());
    } catch (cause) {
      await anchor.close();
      throw cause;
    }
  };

/** Opens the files. Returns undefined if a new store can't be created in OPFS. */
async function openBeside(anchor: ByteStore, opening: Opening): Promise<ByteStore | undefined> {
  let tabs: Tabs;
  try {
    tabs = await openBetweenTabs(opening);
  } catch (cause) {
    if ((await opening.isKnown()) || isFixpointError(cause, 'CORRUPT')) throw cause;
    return undefined;
  }
  // No tab acknowledges a write before this row is durable.
  const row = { key: OPFS_KEY, bytes: PLACE };
  try {
    const isNew = await anchor.write([row], { key: OPFS_KEY, bytes: undefined });
    if (!isNew && !(await opening.isKnown())) {
      // A tab without the option wrote to IndexedDB first.
      await tabs.close();
      return undefined;
    }
  } catch (cause) {
    await tabs.close();
    throw cause;
  }
  const stopListening = anchor.onClosed?.(() => void tabs.close());
  return {
    ...storeOver(tabs),
    ...(anchor.inTurn && { inTurn: anchor.inTurn }),
    ...(anchor.onClosed && { onClosed: anchor.onClosed }),
    close: async () => {
      stopListening?.();
      await tabs.close();
      await anchor.close();
    },
    destroy: async () => {
      await tabs.close();
      // Without the row, a folder that a crash leaves is emptied when the name is used again.
      await anchor.destroy();
      await removeOpfsStore(opening.storageName, opening.time);
    },
  };
}

const lockName = (storageName: string) => `fixpoint:${storageName}:opfs`;

/**
 * Removes the files of a store whose row is gone. Does nothing if another tab already creates a
 * store of this name, because that tab empties the folder.
 */
export async function removeOpfsStore(storageName: string, time: Time): Promise<void> {
  if (!hasOpfs()) return;
  await navigator.locks.request(lockName(storageName), async () => {
    const known = await indexedDB.databases?.();
    if (known?.some(({ name }) => name === storageName)) return;
    await untilFree(time, () => removeStoreFiles(storageName));
  });
}

const storeOver = (tabs: Tabs): Omit<ByteStore, 'close' | 'destroy'> => ({
  read: (key) => tabs.ask({ do: 'read', key }) as Promise<Uint8Array | undefined>,
  readPart: (key, from, length) =>
    tabs.ask({ do: 'read', key, from, length }) as Promise<Uint8Array | undefined>,
  readPrefix: (prefix) => tabs.ask({ do: 'readPrefix', prefix }) as Promise<Map<string, Uint8Array>>,
  keys: (prefix) => tabs.ask({ do: 'keys', prefix }) as Promise<string[]>,
  write: (changes, guard) =>
    tabs.write({ do: 'write', changes, guard: guard && { key: guard.key, bytes: guard.bytes } }),
  sync: () => tabs.ask({ do: 'sync' }) as Promise<void>,
  shrink: () => tabs.ask({ do: 'shrink' }) as Promise<void>,
});

/** Opens the store of all tabs. The first tab opens the files. */
async function openBetweenTabs(opening: Opening): Promise<Tabs> {
  const { storageName, random } = opening;
  const name = lockName(storageName);
  const client = hex(random.bytes(16));
  const clientName = `${name}:${client}`;
  const ended = new AbortController();
  // While this tab has this lock, a new leader knows that it may repeat a write.
  await new Promise<void>((resolve, reject) => {
    const hold = () => {
      resolve();
      return new Promise<void>((end) => ended.signal.addEventListener('abort', () => end()));
    };
    navigator.locks.request(clientName, hold).catch(reject);
  });
  const channel = new BroadcastChannel(name);
  const tabs = await openTabs({
    client,
    channel: {
      post: (message) => channel.postMessage(message),
      listen: (fn) => {
        channel.onmessage = ({ data }: MessageEvent<TabMessage>) => fn(data);
      },
      close: () => channel.close(),
    },
    lock: (fn) => {
      const waiting = new AbortController();
      // The request is rejected when it is cancelled.
      navigator.locks.request(name, { signal: waiting.signal }, fn).catch(() => undefined);
      return () => waiting.abort();
    },
    openLeader: () => openFilesOf(opening, `${name}:`),
  }).catch((cause) => {
    ended.abort();
    throw cause;
  });
  return {
    ...tabs,
    close: async () => {
      await tabs.close();
      ended.abort();
    },
  };
}

async function openFilesOf(opening: Opening, clientPrefix: string) {
  const { storageName, sha256, random, time, isStrict } = opening;
  // Only the tab that has the lock may decide this: an earlier leader may have written since this
  // tab began to open the store.
  const isKnown = await opening.isKnown();
  const files = await untilFree(time, async () => {
    // A folder without the row was left by a crash, before or after its database existed.
    if (!isKnown) await removeStoreFiles(storageName);
    return openStoreFiles(storageName);
  });
  const parts = { files, sha256, randomBytes: random.bytes, isStrict };
  const liveClients = async () => {
    const { held = [] } = await navigator.locks.query();
    const clients = held.flatMap(({ name = '' }) =>
      name.startsWith(clientPrefix) ? [name.slice(clientPrefix.length)] : [],
    );
    return new Set(clients);
  };
  return openLeader(parts, isKnown, liveClients, time.turn ?? (async () => undefined));
}

/** Repeats work while an ended tab still has the files. */
async function untilFree<T>(time: Time, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (cause) {
      const isTaken = (cause as DOMException).name === 'NoModificationAllowedError';
      if (!isTaken || attempt === RETRIES_MAX) throw opfsFailure(cause);
      await new Promise<void>((resolve) => void time.after(RETRY_MS, resolve));
    }
  }
}
