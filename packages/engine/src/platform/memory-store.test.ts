import { byteStoreSuite } from '../testing/adapter-suites.ts';
import { memoryStore } from './memory-store.ts';

byteStoreSuite('memory', async () => {
  const values = new Map<string, Uint8Array>();
  return { open: async () => memoryStore(values) };
});
