import Dexie from 'dexie';

export const dexieAdapter = {
  name: 'Dexie 4',
  lacks: 'relaxed; no encryption, no history; the index is declared before data is written',
  open: async (name) => {
    const db = new Dexie(`dexie-${name}`);
    db.version(1).stores({ docs: '_id, rank' });
    await db.open();
    const { docs } = db;
    return {
      put: (doc) => docs.put(doc),
      bulk: (all) => docs.bulkPut(all),
      get: (id) => docs.get(id),
      all: async () => (await docs.toArray()).length,
      range: async (field, from, to) =>
        (await docs.where(field).between(from, to, true, true).toArray()).length,
      close: async () => db.close(),
    };
  },
};
