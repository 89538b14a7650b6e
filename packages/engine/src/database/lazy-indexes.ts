import type { Indexes, IndexesParts } from '../index/indexes.ts';

/** The indexes of a database, whose code is loaded by the first query. */
export function lazyIndexes(parts: IndexesParts): Indexes {
  let loading: Promise<Indexes> | undefined;
  const load = () => {
    loading ??= import('../index/indexes.ts').then(({ createIndexes }) => createIndexes(parts));
    // A page that is offline may get it the next time.
    loading.catch(() => {
      loading = undefined;
    });
    return loading;
  };
  return {
    query: async (map, options, sandbox) => (await load()).query(map, options, sandbox),
    close: async (options) => (await loading?.catch(() => undefined))?.close(options),
  };
}
