/** Names and icons of the types of fields. */
import type { ValueType } from 'fixpoint';
import {
  Binary,
  Braces,
  Brackets,
  Calendar,
  CircleSlash,
  Hash,
  KeyRound,
  type LucideIcon,
  ToggleLeft,
  Type,
} from 'lucide-react';
import type { FieldSummary } from '../../local/ask.ts';
import { TYPE_LABELS } from '../filter/filter.ts';

const ICONS: Readonly<Record<ValueType, LucideIcon>> = {
  string: Type,
  number: Hash,
  boolean: ToggleLeft,
  null: CircleSlash,
  array: Brackets,
  object: Braces,
  bytes: Binary,
};

/** Shows the most frequent type of a field, which the text beside it names. */
export function TypeIcon({ field: { path, types, areDates } }: { field: FieldSummary }) {
  const type = types[0]?.type ?? 'null';
  const Icon = path === '_id' ? KeyRound : type === 'string' && areDates ? Calendar : ICONS[type];
  return <Icon size={12} strokeWidth={2} aria-hidden className="shrink-0 text-ink-3" />;
}

/** Returns the name of a type, as in "date" for texts that are dates. */
export const typeLabel = (type: ValueType, { areDates }: Pick<FieldSummary, 'areDates'>): string =>
  type === 'string' && areDates ? 'date' : TYPE_LABELS[type];

/**
 * Returns the names of the types of a field, the most frequent one first.
 * @param entries the summary of the entries of its lists
 */
export function typesText(field: FieldSummary, entries: FieldSummary | undefined): string {
  return field.types
    .map(({ type }) =>
      type === 'array' && entries?.types.length === 1 && entries.types[0] !== undefined
        ? `list of ${typeLabel(entries.types[0].type, entries)}`
        : typeLabel(type, field),
    )
    .join(', ');
}
