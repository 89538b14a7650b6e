import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { FixpointError } from '@fixpoint/protocol';
import { fireproof, importDatabase } from 'fixpoint/fireproof';
import { type Command, required } from '../../command.ts';
import { DIRECTORY_OPTIONS, directoryOf } from '../../local-database.ts';

/**
 * Merges the old database into the local database, so a second run adds what changed since the
 * first run. Never changes the old database.
 */
export const migrate: Command = {
  usage: ['migrate <database> --from FOLDER [--key-bag FOLDER] [--name OLD-NAME] [--directory FOLDER]'],
  options: {
    ...DIRECTORY_OPTIONS,
    from: { type: 'string', value: 'FOLDER', help: 'stores of the old database: a folder or a file:// URL' },
    'key-bag': {
      type: 'string',
      value: 'FOLDER',
      help: 'keys of the old database; default: $FP_KEYBAG_URL or ~/.fireproof/keybag',
    },
    name: { type: 'string', value: 'NAME', help: 'name of the old database; default: the same name' },
  },
  takes: { '': 1 },
  run: async (call) => {
    const name = required(call.args[0], 'the name of a database');
    const [keyBag, oldName] = [call.text('key-bag'), call.text('name')];
    const db = fireproof(name, { storeUrls: { base: pathToFileURL(directoryOf(call)).href } });
    try {
      const found = await importDatabase(db, {
        from: addressOf(required(call.text('from'), '--from')),
        name: oldName,
        keyBag: keyBag && addressOf(keyBag),
      });
      if (found === undefined)
        throw new FixpointError('NOT_FOUND', `there is no database ${oldName ?? name}`);
      const { documents, deleted, events, files, filesMissing } = found;
      const counted = `${documents} documents, ${deleted} deleted, ${events} events, ${files} files`;
      const absent =
        filesMissing > 0 ? [`${filesMissing} files are missing, because they are not on this device`] : [];
      return { json: found, lines: [counted, ...absent] };
    } finally {
      await db.close();
    }
  },
};

const addressOf = (place: string): string =>
  place.startsWith('file:') ? place : pathToFileURL(resolve(place)).href;
