import PouchDB from 'pouchdb';

const VIEW = {
  _id: '_design/by',
  views: { rank: { map: 'function (doc) { emit(doc.rank); }' } },
};

/** PouchDB on LevelDB, with its defaults. */
export const pouchdbAdapter = {
  name: 'PouchDB 9',
  lacks: 'no fsync, no encryption',
  open: async (folder) => {
    const db = new PouchDB(`${folder}/pouch`);
    const known = new Map();
    const remember = ({ id, rev }) => known.set(id, rev);
    const revised = (doc) => (known.has(doc._id) ? { ...doc, _rev: known.get(doc._id) } : doc);
    let hasView = false;
    return {
      put: async (doc) => remember(await db.put(revised(doc))),
      bulk: async (docs) => {
        for (const row of await db.bulkDocs(docs.map(revised))) remember(row);
      },
      get: (id) => db.get(id),
      all: async () => (await db.allDocs({ include_docs: true })).rows.length,
      range: async (_field, from, to) => {
        if (!hasView) await db.get(VIEW._id).catch(() => db.put(VIEW));
        hasView = true;
        const found = await db.query('by/rank', { startkey: from, endkey: to, include_docs: true });
        return found.rows.length;
      },
      subscribe: (listener) => {
        const changes = db.changes({ since: 'now', live: true, include_docs: true }).on('change', listener);
        return () => changes.cancel();
      },
      compact: () => db.compact(),
      close: () => db.close(),
    };
  },
};
