import { FieldError, fieldPath, mustBe } from '@fixpoint/protocol';
import * as v from 'valibot';

/** The text that the schema library uses for a check without a message. */
const GENERIC = 'Invalid input';

type Issue = v.BaseIssue<unknown>;

/**
 * Checks a request against a schema, and returns only the fields of the schema.
 * @throws FieldError with the path of the first wrong field. If the schema's message is a whole
 * sentence, the error doesn't name the field again, because forms show this message to users
 */
export function checkedShape<T>(schema: v.GenericSchema<unknown, T>, request: unknown): T {
  const { success, output, issues } = v.safeParse(schema, request, { message: GENERIC });
  if (success) return output;
  const [issue] = issues;
  const path = (issue.path ?? []).map(({ key }) => key as PropertyKey);
  const error = new FieldError(fieldPath(path), whyOf(issue, valueAt(request, path) === undefined));
  if (isWhole(issue.message)) error.message = `request is not valid: ${issue.message}`;
  throw error;
}

/** Returns whether a message is a whole sentence. Other messages follow the path of the field. */
const isWhole = (text: string): boolean => text !== GENERIC && !text.startsWith('must ');

function whyOf({ kind, type, requirement, input, message }: Issue, isMissing: boolean): string {
  if (kind === 'schema' && (isMissing || message === GENERIC)) return mustBe(type, isMissing);
  if (message !== GENERIC) return message;
  switch (type) {
    case 'safe_integer':
      return mustBe('int', false);
    case 'min_length':
    case 'min_value':
      return boundText('at least', requirement, input);
    case 'max_length':
    case 'max_value':
      return boundText('at most', requirement, input);
    default:
      return 'is not valid';
  }
}

function boundText(bound: 'at least' | 'at most', limit: unknown, input: unknown): string {
  if (Array.isArray(input)) return `must have ${bound} ${limit} ${limit === 1 ? 'item' : 'items'}`;
  return `must be ${bound} ${limit}${typeof input === 'string' ? ' characters' : ''}`;
}

function valueAt(value: unknown, [key, ...rest]: readonly PropertyKey[]): unknown {
  if (key === undefined) return value;
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  return valueAt((value as Record<PropertyKey, unknown>)[key], rest);
}
