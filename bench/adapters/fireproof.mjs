/**
 * Adapter for Fireproof, the product that is most like Fixpoint. Its reads fail after about 100
 * puts in sequence, so it runs smaller workloads.
 */
export function fireproofAdapter(fireproof, optionsFor = () => ({})) {
  return {
    name: 'Fireproof 0.24',
    lacks: 'no fsync; reads fail after about 100 consecutive puts',
    putsMax: 80,
    // If many puts run in parallel, each put takes half a second.
    inFlightMax: 20,
    // Reads of these few documents are enough: the rate is the same for ten documents and a
    // thousand.
    getsMax: 1000,
    open: async (place) => {
      const db = fireproof(place.split('/').at(-1), optionsFor(place));
      return {
        put: (doc) => db.put(doc),
        bulk: (docs) => db.bulk(docs),
        get: (id) => db.get(id),
        all: async () => (await db.allDocs()).rows.length,
        range: async (field, from, to) =>
          (await db.query(field, { range: [from, to], includeDocs: true })).rows.length,
        subscribe: (listener) => db.subscribe(listener, true),
        close: () => db.close(),
      };
    },
  };
}
