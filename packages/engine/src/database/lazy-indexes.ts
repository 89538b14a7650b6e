import type { Indexes, IndexesParts } from '../index/indexes.ts';

/** The indexes of a database; the first query loads their code. */
export function lazyIndexes(parts: IndexesParts): Indexes {
  let loading: Promise<Indexes> | undefined;
  const load = () => {
    loading ??= import('../index/indexes.ts').then(({ createIndexes }) => createIndexes(parts));
    // A page that is offline can retry the download later.
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
