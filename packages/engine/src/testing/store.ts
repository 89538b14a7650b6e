/** `fixpoint/store`: the interface of stores and its contract, for authors of adapters. */
export type { ByteStore, Durability, Guard, StoreChange } from '../ports/byte-store.ts';
export { ownStore, type StoreChoice, type StoreOpener } from '../ports/store-choice.ts';
export { byteStoreCases, type StoreCase, type StorePlace } from './byte-store-cases.ts';
export { type FullDiskPlace, fullDiskCases } from './full-disk-cases.ts';
