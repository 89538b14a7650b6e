/** W10: measures how much script a page loads for each product, minified and gzipped. */
import { join } from 'node:path';
import { scriptBytes } from '../../scripts/bundle-size.mjs';

const PAGES = {
  'Fixpoint strict': "export { fixpoint, toCloud } from 'fixpoint';",
  'Fireproof 0.24': "export { fireproof } from '@fireproof/core';",
  'RxDB 17 (Dexie)':
    "export { createRxDatabase } from 'rxdb'; export { getRxStorageDexie } from 'rxdb/plugins/storage-dexie';",
  'Dexie 4': "export { Dexie } from 'dexie';",
};

export async function addBundles(results, note) {
  for (const [product, code] of Object.entries(PAGES)) {
    note(`Chromium: W10 ${product}`);
    const bytes = await scriptBytes(code, join(import.meta.dirname, '..'));
    results.add('Chromium', product, {
      id: 'W10',
      what: 'script of a page',
      value: bytes / 1000,
      unit: 'kB',
    });
  }
}
