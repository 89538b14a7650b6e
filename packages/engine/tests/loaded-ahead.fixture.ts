/**
 * Loads the lazy code of the engine before a test starts. Loading the code during a test would take
 * turns of the real event loop, and simulated time doesn't wait for such turns.
 */
import '../src/lazy-open-chunk.ts';
import '../src/database/lazy-database-chunk.ts';
import '../src/index/indexes.ts';
import '../src/sync/lazy-sync-chunk.ts';
