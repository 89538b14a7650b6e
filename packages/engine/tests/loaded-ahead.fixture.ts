/** What the engine loads when it is first asked for takes turns of the real event loop, for which simulated time does not wait: worlds of simulated time load it ahead. */
import '../src/commit/lazy-chunk.ts';
import '../src/database/lazy-chunk.ts';
import '../src/index/indexes.ts';
import '../src/sync/lazy-chunk.ts';
