/**
 * An existing client in a separate process, with a database in a local folder. It runs the given
 * steps, then prints `={rows, files, head}` or `={error}`.
 */
import { fireproof } from '@fireproof/core';

const { base, name, steps = [] } = JSON.parse(process.argv[2]);
const db = fireproof(name, { storeUrls: { base } });

const withFile = ({ _id, file, ...fields }) => ({
  _id,
  ...fields,
  _files: { it: new File([file], 'it', { type: 'text/plain', lastModified: 1_700_000_000_000 }) },
});
const DO = {
  put: (doc) => db.put(doc),
  attached: (doc) => db.put(withFile(doc)),
  del: (id) => db.del(id),
  bulk: (docs) => db.bulk(docs),
  parallel: (docs) => Promise.all(docs.map((doc) => db.put(doc))),
  oneByOne: async (docs) => {
    for (const doc of docs) await db.put(doc);
  },
  compact: () => db.compact(),
  changes: async () => {
    changed = (await db.changes()).rows.map(({ key, value }) => [key, value.value ?? null]);
  },
};
let changed;

async function filesOf(id) {
  const { _files = {} } = await db.get(id);
  const texts = Object.entries(_files).map(async ([key, entry]) => [key, await (await entry.file()).text()]);
  return Object.fromEntries(await Promise.all(texts));
}

async function shown() {
  const { rows, clock } = await db.allDocs({ includeDeleted: true });
  const files = {};
  for (const { key, value } of rows) if (value._files !== undefined) files[key] = await filesOf(key);
  const plain = rows.map(({ key, value }) => [key, value._deleted === true ? null : value.value]);
  return { rows: plain, files, head: clock.map(String).sort(), changed };
}

let answer;
try {
  for (const step of steps) for (const [verb, given] of Object.entries(step)) await DO[verb](given);
  answer = await shown();
} catch (cause) {
  answer = { error: String(cause?.message ?? cause) };
}
// Exiting without closing the database would interrupt pending writes, which aren't transactional.
await db.close();
process.stdout.write(`=${JSON.stringify(answer)}\n`, () => process.exit(0));
