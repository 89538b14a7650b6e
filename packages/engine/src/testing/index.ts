export { memoryStore } from '../platform/memory-store.ts';
export type { ByteStore } from '../ports/byte-store.ts';
export { byteStoreSuite, type StorePlace } from './byte-store-suite.ts';
export { keyBagSuite } from './key-bag-suite.ts';
export { type SeededRandom, seededRandom } from './seeded-random.ts';
export { type DiskCall, type DiskFault, type SimulatedDisk, simulatedDisk } from './simulated-disk.ts';
export {
  type LineOptions,
  type LineState,
  type ReceivedRequest,
  type ServerSocket,
  type SimulatedLine,
  type SimulatedServer,
  simulatedLine,
} from './simulated-network.ts';
export { type SimulatedTime, simulatedTime } from './simulated-time.ts';
