/** `fixpoint/opfs`: stores databases in the private file system of the browser. */
import { localStorageName } from '@fixpoint/protocol';
import { sha256 } from '../codec/sha256.ts';
import { browserPlatform } from '../platform/browser/browser-platform.ts';
import { opfsOpener, removeOpfsStore } from '../platform/opfs/opfs-store.ts';
import { systemRandom, systemTime } from '../platform/system.ts';
import type { StoreChoice } from '../ports/store-choice.ts';

export type { StoreChoice } from '../ports/store-choice.ts';

let choice: StoreChoice | undefined;

/**
 * Returns a value for the option `store` of `fixpoint` in a dedicated worker. New databases are
 * then stored in OPFS, in which a write is several times as fast as in IndexedDB. Where OPFS isn't
 * available, they are stored in IndexedDB.
 */
export function opfsStore(): StoreChoice {
  const parts = { sha256, random: systemRandom, time: systemTime };
  const platform = browserPlatform(opfsOpener(parts));
  choice ??= {
    platform: {
      ...platform,
      destroyStore: async (name) => {
        await platform.destroyStore?.(name);
        await removeOpfsStore(localStorageName(name), systemTime);
      },
    },
  };
  return choice;
}
