import { localStorageName } from '@fixpoint/protocol';
import { loadOpenChunk } from '../../open-chunk.ts';
import type { ByteStore, Durability } from '../../ports/byte-store.ts';
import type { Channel } from '../../ports/channel.ts';
import type { Platform } from '../../ports/platform.ts';
import { fetchNetwork, type PlainSocket } from '../fetch-network.ts';
import { reportToConsole } from '../report.ts';
import { createReserves, withReserve } from '../reserve.ts';
import { systemRandom, systemTime } from '../system.ts';
import { indexedDbKeyBag } from './indexeddb-key-bag.ts';
import { indexedDbReserve } from './indexeddb-reserve.ts';
import { openIndexedDbStore } from './indexeddb-store.ts';
import { keysByStorage } from './keys-by-storage.ts';
import { tabLeases } from './tab-lease.ts';

/**
 * Implements the platform of a browser: IndexedDB for documents and keys, BroadcastChannel between
 * tabs.
 * @param openStore opens the store of documents
 */
export function browserPlatform(
  openStore: (storageName: string, durability: Durability) => Promise<ByteStore> = openIndexedDbStore,
): Platform {
  return {
    openStore: async (name, durability) => {
      const storageName = localStorageName(name);
      const reserve = createReserves((kind) => indexedDbReserve(storageName, kind));
      const store = withReserve(await openStore(storageName, durability), reserve);
      // With strict durability, the browser shouldn't remove data when space is short. The browser
      // or the user decides whether to grant this request.
      if (durability === 'strict') void navigator.storage?.persist?.().catch(reportToConsole);
      return store;
    },
    destroyStore: async (name) => (await loadOpenChunk()).deleteDatabase(localStorageName(name)),
    existingStore: async (name) => {
      const { existingBrowserStore } = await loadOpenChunk();
      return existingBrowserStore(localStorageName(name));
    },
    keyBag: keysByStorage(indexedDbKeyBag()),
    time: systemTime,
    random: systemRandom,
    network: {
      ...fetchNetwork(async (url) => new WebSocket(url) as unknown as PlainSocket),
      onOnline: watchOnline,
    },
    channel: tabChannel,
    leases: tabLeases(systemTime, reportToConsole),
    report: reportToConsole,
    storageUrl: undefined,
  };
}

function tabChannel(name: string): Channel {
  const channel = new BroadcastChannel(`fixpoint:${localStorageName(name)}`);
  return {
    post: () => channel.postMessage('changed'),
    onHint: (fn) => {
      channel.addEventListener('message', fn);
      return () => channel.removeEventListener('message', fn);
    },
    close: () => channel.close(),
  };
}

/** Chromium sends `online` and `offline` only to pages; its workers have to look. */
const LOOK_MS = 500;

function watchOnline(fn: (isOnline: boolean) => void): () => void {
  let was = navigator.onLine;
  const look = () => {
    if (navigator.onLine === was) return;
    was = navigator.onLine;
    fn(was);
  };
  addEventListener('online', look);
  addEventListener('offline', look);
  const timer = typeof document === 'undefined' ? setInterval(look, LOOK_MS) : undefined;
  return () => {
    removeEventListener('online', look);
    removeEventListener('offline', look);
    clearInterval(timer);
  };
}
