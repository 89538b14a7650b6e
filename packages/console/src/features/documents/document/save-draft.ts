/** Saves typed text as a document. */
import { isFixpointError } from '@fixpoint/protocol';
import type { Database, Stored } from 'fixpoint';
import { isSmall, partOf, type WrittenPart } from '../../../undo/written-step.ts';
import { type Fields, partsOf } from '../../../values/document-fields.ts';
import { quotedId } from '../../../values/shown-id.ts';
import { inTurn } from '../values/in-turn.ts';
import type { Draft } from './draft.ts';

type Target = Pick<Database, 'get' | 'put' | 'head'>;

export interface Saved {
  readonly id: string;
  /** The write, for Undo. */
  readonly part: WrittenPart;
  readonly isNew: boolean;
}

/**
 * Saves the fields of a draft.
 * @throws FixpointError; an Error with a text for users if a new document would replace another
 */
export async function saveDraft(
  database: Target,
  { id, files }: Pick<Draft, 'id' | 'files'>,
  fields: Fields,
): Promise<Saved> {
  if (id === undefined) {
    await refuseTaken(database, fields['_id']);
    return write(database, undefined, fields);
  }
  return inTurn(database, id, async () => {
    // A file may have been added or removed since the draft last read its document.
    const now = await storedOf(database, id);
    return write(database, now, { ...(now === undefined ? files : partsOf(now).files), ...fields, _id: id });
  });
}

async function write(database: Target, before: Stored | undefined, doc: Fields): Promise<Saved> {
  const first = isSmall({ before, after: doc }) ? undefined : await database.head();
  const { id } = await database.put(doc);
  const heads = first && { before: first, after: await database.head() };
  const part = partOf({ id, before, after: { ...doc, _id: id } }, heads);
  return { id, part, isNew: before === undefined };
}

/** Throws when a document with this id exists: a new document must not replace it. */
async function refuseTaken(database: Target, id: unknown): Promise<void> {
  if (typeof id !== 'string' || (await storedOf(database, id)) === undefined) return;
  throw new Error(`a document with the _id ${quotedId(id)} already exists. Choose another _id.`);
}

async function storedOf(database: Target, id: string): Promise<Stored | undefined> {
  try {
    return await database.get(id);
  } catch (cause) {
    if (isFixpointError(cause, 'NOT_FOUND')) return undefined;
    throw cause;
  }
}
