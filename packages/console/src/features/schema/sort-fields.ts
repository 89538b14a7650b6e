/** Sorts the fields of a schema. */
import type { FieldSummary } from '../../local/ask.ts';
import { pathLabel } from '../filter/filter.ts';
import { outlierCount } from './outliers.ts';

/** The columns that sort. */
export type SortColumn = 'field' | 'documents' | 'values' | 'outliers';

export interface FieldSort {
  readonly by: SortColumn;
  readonly isDescending: boolean;
}

/** Nested fields follow the field that they belong to. */
export const BY_USE: FieldSort = { by: 'documents', isDescending: true };

/** Whether nested fields are below the field that they belong to. */
export const isTree = ({ by, isDescending }: FieldSort): boolean => by === 'documents' && isDescending;

/** Returns the sort after a click on the heading of a column. Numbers start with the largest. */
export const sortAfter = (sort: FieldSort, by: SortColumn): FieldSort =>
  sort.by === by ? { by, isDescending: !sort.isDescending } : { by, isDescending: by !== 'field' };

/**
 * Sorts fields that a summary returned.
 * @param fields in the order of {@link BY_USE}
 */
export function sortFields(fields: readonly FieldSummary[], sort: FieldSort): readonly FieldSummary[] {
  if (isTree(sort)) return fields;
  const sign = sort.isDescending ? -1 : 1;
  if (sort.by === 'field')
    return fields.toSorted((a, b) => sign * pathLabel(a.path).localeCompare(pathLabel(b.path), 'en'));
  const numbers = new Map(fields.map((field) => [field, numberOf(field, sort.by)]));
  return fields.toSorted((a, b) => sign * ((numbers.get(a) ?? 0) - (numbers.get(b) ?? 0)));
}

function numberOf(field: FieldSummary, by: SortColumn): number {
  if (by === 'values') return field.distinct;
  return by === 'outliers' ? outlierCount(field) : field.documents;
}
