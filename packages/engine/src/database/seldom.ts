/** What few applications need, and none at once: loaded together, so that it is one script and what it shares with the rest is cut in few pieces. */
export { importExisting, storeKeyName } from '../existing/import.ts';
export { splitFiles } from '../files/split.ts';
export { createHistory } from './history.ts';
export { createProofs } from './proofs.ts';
export { attachShared } from './shared-attach.ts';
export { createTimeTravel } from './time-travel.ts';
