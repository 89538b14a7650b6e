import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { change, from, load, save, saveIncremental } from '@automerge/automerge';

/**
 * Adapter for Automerge. One Automerge document contains all documents of the workload. Changes are
 * appended to a file, as Automerge's documentation recommends.
 */
export const automergeAdapter = {
  name: 'Automerge 3',
  lacks: 'no fsync, no encryption, no queries; all data is in memory; several people can edit a text at once',
  putsMax: 1000,
  inFlightMax: 1000,
  open: async (directory) => {
    const path = join(directory, 'changes');
    const bytes = await readFile(path).catch(() => undefined);
    let all = bytes === undefined ? from({ docs: {} }) : load(bytes);
    let heard = () => {};
    const write = async (edit) => {
      all = change(all, { patchCallback: (patches) => heard(patches) }, ({ docs }) => edit(docs));
      await appendFile(path, saveIncremental(all));
    };
    return {
      put: (doc) =>
        write((docs) => {
          docs[doc._id] = doc;
        }),
      bulk: (added) =>
        write((docs) => {
          for (const doc of added) docs[doc._id] = doc;
        }),
      get: async (id) => all.docs[id],
      all: async () => Object.values(all.docs).length,
      subscribe: (listener) => {
        heard = listener;
        return () => {
          heard = () => {};
        };
      },
      compact: () => writeFile(path, save(all)),
      close: async () => {},
    };
  },
};
