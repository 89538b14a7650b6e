/** Lists the objects that `disk-objects.ts` stores: `<2 digits>/<hash of the ledger>/<hash>`. */
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, hexOf, makeFolder, syncFolder } from './disk-objects.ts';
import { absentAsUndefined } from './drafts.ts';
import type { ObjectInventory } from './inventory.ts';

const PLACE = /^[0-9a-f]{2}\/[0-9a-f]{64}\/[0-9a-f]{64}(\.variants\/[A-Za-z0-9]{1,256})?$/;
const VARIANTS = /^[0-9a-f]{64}\.variants$/;

export function folderInventory(folder: string): ObjectInventory {
  const ledgerOf = (ledger: string) => `${hexOf(ledger).slice(0, 2)}/${hexOf(ledger)}/`;
  const namesIn = async (path: string) => (await absentAsUndefined(readdir(join(folder, path)))) ?? [];

  async function* placesIn(shelf: string): AsyncIterable<string> {
    for (const name of await namesIn(shelf)) {
      const isVariants = VARIANTS.test(name);
      const names = isVariants ? (await namesIn(`${shelf}${name}`)).map((each) => `${name}/${each}`) : [name];
      for (const each of names) if (PLACE.test(`${shelf}${each}`)) yield `${shelf}${each}`;
    }
  }

  return {
    kind: 'folder',
    ledgerOf,
    placeOf: (path) => `${ledgerOf(path.split('/').slice(0, 2).join('/'))}${hexOf(path)}`,
    isPlace: (text) => PLACE.test(text),
    places: async function* (ledger) {
      if (ledger !== undefined) return yield* placesIn(ledgerOf(ledger));
      for (const first of (await namesIn('')).filter((name) => /^[0-9a-f]{2}$/.test(name)))
        for (const shelf of await namesIn(first)) yield* placesIn(`${first}/${shelf}/`);
    },
    open: async (place) => {
      const handle = await absentAsUndefined(open(join(folder, place), 'r'));
      return handle && describe(handle);
    },
    fill: async (place, bytes) => {
      const path = join(folder, place);
      const shelf = join(path, '..');
      await makeFolder(shelf);
      const file = await open(path, 'wx', 0o600);
      try {
        await file.writeFile(bytes);
        await file.sync();
      } finally {
        await file.close();
      }
      await syncFolder(shelf);
    },
  };
}
