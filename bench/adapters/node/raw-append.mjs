import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** The limit of this disk: an append and an fdatasync for each document. Supports only puts. */
export const rawAppendAdapter = {
  name: 'append + fdatasync',
  lacks: 'no database: appends bytes to a file',
  open: async (directory) => {
    const file = openSync(join(directory, 'raw'), 'a');
    const append = (docs) => {
      writeSync(file, docs.map((doc) => JSON.stringify(doc)).join('\n'));
      fdatasyncSync(file);
    };
    return {
      put: async (doc) => append([doc]),
      bulk: async (docs) => append(docs),
      close: async () => closeSync(file),
    };
  },
};
