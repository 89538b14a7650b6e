/** The product that users of map functions and Merkle clocks know. After some 100 puts one after another its reads fail, so it is asked for less. */
export function fireproofAdapter(fireproof, optionsFor = () => ({})) {
  return {
    name: 'Fireproof 0.24',
    lacks: 'no fsync; breaks past 100 puts in a row',
    putsMax: 80,
    // Many at once take it half a second each.
    inFlightMax: 20,
    // It gives as many a second of a thousand as of ten.
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
