/**
 * Rarely used code of this room, bundled as one lazy chunk, so that shared code is split into few
 * pieces. `chunks.ts` loads it; files of this room receive the loader.
 */
export { createCompaction } from './compaction/compactor.ts';
export { joinedHistory, rebuiltSnapshot } from './rebuild.ts';
export { verifyStored } from './verify.ts';
