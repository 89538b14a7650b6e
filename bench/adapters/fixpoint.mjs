import { fixpoint } from 'fixpoint';

/** Fixpoint in the given durability; encrypted, content-addressed, with history. */
export function fixpointAdapter(durability) {
  return {
    name: `Fixpoint ${durability}`,
    open: async (directory) => {
      const db = fixpoint('bench', { directory, durability });
      await db.ready();
      return {
        put: (doc) => db.put(doc),
        bulk: (docs) => db.bulk(docs),
        get: (id) => db.get(id),
        all: async () => (await db.allDocs()).rows.length,
        range: async (field, from, to) => (await db.query(field, { range: [from, to] })).rows.length,
        subscribe: (listener) => db.subscribe(listener, true),
        close: () => db.close(),
      };
    },
  };
}
