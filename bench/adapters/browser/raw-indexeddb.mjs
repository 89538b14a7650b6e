/**
 * Adapter for raw IndexedDB. It shows how fast any product on IndexedDB could be: each document is
 * one record, and each call is one transaction.
 */
export const rawIndexedDbAdapter = (durability) => ({
  name: `IndexedDB ${durability}`,
  lacks: "isn't a document database, only writes one record per document",
  open: async (name) => {
    const db = await done(
      Object.assign(indexedDB.open(`raw-${durability}-${name}`), {
        onupgradeneeded: ({ target }) => {
          target.result.createObjectStore('docs', { keyPath: '_id' }).createIndex('rank', 'rank');
        },
      }),
    );
    const write = (docs) => {
      const transaction = db.transaction('docs', 'readwrite', { durability });
      for (const doc of docs) transaction.objectStore('docs').put(doc);
      return new Promise((resolve, reject) => {
        transaction.oncomplete = resolve;
        transaction.onabort = () => reject(transaction.error);
      });
    };
    const store = () => db.transaction('docs').objectStore('docs');
    return {
      put: (doc) => write([doc]),
      bulk: write,
      get: (id) => done(store().get(id)),
      all: async () => (await done(store().getAll())).length,
      range: async (field, from, to) =>
        (await done(store().index(field).getAll(IDBKeyRange.bound(from, to)))).length,
      close: async () => db.close(),
    };
  },
});

const done = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
