/**
 * Loads code that isn't part of the engine's main bundle. `database` imports the loaders, here and
 * in `open-chunk.ts`, and passes them to `commit` and `index`, so that eager code doesn't depend on
 * lazy code (docs/decisions/0030-bundle-budgets.md).
 */
export const loadDatabaseChunk = () => import('./database/lazy-database-chunk.ts');
