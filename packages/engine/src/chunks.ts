/**
 * Loaders of the code that the engine's bundle leaves out at first. Rooms never import this file:
 * the composition hands them their loader, so that a room's eager code doesn't depend on its lazy
 * code (docs/decisions/0030-bundle-budgets.md).
 */
export const loadCommitChunk = () => import('./commit/lazy-commit-chunk.ts');
export const loadDatabaseChunk = () => import('./database/lazy-database-chunk.ts');
