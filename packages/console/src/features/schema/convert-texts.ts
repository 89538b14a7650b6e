/** Converts texts that are numbers, in a field that has numbers in most documents. */
import type { Stored } from 'fixpoint';
import type { BridgedDatabase } from 'fixpoint/bridge';
import { openConflicts } from '../../undo/open-conflicts.ts';
import { recordStep } from '../../undo/undo-stack.ts';
import { fieldChange, readIn, type UndoDatabase, writtenStep } from '../../undo/written-step.ts';
import { valueIn, withField } from '../../values/document-fields.ts';

/** Documents to convert at once. Undo keeps them in memory. */
export const CONVERTED_MAX = 1000;

const NUMBER = /^[-+]?(?:\d{1,3}(?:[, \u00a0\u202f]\d{3})+|\d{1,20})(?:\.\d{1,20})?$/;
const SCALES: ReadonlyMap<string, number> = new Map([
  ['thousand', 3],
  ['million', 6],
  ['billion', 9],
]);

/**
 * Returns the number that a person reads in a text, as in `6,600,000` or `2.9 million`; undefined
 * if there is none, or if the number would lose digits.
 */
export function numberIn(text: string): number | undefined {
  const trimmed = text.trim();
  const [, written = trimmed, scale = ''] = /^(.*\d)\s+([a-z]+)$/i.exec(trimmed) ?? [];
  const power = scale === '' ? 0 : SCALES.get(scale.toLowerCase());
  if (power === undefined || !NUMBER.test(written)) return undefined;
  const number = Number(`${written.replace(/[^\d.-]/g, '')}e${power}`);
  return Number.isInteger(number) && !Number.isSafeInteger(number) ? undefined : number;
}

export interface Converted {
  readonly converted: number;
  /** Texts that aren't numbers, which stay. */
  readonly kept: number;
  /** Documents that stay, because they have a conflict. */
  readonly conflicts: number;
}

type Convertible = UndoDatabase & Pick<BridgedDatabase, 'find'>;

/**
 * Converts the texts of a top-level field, and records the step for Undo.
 * @param path of the field, and its name
 * @throws FixpointError
 */
export async function convertToNumbers(
  database: Convertible,
  { path, name }: { readonly path: string; readonly name: string },
): Promise<Converted> {
  const { docs } = await database.find({ where: { [path]: { type: 'string' } }, limit: CONVERTED_MAX });
  const { changes, kept, conflicts } = await database.transact(async (transaction) => {
    const numbers: { readonly doc: Stored; readonly before: string; readonly after: number }[] = [];
    const done: ReturnType<typeof fieldChange>[] = [];
    let others = 0;
    for (const { _id } of docs) {
      // The document may have changed since the search.
      const doc = await readIn(transaction, _id);
      const before = doc && valueIn(doc, name);
      if (doc === undefined || typeof before !== 'string') continue;
      const after = numberIn(before);
      if (after === undefined) others += 1;
      else numbers.push({ doc, before, after });
    }
    const open = await openConflicts(
      database,
      numbers.map(({ doc }) => doc._id),
    );
    for (const { doc, before, after } of numbers) {
      if (open.has(doc._id)) continue;
      transaction.put(withField(doc, name, after));
      done.push(fieldChange(doc._id, [{ field: name, before, after }]));
    }
    return { changes: done, kept: others, conflicts: open.size };
  });
  if (changes.length > 0)
    recordStep(database, writtenStep(database, `Converted ${name} to numbers`, [{ kept: changes }]));
  return { converted: changes.length, kept, conflicts };
}
