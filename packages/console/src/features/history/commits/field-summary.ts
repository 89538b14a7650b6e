/** Says in a few words what a commit changed. */
import type { DocumentChange } from 'fixpoint';
import { cellText } from '../../../values/cell-text.ts';
import { valueIn } from '../../../values/document-fields.ts';
import { titleOfDocument } from '../../../values/document-title.ts';

/** Number of characters of a value that are shown. */
const VALUE_CHARS = 32;

export interface FieldChange {
  readonly field: string;
  /** Texts of the values; undefined for a field that the document didn't have, or no longer has. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** The first changed field of a commit. */
export interface ChangedField extends FieldChange {
  /** The title of the document. */
  readonly title: string;
  /** How many fields of all documents changed besides. */
  readonly more: number;
}

/**
 * Returns the first changed field; undefined if the commit changed no document that existed before
 * and after.
 */
export function changedField(changes: readonly DocumentChange[]): ChangedField | undefined {
  let first: Omit<ChangedField, 'more'> | undefined;
  let count = 0;
  for (const { id, before, after } of changes) {
    if (before === undefined || after === undefined) continue;
    for (const field of fieldsOf(before, after)) {
      count += 1;
      first ??= {
        title: titleOfDocument(id, after as Values),
        field,
        before: textOf(before as Values, field),
        after: textOf(after as Values, field),
      };
    }
  }
  return first && { ...first, more: count - 1 };
}

/** Returns all changed fields of a document that existed before and after. */
export const changedFields = ({ before, after }: DocumentChange): readonly FieldChange[] =>
  fieldsOf(before ?? {}, after ?? {}).map((field) => ({
    field,
    before: textOf((before ?? {}) as Values, field),
    after: textOf((after ?? {}) as Values, field),
  }));

/** Returns the names of all fields that the changes added, changed or removed. */
export function changedNames(changes: readonly DocumentChange[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { before, after } of changes)
    for (const field of fieldsOf(before ?? {}, after ?? {})) names.add(field);
  return names;
}

type Values = Readonly<Record<string, unknown>>;

/** Returns the fields with different values, in the order of the later document. */
function fieldsOf(before: object, after: object): string[] {
  const fields = new Set([...Object.keys(after), ...Object.keys(before)]);
  return [...fields].filter(
    (field) =>
      field !== '_id' &&
      JSON.stringify(valueIn(before as Values, field)) !== JSON.stringify(valueIn(after as Values, field)),
  );
}

function textOf(values: Values, field: string): string | undefined {
  if (!Object.hasOwn(values, field)) return undefined;
  const value = values[field];
  const text = typeof value === 'string' ? value : cellText(value);
  const chars = [...text.slice(0, VALUE_CHARS * 2)];
  return chars.length > VALUE_CHARS ? `${chars.slice(0, VALUE_CHARS - 1).join('')}…` : text;
}
