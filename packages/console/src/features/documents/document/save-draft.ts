/** Saves typed text as a document. */
import { isFixpointError } from '@fixpoint/protocol';
import type { Database, Stored } from 'fixpoint';
import { type Fields, partsOf } from '../../../values/document-fields.ts';
import { quotedId } from '../../../values/shown-id.ts';
import { inTurn } from '../values/in-turn.ts';
import type { Draft } from './draft.ts';

type Written = Pick<Database, 'get' | 'put'>;

/**
 * Saves the fields of a draft; returns the id.
 * @throws FixpointError; an Error with a text for users if a new document would replace another
 */
export async function saveDraft(
  database: Written,
  { id, files }: Pick<Draft, 'id' | 'files'>,
  fields: Fields,
): Promise<string> {
  if (id === undefined) {
    await refuseTaken(database, fields['_id']);
    return (await database.put(fields)).id;
  }
  await inTurn(database, id, async () => {
    // A file may have been added or removed since the draft last read its document.
    const now = await storedOf(database, id);
    await database.put({ ...(now === undefined ? files : partsOf(now).files), ...fields, _id: id });
  });
  return id;
}

/** Throws when a document with this id exists: a new document must not replace it. */
async function refuseTaken(database: Written, id: unknown): Promise<void> {
  if (typeof id !== 'string' || (await storedOf(database, id)) === undefined) return;
  throw new Error(`a document with the _id ${quotedId(id)} already exists. Choose another _id.`);
}

async function storedOf(database: Written, id: string): Promise<Stored | undefined> {
  try {
    return await database.get(id);
  } catch (cause) {
    if (isFixpointError(cause, 'NOT_FOUND')) return undefined;
    throw cause;
  }
}
