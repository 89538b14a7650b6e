/** Makes steps of written documents, which undo and redo check against the current documents. */
import { isFixpointError } from '@fixpoint/protocol';
import type { Database, Stored, Transaction } from 'fixpoint';
import type { Fields } from '../values/document-fields.ts';
import { toPlain } from '../values/plain-json.ts';
import { openConflicts } from './open-conflicts.ts';
import { type Change, type Plan, undoPlan } from './undo-plan.ts';
import type { Mode, Outcome, Overwrite, Step } from './undo-stack.ts';

export type Head = readonly string[];

/**
 * Documents that were written at once. `kept` holds them in memory. Otherwise they are read from
 * the history: the heads are those before and after the write; undefined where no document existed.
 * `fields` restricts the step to these fields.
 */
export type WrittenPart =
  | { readonly kept: readonly Change[] }
  | {
      readonly ids: readonly string[];
      readonly before: Head | undefined;
      readonly after: Head | undefined;
      readonly fields?: readonly string[];
    };

export type UndoDatabase = Pick<Database, 'name' | 'allDocs' | 'transact' | 'at' | 'conflicts'>;

const BATCH = 500;

/** @param label see {@link Step} */
export function writtenStep(database: UndoDatabase, label: string, parts: readonly WrittenPart[]): Step {
  const run = (isUndo: boolean) => {
    const asked = new Map<string, string>();
    return (mode: Mode) => runParts({ database, asked }, parts, isUndo, mode);
  };
  const documents = parts.reduce((sum, part) => sum + idsOf(part).length, 0);
  return { label, documents, bytes: parts.reduce(addBytes, 0), undo: run(true), redo: run(false) };
}

const idsOf = (part: WrittenPart): readonly string[] =>
  'kept' in part ? part.kept.map(({ id }) => id) : part.ids;

function addBytes(sum: number, part: WrittenPart): number {
  if ('ids' in part) return part.ids.reduce((bytes, id) => bytes + 32 + 2 * id.length, sum);
  return part.kept.reduce((bytes, { before, after }) => bytes + 2 * (charsOf(before) + charsOf(after)), sum);
}

export const charsOf = (doc: Fields | undefined): number => JSON.stringify(toPlain(doc))?.length ?? 0;

/** Returns a change of these fields only. A value of undefined means a missing field. */
export const fieldChange = (
  id: string,
  cells: readonly { readonly field: string; readonly before: unknown; readonly after: unknown }[],
): Change => ({
  id,
  before: Object.fromEntries(cells.map(({ field, before }) => [field, before])),
  after: Object.fromEntries(cells.map(({ field, after }) => [field, after])),
  fields: cells.map(({ field }) => field),
});

interface Undoing {
  readonly database: UndoDatabase;
  /** The conflicts of the last question, each with the key of its versions. */
  readonly asked: Map<string, string>;
}

async function runParts(
  { database, asked }: Undoing,
  parts: readonly WrittenPart[],
  isUndo: boolean,
  mode: Mode,
): Promise<Outcome> {
  const others: Overwrite[] = [];
  if (mode === 'ask') {
    asked.clear();
    for await (const batch of batchesOf(database, parts, isUndo)) {
      const { rows } = await database.allDocs({ keys: batch.map(({ id }) => id) });
      const now = new Map(rows.map(({ key, value }) => [key, value]));
      const plans = batch.map((change) => undoPlan(change, now.get(change.id)));
      const open = await conflictsOf(database, batch, plans);
      for (const [id, versions] of open) asked.set(id, versions);
      for (const [at, { id }] of batch.entries()) add(others, otherIn(id, plans[at], open));
    }
    if (others.length > 0) return { written: 0, others };
  }
  let written = 0;
  const open = new Map<string, string>();
  for await (const batch of batchesOf(database, parts, isUndo)) {
    const done = await database.transact((transaction) =>
      writeBatch({ database, asked }, transaction, batch, mode),
    );
    written += done.written;
    for (const other of done.others) add(others, other);
    for (const [id, versions] of done.open) open.set(id, versions);
  }
  // The next question names the conflicts that are left.
  if (mode === 'all') for (const [id, versions] of open) asked.set(id, versions);
  return { written, others };
}

function add<T>(list: T[], one: T | undefined): void {
  if (one !== undefined) list.push(one);
}

/** Returns the conflicts that the writes would end. */
const conflictsOf = (
  database: UndoDatabase,
  batch: readonly Change[],
  plans: readonly Plan[],
): Promise<ReadonlyMap<string, string>> =>
  openConflicts(
    database,
    batch.flatMap(({ id }, at) => (plans[at]?.write === undefined ? [] : id)),
  );

function otherIn(
  id: string,
  plan: Plan | undefined,
  open: ReadonlyMap<string, string>,
): Overwrite | undefined {
  if (!open.has(id)) return plan?.other;
  return { ...(plan?.other ?? { id, isGone: false, fields: [] }), hasConflict: true };
}

/**
 * Writes unless somebody else's change would be lost, or a conflict would end, and the user didn't
 * agree to that. Returns the conflicts that are left, too.
 */
async function writeBatch(
  { database, asked }: Undoing,
  transaction: Transaction,
  batch: readonly Change[],
  mode: Mode,
): Promise<Outcome & { readonly open: ReadonlyMap<string, string> }> {
  const now = await Promise.all(batch.map(({ id }) => readIn(transaction, id)));
  const plans = batch.map((change, at) => undoPlan(change, now[at]));
  const open = new Map(await conflictsOf(database, batch, plans));
  for (const [id, versions] of open)
    if (mode === 'ask') asked.set(id, versions);
    // The question named this conflict, and the user agreed to end it.
    else if (mode === 'all' && asked.get(id) === versions) open.delete(id);
  const others: Overwrite[] = [];
  let written = 0;
  for (const [at, change] of batch.entries()) {
    const { write } = plans[at] ?? {};
    const other = otherIn(change.id, plans[at], open);
    if (other !== undefined && (mode !== 'all' || write === undefined || open.has(change.id)))
      others.push(other);
    else if (write !== undefined) {
      if (write === 'delete') transaction.del(change.id);
      else transaction.put({ ...write.put, _id: change.id });
      written += 1;
    }
  }
  return { written, others, open };
}

/** Returns undefined for a document that doesn't exist. @throws FixpointError */
export async function readIn(view: Pick<Transaction, 'get'>, id: string): Promise<Stored | undefined> {
  try {
    return await view.get(id);
  } catch (cause) {
    if (isFixpointError(cause, 'NOT_FOUND')) return undefined;
    throw cause;
  }
}

/**
 * Yields the changes, the latest first, so that several writes of a document are undone in order.
 * Redo gets them reversed: `before` is the state to reach.
 */
async function* batchesOf(
  database: UndoDatabase,
  parts: readonly WrittenPart[],
  isUndo: boolean,
): AsyncGenerator<readonly Change[], void> {
  for (const part of isUndo ? parts.toReversed() : parts)
    for (let at = 0; at < idsOf(part).length; at += BATCH) {
      const changes = await changesOf(database, part, at);
      yield isUndo ? changes : changes.map(reversed);
    }
}

const reversed = ({ before, after, ...change }: Change): Change => ({
  ...change,
  before: after,
  after: before,
});

async function changesOf(database: UndoDatabase, part: WrittenPart, at: number): Promise<readonly Change[]> {
  if ('kept' in part) return part.kept.slice(at, at + BATCH);
  const keys = part.ids.slice(at, at + BATCH);
  const [before, after] = await Promise.all([
    docsAt(database, part.before, keys),
    docsAt(database, part.after, keys),
  ]);
  return keys.map((id) => ({ id, before: before.get(id), after: after.get(id), fields: part.fields }));
}

async function docsAt(
  database: UndoDatabase,
  head: Head | undefined,
  keys: readonly string[],
): Promise<ReadonlyMap<string, Stored>> {
  if (head === undefined) return new Map();
  const { rows } = await database.at(head).allDocs({ keys });
  return new Map(rows.map(({ key, value }) => [key, value]));
}
