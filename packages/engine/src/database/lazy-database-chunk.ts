/**
 * Rarely used features, bundled as one lazy chunk: one script, so that shared code is split into
 * few pieces.
 */
export { importExisting, storeKeyName } from '../existing/import-existing.ts';
export { splitFiles } from '../files/split.ts';
export { createIndexes } from '../index/indexes.ts';
export { createHistory } from './history.ts';
export { createProofs } from './proofs.ts';
export { attachShared } from './shared-attach.ts';
export { createTimeTravel } from './time-travel.ts';
