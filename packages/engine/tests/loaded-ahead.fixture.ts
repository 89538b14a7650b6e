/**
 * Loads the lazy code of the engine ahead. Loading it later takes turns of the real event loop, for
 * which simulated time doesn't wait.
 */
import '../src/commit/lazy-commit-chunk.ts';
import '../src/database/lazy-database-chunk.ts';
import '../src/index/indexes.ts';
import '../src/sync/lazy-sync-chunk.ts';
