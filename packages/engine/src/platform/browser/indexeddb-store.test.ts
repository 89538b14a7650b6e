import 'fake-indexeddb/auto';
import { byteStoreSuite } from '../../testing/byte-store-suite.ts';
import { openIndexedDbStore } from './indexeddb-store.ts';

let places = 0;
byteStoreSuite('IndexedDB (in memory: logic alone)', async () => {
  const name = `fp.place-${places++}`;
  return { open: () => openIndexedDbStore(name, 'strict') };
});
