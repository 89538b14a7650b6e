/**
 * Adapter for Fixpoint with the given durability: encrypted, content-addressed, with history. In
 * Node, `place` is the path of a folder; in a browser, it is a database name.
 */
export function fixpointAdapter(fixpoint, durability, optionsFor = () => ({})) {
  return {
    name: `Fixpoint ${durability}`,
    lacks: '',
    open: async (place, options = {}) => {
      const db = fixpoint(nameOf(place), { durability, ...optionsFor(place), ...options });
      await db.ready();
      return {
        put: (doc) => db.put(doc),
        bulk: (docs) => db.bulk(docs),
        get: (id) => db.get(id),
        del: (id) => db.del(id),
        all: async () => (await db.allDocs()).rows.length,
        range: async (field, from, to) => (await db.query(field, { range: [from, to] })).rows.length,
        find: async (where) => (await db.find({ where })).docs.length,
        subscribe: (listener) => db.subscribe(listener, true),
        compact: () => db.compact(),
        close: () => db.close(),
      };
    },
  };
}

const nameOf = (place) => place.split('/').at(-1);
