/** Saves typed text as a document. */
import type { Database, DocumentConflicts, Stored } from 'fixpoint';
import { isSmall, partOf } from '../../../undo/written-part.ts';
import { readIn, type WrittenPart } from '../../../undo/written-step.ts';
import { type Fields, partsOf, sameFields } from '../../../values/document-fields.ts';
import { quotedId } from '../../../values/shown-id.ts';
import { inTurn } from '../values/in-turn.ts';
import type { Draft } from './draft.ts';

type Target = Pick<Database, 'put' | 'head' | 'at' | 'transact' | 'conflicts'>;

export interface Saved {
  readonly id: string;
  /** The write, for Undo. */
  readonly part: WrittenPart;
  readonly isNew: boolean;
}

/** Nothing was written, because there is a change or a conflict that the user hasn't decided. */
export interface NotSaved {
  /** The document now; undefined if it was deleted. */
  readonly now: Stored | undefined;
  /** Set if only the conflict prevents the save, because the write would end it. */
  readonly conflict?: DocumentConflicts;
}

/**
 * Saves the fields of a draft, unless the stored document differs from the one that the draft is
 * based on, or has a conflict.
 * @throws FixpointError; an Error with a text for users if a new document would replace another
 */
export async function saveDraft(
  database: Target,
  draft: Pick<Draft, 'id' | 'base' | 'stored' | 'files'>,
  fields: Fields,
): Promise<Saved | NotSaved> {
  const id = draft.id ?? fields['_id'];
  if (typeof id !== 'string') {
    const made = await database.put(fields);
    const change = { id: made.id, before: undefined, after: { ...fields, _id: made.id } };
    return saved(change, isSmall(change) ? undefined : [], database);
  }
  return inTurn(database, id, async () => {
    const done = await database.transact(async (transaction) => {
      const now = await readIn(transaction, id);
      if (draft.id === undefined && now !== undefined)
        throw new Error(`a document with the _id ${quotedId(id)} already exists. Choose another _id.`);
      if (!isKnown(draft, fields, now)) return { now };
      const conflict = await database.conflicts(id);
      if (conflict !== undefined && draft.id === undefined)
        throw new Error(
          `a deleted document with the _id ${quotedId(id)} has a conflict. Choose another _id.`,
        );
      if (conflict !== undefined) return { now, conflict };
      // A file may have been added or removed since the draft last read its document.
      const files = now === undefined ? draft.files : partsOf(now).files;
      const change = { id, before: now, after: { ...files, ...fields, _id: id } };
      // Read last: the transaction only succeeds if the document is the same at this head.
      const head = isSmall(change) ? undefined : await database.head();
      transaction.put(change.after);
      return { change, head };
    });
    return 'change' in done ? saved(done.change, done.head, database) : done;
  });
}

/** Returns whether the text includes the document as it is now, or the user decided against it. */
function isKnown(
  { base, stored }: Pick<Draft, 'base' | 'stored'>,
  fields: Fields,
  now: Stored | undefined,
): boolean {
  if (now === undefined) return stored === undefined;
  const current = partsOf(now).fields;
  return (base !== undefined && sameFields(current, base)) || sameFields(current, fields);
}

/** @param before the head before the write; undefined for a small change */
async function saved(
  change: { readonly id: string; readonly before: Stored | undefined; readonly after: Fields },
  before: readonly string[] | undefined,
  database: Target,
): Promise<Saved> {
  return { id: change.id, part: await partOf(change, before, database), isNew: change.before === undefined };
}
