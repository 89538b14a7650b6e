/** Decides how to undo or redo the change of one document that others may have changed since. */
import { type Fields, sameFields, valueIn, withField } from '../values/document-fields.ts';
import type { Overwrite } from './undo-stack.ts';

/** A change of one document. */
export interface Change {
  readonly id: string;
  /** Undefined: the document didn't exist. */
  readonly before: Fields | undefined;
  /** Undefined: the document was deleted. */
  readonly after: Fields | undefined;
  /** Whether the change consists of these fields only, and others stay as they are. */
  readonly fields?: readonly string[] | undefined;
}

export interface Plan {
  /** The write that undoes the change. It may overwrite a change of somebody else. */
  readonly write: { readonly put: Fields } | 'delete' | undefined;
  /** The change of somebody else that `write` overwrites. */
  readonly other: Overwrite | undefined;
}

const NOTHING: Plan = { write: undefined, other: undefined };

const same = (a: Fields | undefined, b: Fields | undefined): boolean =>
  a === undefined || b === undefined ? a === b : sameFields(a, b);
const sameValue = (a: unknown, b: unknown): boolean => sameFields({ value: a }, { value: b });

/** Returns how to turn a document from `after` back to `before`, given its current fields. */
export function undoPlan({ id, before, after, fields }: Change, now: Fields | undefined): Plan {
  const [from, to] = [after ?? {}, before ?? {}];
  if (fields !== undefined) return now === undefined ? gone(id) : planFields({ id, fields, from, to }, now);
  if (same(now, before)) return NOTHING;
  if (same(now, after)) return { write: written(before), other: undefined };
  if (now === undefined) return { ...gone(id), write: written(before) };
  if (before === undefined || after === undefined)
    return { write: written(before), other: { id, isGone: false, fields: differing(from, now) } };
  return planFields({ id, fields: [...namesOf(from, to)], from, to }, now);
}

const gone = (id: string): Plan => ({ write: undefined, other: { id, isGone: true, fields: [] } });

const written = (doc: Fields | undefined): Plan['write'] => (doc === undefined ? 'delete' : { put: doc });

interface FieldChange {
  readonly id: string;
  readonly fields: readonly string[];
  readonly from: Fields;
  readonly to: Fields;
}

/** Changes only these fields, so that the current values of others are kept. */
function planFields({ id, fields, from, to }: FieldChange, now: Fields): Plan {
  const lost: { field: string; now: unknown }[] = [];
  let next = now;
  for (const field of fields) {
    const [was, wanted, current] = [valueIn(from, field), valueIn(to, field), valueIn(now, field)];
    if (sameValue(was, wanted) || sameValue(current, wanted)) continue;
    if (!sameValue(current, was)) lost.push({ field, now: current });
    next = withField({ ...next, _id: id }, field, wanted);
  }
  if (next === now) return NOTHING;
  const other = lost.length > 0 ? { id, isGone: false, fields: lost } : undefined;
  return { write: { put: next }, other };
}

function differing(from: Fields, now: Fields): Overwrite['fields'] {
  return [...namesOf(from, now)]
    .filter((field) => !sameValue(valueIn(from, field), valueIn(now, field)))
    .map((field) => ({ field, now: valueIn(now, field) }));
}

function namesOf(a: Fields, b: Fields): ReadonlySet<string> {
  const names = new Set([...Object.keys(b), ...Object.keys(a)]);
  names.delete('_id');
  return names;
}
