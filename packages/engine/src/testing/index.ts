export { memoryStore } from '../platform/memory-store.ts';
export type { ByteStore } from '../ports/byte-store.ts';
export { byteStoreSuite, type StorePlace } from './byte-store-suite.ts';
