import { createLazy } from '../base/lazy.ts';
import type { Indexes, IndexesParts } from '../index/indexes.ts';

/** The indexes of a database; the first query loads their code. */
export function lazyIndexes(
  parts: IndexesParts,
  loadChunk: () => Promise<{ createIndexes(parts: IndexesParts): Indexes }>,
): Indexes {
  const { load, peek } = createLazy(async () => (await loadChunk()).createIndexes(parts));
  return {
    query: async (map, options, sandbox) => (await load()).query(map, options, sandbox),
    close: async (options) => (await peek()?.catch(() => undefined))?.close(options),
  };
}
