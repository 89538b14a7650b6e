/** Sets or removes one field of one or many documents. */
import type { Stored, Transaction } from 'fixpoint';
import type { BridgedDatabase } from 'fixpoint/bridge';
import { openConflicts } from '../../../undo/open-conflicts.ts';
import { readIn, type WrittenPart } from '../../../undo/written-step.ts';
import { valueIn, withField } from '../../../values/document-fields.ts';
import type { Ids } from '../../transfer/document-ids.ts';
import { documentsOf, type Source } from '../../transfer/export-documents.ts';
import { sameValue } from './field-value.ts';

/** The new value of a field; undefined removes it. */
export interface FieldEdit {
  readonly field: string;
  readonly value: unknown;
}

export interface EditPreview {
  readonly looked: number;
  /** Documents whose field would get another value, or be removed. */
  readonly changed: number;
  /** Documents that don't have the field, and would get it. */
  readonly added: number;
  /** Documents that the edit wouldn't change. */
  readonly same: number;
  /** The first documents that would change, each with the current value of the field. */
  readonly samples: readonly { readonly id: string; readonly before: unknown }[];
}

export interface EditOptions {
  readonly signal: AbortSignal;
  readonly onProgress?: (documents: number) => void;
}

export interface Edited {
  readonly edited: number;
  /** Documents that stayed as they are, because they have a conflict. */
  readonly conflicts: number;
  /** The writes, for Undo. */
  readonly parts: readonly WrittenPart[];
  /** Why the edit failed before its end. */
  readonly error?: unknown;
}

export type Editable = Source & Pick<BridgedDatabase, 'transact' | 'head' | 'conflicts'>;

const SAMPLES = 5;
const NOTHING: EditPreview = { looked: 0, changed: 0, added: 0, same: 0, samples: [] };

/** Counts what the edit would change. @throws the reason of the signal */
export async function previewEdit(
  database: Source,
  ids: Ids,
  edit: FieldEdit,
  { signal, onProgress }: EditOptions,
): Promise<EditPreview> {
  let preview = NOTHING;
  for await (const docs of documentsOf(database, ids, signal)) {
    preview = docs.reduce((before, doc) => counted(before, doc, edit), preview);
    onProgress?.(preview.looked);
  }
  return preview;
}

function counted(preview: EditPreview, doc: Stored, { field, value }: FieldEdit): EditPreview {
  const looked = preview.looked + 1;
  const before = valueIn(doc, field);
  if (sameValue(before, value)) return { ...preview, looked, same: preview.same + 1 };
  const samples =
    preview.samples.length < SAMPLES ? [...preview.samples, { id: doc._id, before }] : preview.samples;
  return before === undefined
    ? { ...preview, looked, samples, added: preview.added + 1 }
    : { ...preview, looked, samples, changed: preview.changed + 1 };
}

/**
 * Edits the documents whose field doesn't have the new value yet. When the signal aborts or a batch
 * fails, resolves with the edits so far.
 */
export async function editDocuments(
  database: Editable,
  ids: Ids,
  edit: FieldEdit,
  { signal, onProgress }: EditOptions,
): Promise<Edited> {
  const { field } = edit;
  const parts: WrittenPart[] = [];
  let [edited, conflicts, looked] = [0, 0, 0];
  let error: unknown;
  try {
    for await (const docs of documentsOf(database, ids, signal)) {
      const keys = docs.map(({ _id }) => _id);
      const done = await database.transact((transaction) => editBatch(database, transaction, keys, edit));
      const { ids: changed, before } = done;
      if (changed.length > 0) {
        parts.push({ ids: changed, before, after: await database.head(), fields: [field] });
        edited += changed.length;
      }
      conflicts += done.conflicts;
      looked += docs.length;
      onProgress?.(looked);
    }
  } catch (cause) {
    if (!signal.aborted) error = cause;
  }
  return { edited, conflicts, parts, ...(error !== undefined && { error }) };
}

/**
 * Edits the documents as they are now, which may differ from those that were read before. Returns
 * the edited ones, and a head at which Undo finds the previous values.
 */
async function editBatch(
  database: Pick<Editable, 'head' | 'conflicts'>,
  transaction: Transaction,
  keys: readonly string[],
  { field, value }: FieldEdit,
) {
  const docs = await Promise.all(keys.map((id) => readIn(transaction, id)));
  const others = docs.flatMap((doc) =>
    doc === undefined || sameValue(valueIn(doc, field), value) ? [] : [doc],
  );
  const open = await openConflicts(
    database,
    others.map(({ _id }) => _id),
  );
  // Read last: the transaction only succeeds if its documents are the same at this head.
  const before = await database.head();
  const edited = others.filter(({ _id }) => !open.has(_id));
  for (const doc of edited) transaction.put(withField(doc, field, value));
  return { ids: edited.map(({ _id }) => _id), before, conflicts: open.size };
}

/**
 * Saves a typed value if the field still has its previous value.
 * @throws FixpointError; an Error with a text for users if the field changed elsewhere, or if the
 * document has a conflict
 */
export async function editField(
  database: Pick<Editable, 'transact' | 'conflicts'>,
  id: string,
  { field, value }: FieldEdit,
  before: unknown,
): Promise<void> {
  await database.transact(async (transaction) => {
    const doc = await transaction.get(id);
    if (!sameValue(valueIn(doc, field), before))
      throw new Error('it was changed elsewhere at the same time. Try again.');
    if ((await openConflicts(database, [id])).size > 0)
      throw new Error('this document has a conflict. Open it, then choose a version or merge them.');
    transaction.put(withField(doc, field, value));
  });
}
