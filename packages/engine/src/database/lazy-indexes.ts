import type { Indexes, IndexesParts } from '../index/indexes.ts';

/** The indexes of a database, whose code is loaded by the first query. */
export function lazyIndexes(parts: IndexesParts): Indexes {
  let loading: Promise<Indexes> | undefined;
  const load = () => {
    loading ??= import('../index/indexes.ts').then(({ createIndexes }) => createIndexes(parts));
    return loading;
  };
  return {
    query: async (map, options, sandbox) => (await load()).query(map, options, sandbox),
    close: async (options) => (await loading)?.close(options),
  };
}
