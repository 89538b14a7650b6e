/**
 * Exports the code of this folder that no page needs before it opens a database, and the code that
 * reads attached files. It is one lazy chunk, because several chunks would split shared code into
 * many small pieces. `chunks.ts` loads the chunk. Files of this folder receive the loader as a
 * parameter.
 */

export { contentOf, toFile } from '../archive/file-contents.ts';
export { Archives } from '../store/archives.ts';
export { isWholeWith } from '../trie/whole-trie.ts';
export { createCompaction } from './compaction/compactor.ts';
export { liveFileArchives } from './compaction/live-files.ts';
export { mergeRemote } from './merge-remote.ts';
export { writeFirstBlocks } from './opening/first-blocks.ts';
export { openWriteLog } from './pending/open-write-log.ts';
export { prepareForSync, rebuiltSnapshot } from './rebuild.ts';
export { createStamps } from './stamps.ts';
export { verifyStored } from './verify/verify.ts';
export { createWrites } from './writes.ts';
