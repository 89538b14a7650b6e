/**
 * Rarely used features, bundled as one lazy chunk. With one chunk, the bundler splits shared code
 * into few pieces.
 */
export { adoptDatabase } from '../existing/import-existing.ts';
export { operationWithFiles } from '../files/operation-with-files.ts';
export { createIndexes } from '../index/indexes.ts';
export { resealRows } from '../store/reseal.ts';
export { createFinding, query } from './finding.ts';
export { mergeWith } from './merger.ts';
export { createConflicts } from './past/conflicts.ts';
export { createHistory } from './past/history.ts';
export { createProofs } from './past/proofs.ts';
export { createTimeTravel } from './past/time-travel.ts';
export { changedDocuments } from './read-changes.ts';
export { attachRemote } from './shared-attach.ts';
export { transact, update, writeUnlessConflict } from './transact.ts';
export { removeAll, rotateKey } from './whole-database.ts';
