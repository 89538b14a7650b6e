/**
 * Loads the code that each open needs. It isn't in `chunks.ts`, because the code that `chunks.ts`
 * loads imports this file.
 */
export const loadOpenChunk = () => import('./lazy-open-chunk.ts');
