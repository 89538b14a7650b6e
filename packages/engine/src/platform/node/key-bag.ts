import { join } from 'node:path';
import { FixpointError } from '@fixpoint/protocol';
import type { KeyBag } from '../../ports/key-bag.ts';
import { makeFolder, readIfThere, replaceFile } from './durable-file.ts';
import { fileNameOf } from './file-name.ts';

/** Keys in files of mode 0600, one for each database: JSON `{v: 1, keys: [hex]}`, the first to seal with. */
export function fileKeyBag(folder: string): KeyBag {
  const pathOf = (database: string) => join(folder, `${fileNameOf(database)}.json`);
  return {
    load: async (database) => {
      const bytes = await readIfThere(pathOf(database));
      return bytes === undefined ? [] : parse(bytes.toString('utf8'));
    },
    save: async (database, keys) => {
      try {
        await makeFolder(folder);
        const text = JSON.stringify({ v: 1, keys: keys.map((key) => Buffer.from(key).toString('hex')) });
        await replaceFile(pathOf(database), Buffer.from(text));
      } catch (cause) {
        throw new FixpointError('KEY_UPSERT', undefined, { cause });
      }
    },
  };
}

function parse(text: string): Uint8Array[] {
  try {
    const { keys } = JSON.parse(text) as { keys: string[] };
    if (!keys.every((key) => /^([0-9a-f]{32}|[0-9a-f]{64})$/.test(key))) throw new Error('not keys');
    return keys.map((key) => Uint8Array.from(Buffer.from(key, 'hex')));
  } catch (cause) {
    throw new FixpointError('CORRUPT', 'key bag', { cause });
  }
}
