/**
 * Loaders of the code that the engine's bundle leaves out at first. `database` imports them
 * and hands `commit` and `index` theirs, so that eager code doesn't depend on lazy code
 * (docs/decisions/0030-bundle-budgets.md).
 */
export const loadCommitChunk = () => import('./commit/lazy-commit-chunk.ts');
export const loadDatabaseChunk = () => import('./database/lazy-database-chunk.ts');
