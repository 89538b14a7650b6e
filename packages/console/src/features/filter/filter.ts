/** Filters of documents: conditions, and groups of them. */
import type { FieldConditions, ValueType, Where } from 'fixpoint';
import { fieldLabel } from '../../values/field-label.ts';
import { type Step, stepsOf } from '../../values/field-path.ts';
import { typedText } from '../../values/typed-value.ts';

/** Names the check of a condition. */
export type Test =
  | 'equals'
  | 'differs'
  | 'contains'
  | 'starts'
  | 'greater'
  | 'at-least'
  | 'less'
  | 'at-most'
  | 'in'
  | 'matches'
  | 'type'
  | 'exists'
  | 'missing';

export interface Condition {
  readonly kind: 'test';
  /** Path of the field, as the engine writes it: `address.city`, `tags[]`. */
  readonly path: string;
  readonly test: Test;
  /** A list for `in`, the name of a type for `type`; undefined for `exists` and `missing`. */
  readonly value?: unknown;
}

interface Group {
  readonly kind: 'all' | 'any';
  readonly of: readonly Filter[];
}

export type Filter = Condition | Group | { readonly kind: 'not'; readonly of: Filter };

export const TEST_LABELS: Readonly<Record<Test, string>> = {
  equals: 'is',
  differs: 'is not',
  contains: 'contains',
  starts: 'starts with',
  greater: 'is greater than',
  'at-least': 'is at least',
  less: 'is less than',
  'at-most': 'is at most',
  in: 'is one of',
  matches: 'matches',
  type: 'has type',
  exists: 'exists',
  missing: 'does not exist',
};

/** The labels of tests that can be negated in place. Other tests have an opposite. */
export const NEGATED_LABELS: ReadonlyMap<Test, string> = new Map([
  ['contains', 'does not contain'],
  ['starts', 'does not start with'],
  ['in', 'is none of'],
  ['matches', 'does not match'],
  ['type', 'does not have type'],
]);

export const TYPE_LABELS: Readonly<Record<ValueType, string>> = {
  string: 'text',
  number: 'number',
  boolean: 'true or false',
  null: 'null',
  array: 'list',
  object: 'object',
  bytes: 'bytes',
};

export const isTest = (text: string): text is Test => Object.hasOwn(TEST_LABELS, text);
export const isWithoutValue = (test: Test): boolean => test === 'exists' || test === 'missing';

/** A condition, and whether it must not hold. */
export interface Chip {
  readonly condition: Condition;
  readonly isNot: boolean;
}

/** Returns the condition that a filter consists of; undefined for groups. */
export function chipOf(filter: Filter): Chip | undefined {
  if (filter.kind === 'test') return { condition: filter, isNot: false };
  if (filter.kind !== 'not' || filter.of.kind !== 'test') return undefined;
  return NEGATED_LABELS.has(filter.of.test) ? { condition: filter.of, isNot: true } : undefined;
}

export const filterOfChip = ({ condition, isNot }: Chip): Filter =>
  isNot ? { kind: 'not', of: condition } : condition;

/** Returns the filter without groups of one filter, and without groups inside of equal groups. */
export function simplified(filter: Filter): Filter {
  if (filter.kind === 'test') return filter;
  if (filter.kind === 'not') return { kind: 'not', of: simplified(filter.of) };
  const of = filter.of.map(simplified).flatMap((one) => (one.kind === filter.kind ? one.of : [one]));
  return of.length === 1 ? (of[0] as Filter) : { kind: filter.kind, of };
}

/** Returns the filters that must all hold. */
export function partsOf(filter: Filter | undefined): readonly Filter[] {
  if (filter === undefined) return [];
  const simple = simplified(filter);
  return simple.kind === 'all' ? simple.of : [simple];
}

/** Returns conditions that the engine understands. */
export function whereOf(filter: Filter): Where {
  switch (filter.kind) {
    case 'all':
      return { and: filter.of.map(whereOf) };
    case 'any':
      return { or: filter.of.map(whereOf) };
    case 'not':
      return { not: whereOf(filter.of) };
    case 'test':
      return whereOfTest(filter);
  }
}

function whereOfTest({ path, test, value }: Condition): Where {
  if (test === 'missing' && path.includes('[]')) return { not: { [path]: { exists: true } } };
  return { [path]: conditionsOf(test, value as FieldConditions['gt']) };
}

function conditionsOf(test: Test, value: FieldConditions['gt']): FieldConditions {
  switch (test) {
    case 'equals':
      return { eq: value };
    case 'differs':
      return { ne: value, exists: true };
    case 'contains':
      return { contains: value };
    case 'starts':
      return { startsWith: value as string };
    case 'greater':
      return { gt: value };
    case 'at-least':
      return { gte: value };
    case 'less':
      return { lt: value };
    case 'at-most':
      return { lte: value };
    case 'in':
      return { in: value as readonly unknown[] };
    case 'matches':
      return { matches: value as string };
    case 'type':
      return { type: value as ValueType };
    default:
      return { exists: test === 'exists' };
  }
}

/** Returns the label of a field at a path. */
export const pathLabel = (path: string): string =>
  path === '_id' ? 'document id' : stepsOf(path).map(labelOfStep).join('.');

const labelOfStep = ({ name, isEach }: Step): string => `${fieldLabel(name)}${isEach ? '[]' : ''}`;

/** Returns the text of a condition's value in a chip. */
export function valueLabel({ test, value }: Condition): string {
  if (isWithoutValue(test)) return '';
  if (test === 'type') return TYPE_LABELS[value as ValueType] ?? String(value);
  if (test === 'in' && Array.isArray(value)) return value.map(typedText).join(', ');
  if (test === 'matches' || test === 'contains' || test === 'starts')
    return typeof value === 'string' ? value : typedText(value);
  return isBlank(value) ? JSON.stringify(value) : typedText(value);
}

const isBlank = (value: unknown): boolean => typeof value === 'string' && value.trim() === '';

export function testLabel({ condition, isNot }: Chip): string {
  return (isNot ? NEGATED_LABELS.get(condition.test) : undefined) ?? TEST_LABELS[condition.test];
}

/** Returns the sentence of a chip. */
export const chipText = (chip: Chip): string =>
  [pathLabel(chip.condition.path), testLabel(chip), valueLabel(chip.condition)].filter(Boolean).join(' ');
