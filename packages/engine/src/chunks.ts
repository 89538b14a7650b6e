/**
 * Loaders of code that isn't part of the engine's main bundle. `database` imports the loaders and
 * passes them to `commit` and `index`, so that eager code doesn't depend on lazy code
 * (docs/decisions/0030-bundle-budgets.md).
 */
export const loadCommitChunk = () => import('./commit/lazy-commit-chunk.ts');
export const loadDatabaseChunk = () => import('./database/lazy-database-chunk.ts');
