/** What the engine loads when it is first asked for takes turns of the real event loop, for which simulated time does not wait: worlds of simulated time load it ahead. */
import '../src/commit/lazy-commit-chunk.ts';
import '../src/database/lazy-database-chunk.ts';
import '../src/index/indexes.ts';
import '../src/sync/lazy-sync-chunk.ts';
