/** Writes a filter as text, which `parseFilter` reads. */
import type { ValueType } from 'fixpoint';
import { type Step, stepsOf } from '../../values/field-path.ts';
import { toPlain } from '../../values/plain-json.ts';
import { type Condition, type Filter, simplified, type Test } from './filter.ts';

/** Words that a field name must not look like. */
export const KEYWORDS: ReadonlySet<string> = new Set([
  'and',
  'or',
  'not',
  'in',
  'is',
  'exists',
  'contains',
  'starts',
  'with',
  'startswith',
  'matches',
  'missing',
  'true',
  'false',
  'null',
]);

/** Names of types in the text; other names of the same types are read, too. */
export const TYPE_WORDS: ReadonlyMap<string, ValueType> = new Map([
  ['text', 'string'],
  ['number', 'number'],
  ['boolean', 'boolean'],
  ['null', 'null'],
  ['list', 'array'],
  ['object', 'object'],
  ['bytes', 'bytes'],
  ['string', 'string'],
  ['array', 'array'],
]);

const SIGNS: ReadonlyMap<Test, string> = new Map([
  ['equals', '='],
  ['differs', '!='],
  ['greater', '>'],
  ['at-least', '>='],
  ['less', '<'],
  ['at-most', '<='],
  ['contains', 'contains'],
  ['starts', 'starts with'],
  ['in', 'in'],
  ['matches', 'matches'],
]);

/** Matches names that need no quotes. */
const PLAIN_NAME = /^[\p{L}_$][\p{L}\p{N}_$-]*$/u;

export const filterText = (filter: Filter | undefined): string =>
  filter === undefined ? '' : written(simplified(filter));

/** Returns the text of filters that must all hold. */
export const textOfParts = (parts: readonly Filter[]): string =>
  parts.length === 0 ? '' : filterText({ kind: 'all', of: parts });

function written(filter: Filter): string {
  switch (filter.kind) {
    case 'test':
      return conditionText(filter, false);
    case 'not':
      if (filter.of.kind === 'test' && canNegate(filter.of.test)) return conditionText(filter.of, true);
      return `not (${written(filter.of)})`;
    case 'all':
      return filter.of.map((one) => (one.kind === 'any' ? `(${written(one)})` : written(one))).join(' and ');
    case 'any':
      return filter.of.map((one) => (one.kind === 'all' ? `(${written(one)})` : written(one))).join(' or ');
  }
}

const NEGATABLE: ReadonlySet<Test> = new Set(['contains', 'starts', 'in', 'matches', 'type']);
const canNegate = (test: Test): boolean => NEGATABLE.has(test);

function conditionText({ path, test, value }: Condition, isNot: boolean): string {
  const field = pathText(path);
  if (test === 'exists') return `${field} exists`;
  if (test === 'missing') return `${field} is missing`;
  if (test === 'type') return `${field} is ${isNot ? 'not ' : ''}${typeWord(value)}`;
  const sign = `${isNot ? 'not ' : ''}${SIGNS.get(test) ?? '='}`;
  return `${field} ${sign} ${test === 'matches' ? patternText(String(value)) : valueText(value)}`;
}

function typeWord(type: unknown): string {
  for (const [word, one] of TYPE_WORDS) if (one === type) return word;
  return 'text';
}

/** Returns a path as the text of a filter contains it. */
export const pathText = (path: string): string => stepsOf(path).map(stepText).join('.');

const stepText = ({ name, isEach }: Step): string =>
  `${PLAIN_NAME.test(name) && !KEYWORDS.has(name.toLowerCase()) ? name : JSON.stringify(name)}${isEach ? '[]' : ''}`;

export function valueText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(valueText).join(', ')}]`;
  return typeof value === 'bigint' ? String(value) : (JSON.stringify(toPlain(value)) ?? 'null');
}

const IGNORES_CASE = '(?i)';

/** Returns a pattern between slashes; as a quoted text if it contains line breaks. */
function patternText(pattern: string): string {
  if (/[\n\r]/.test(pattern) || pattern === '') return JSON.stringify(pattern);
  const ignoresCase = pattern.startsWith(IGNORES_CASE);
  const source = ignoresCase ? pattern.slice(IGNORES_CASE.length) : pattern;
  if (source === '') return JSON.stringify(pattern);
  const escaped = source.replace(/\\[\s\S]|\//g, (part) => (part === '/' ? '\\/' : part));
  return `/${escaped}/${ignoresCase ? 'i' : ''}`;
}
