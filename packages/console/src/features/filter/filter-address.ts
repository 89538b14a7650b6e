/** A filter in the parameters of an address. */
import { fieldPath } from 'fixpoint/rows';
import { typedValue } from '../../values/typed-value.ts';
import { type Condition, type Filter, isTest, isWithoutValue, partsOf } from './filter.ts';
import { filterText, textOfParts } from './filter-text.ts';
import { parseFilter } from './parse-filter.ts';

const TEXT = 'filter';
/** Earlier versions wrote each condition as a list: `where=["field","test","value"]`. */
const CONDITION = 'where';

export interface AddressFilter {
  /** Filters that must all hold. */
  readonly parts: readonly Filter[];
  /** The text in the address, if it isn't a filter. */
  readonly malformed: string | undefined;
}

export function filterIn(parameters: URLSearchParams): AddressFilter {
  const conditions = parameters.getAll(CONDITION).flatMap(conditionIn);
  const text = parameters.get(TEXT) ?? '';
  const parsed = parseFilter(text);
  return {
    parts: [...conditions, ...partsOf(parsed.filter)],
    malformed: parsed.problem === undefined ? undefined : text,
  };
}

/** Replaces the filter in these parameters. */
export function setFilter(parameters: URLSearchParams, parts: readonly Filter[], malformed?: string): void {
  parameters.delete(CONDITION);
  parameters.delete(TEXT);
  const text = malformed ?? textOfParts(parts);
  if (text !== '') parameters.set(TEXT, text);
}

/** Returns the search part of an address that shows the documents of a filter. */
export function searchOfFilter(parts: readonly Filter[]): string {
  const parameters = new URLSearchParams();
  setFilter(parameters, parts);
  return parameters.size === 0 ? '' : `?${parameters}`;
}

function conditionIn(text: string): readonly Condition[] {
  const [field, test, value = ''] = textsIn(text);
  if (field === undefined || test === undefined || !isTest(test)) return [];
  const path = fieldPath(field);
  if (isWithoutValue(test)) return [{ kind: 'test', path, test }];
  const condition = {
    kind: 'test',
    path,
    test,
    value: test === 'contains' ? value : typedValue(value),
  } as const;
  // The text of a filter has no form for some values, such as a pattern that isn't valid.
  const { filter } = parseFilter(filterText(condition));
  return JSON.stringify(filter) === JSON.stringify(condition) ? [condition] : [];
}

function textsIn(text: string): readonly (string | undefined)[] {
  try {
    const parts: unknown = JSON.parse(text);
    return Array.isArray(parts) ? parts.map((part) => (typeof part === 'string' ? part : undefined)) : [];
  } catch {
    return [];
  }
}
