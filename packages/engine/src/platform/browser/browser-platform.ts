import { localStorageName } from '@fixpoint/protocol';
import type { Channel } from '../../ports/channel.ts';
import type { Platform } from '../../ports/platform.ts';
import { fetchNetwork, type PlainSocket } from '../fetch-network.ts';
import { reportToConsole } from '../report.ts';
import { systemRandom, systemTime } from '../system.ts';
import { openIndexedDbStore } from './indexeddb-store.ts';
import { indexedDbKeyBag } from './key-bag.ts';

/** A browser: IndexedDB for documents and keys, BroadcastChannel between tabs. */
export function browserPlatform(): Platform {
  return {
    openStore: (name, durability) => openIndexedDbStore(localStorageName(name), durability),
    keyBag: indexedDbKeyBag(),
    time: systemTime,
    random: systemRandom,
    network: {
      ...fetchNetwork(async (url) => new WebSocket(url) as unknown as PlainSocket),
      onOnline: (fn) => {
        addEventListener('online', fn);
        return () => removeEventListener('online', fn);
      },
    },
    channel: tabChannel,
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
