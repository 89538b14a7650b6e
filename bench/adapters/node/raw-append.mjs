import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Adapter that appends each document to a file and calls fdatasync. It shows how fast any product
 * could write to this disk, and supports only writes.
 */
export const rawAppendAdapter = {
  name: 'append + fdatasync',
  lacks: "isn't a database, only appends bytes to a file",
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
