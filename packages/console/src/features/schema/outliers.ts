/** Finds documents whose fields differ from those of nearly all others. */
import type { FieldSummary, UnusualValue } from '../../local/ask.ts';
import { pathOf } from '../../values/field-path.ts';
import { type Condition, type Filter, type Test, TYPE_LABELS } from '../filter/filter.ts';

export interface Outlier {
  readonly kind: 'type' | 'missing' | 'far';
  readonly documents: number;
  /** Describes the difference, as in "2 documents with text". */
  readonly text: string;
  /** Filters that find these documents. */
  readonly filters: readonly Filter[];
  /** The first of these documents, if they are known. */
  readonly named: readonly UnusualValue[];
}

/** A type is rare, and a field is missing, in at most this share of documents. */
const RARE_SHARE = 0.1;
/** With fewer documents, nothing is unusual. */
const DOCUMENTS_MIN = 10;

export const condition = (path: string, test: Test, value?: unknown): Condition => ({
  kind: 'test',
  path,
  test,
  ...(value !== undefined && { value }),
});

/** Returns the number of documents that differ. */
export const outlierCount = (field: FieldSummary): number =>
  outliersOf(field).reduce((sum, { documents }) => sum + documents, 0);

export function outliersOf(field: FieldSummary): readonly Outlier[] {
  return [...rareTypes(field), ...missing(field), ...far(field)];
}

function rareTypes({ path, documents, types, unusual }: FieldSummary): readonly Outlier[] {
  if (documents < DOCUMENTS_MIN) return [];
  return types
    .slice(1)
    .filter((one) => one.documents <= RARE_SHARE * documents)
    .map((one) => ({
      kind: 'type',
      documents: one.documents,
      text: `${countText(one.documents)} with ${TYPE_LABELS[one.type]} where others have ${labelOfFirst(types)}`,
      filters: [condition(path, 'type', one.type)],
      named: unusual.filter(({ type }) => type === one.type),
    }));
}

const labelOfFirst = ([first]: FieldSummary['types']): string =>
  first === undefined ? 'nothing' : TYPE_LABELS[first.type];

function missing({ path, steps, documents, possible }: FieldSummary): readonly Outlier[] {
  const count = possible - documents;
  if (steps.some(({ isEach }) => isEach) || possible < DOCUMENTS_MIN) return [];
  if (count <= 0 || count > RARE_SHARE * possible) return [];
  const above = steps.slice(0, -1);
  const within = above.length === 0 ? [] : [condition(pathOf(above), 'type', 'object')];
  return [
    {
      kind: 'missing',
      documents: count,
      text: `${countText(count)} without this field`,
      filters: [...within, condition(path, 'missing')],
      named: [],
    },
  ];
}

function far({ path, steps, numbers }: FieldSummary): readonly Outlier[] {
  if (numbers?.usual === undefined || numbers.far === 0 || steps.some(({ isEach }) => isEach)) return [];
  const [least, greatest] = numbers.usual;
  const of = [condition(path, 'less', least), condition(path, 'greater', greatest)];
  return [
    {
      kind: 'far',
      documents: numbers.far,
      text: `${numbers.isSample ? 'About ' : ''}${countText(numbers.far)} with a number far from the others`,
      filters: [{ kind: 'any', of }],
      named: [],
    },
  ];
}

const countText = (count: number): string =>
  `${count.toLocaleString('en')} ${count === 1 ? 'document' : 'documents'}`;
