export { memoryStore } from '../platform/memory-store.ts';
export type { ByteStore } from '../ports/byte-store.ts';
export { byteStoreSuite, keyBagSuite } from './adapter-suites.ts';
export type { StorePlace } from './byte-store-cases.ts';
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
