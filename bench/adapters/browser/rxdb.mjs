import { createRxDatabase } from 'rxdb';
import { getRxStorageDexie } from 'rxdb/plugins/storage-dexie';

const text = { type: 'string', maxLength: 100 };
const schema = {
  version: 0,
  primaryKey: '_id',
  type: 'object',
  properties: {
    _id: text,
    title: text,
    author: text,
    rank: { type: 'number', minimum: 0, maximum: 1000, multipleOf: 1 },
    score: { type: 'number' },
    done: { type: 'boolean' },
    tags: { type: 'array', items: text },
    note: text,
    body: { type: 'object' },
  },
  required: ['_id', 'rank'],
  indexes: ['rank'],
};

export const rxdbAdapter = {
  name: 'RxDB 17 (Dexie)',
  lacks: 'relaxed; no encryption, no history; the index is declared before data is written',
  open: async (name) => {
    const db = await createRxDatabase({
      name: `rxdb-${name}`,
      storage: getRxStorageDexie(),
      closeDuplicates: true,
    });
    const { docs } = await db.addCollections({ docs: { schema } });
    return {
      put: (doc) => docs.incrementalUpsert(doc),
      bulk: (all) => docs.bulkInsert(all),
      update: (all) => docs.bulkUpsert(all),
      get: async (id) => (await docs.findOne(id).exec()).toJSON(),
      all: async () => (await docs.find().exec()).length,
      range: async (field, from, to) =>
        (await docs.find({ selector: { [field]: { $gte: from, $lte: to } } }).exec()).length,
      subscribe: (listener) => {
        const heard = docs.$.subscribe(listener);
        return () => heard.unsubscribe();
      },
      close: () => db.close(),
    };
  },
};
