import { FieldError, fieldPath, mustBe } from '@fixpoint/protocol';
import * as v from 'valibot';

/** The schema library's text for a check without a message. */
const GENERIC = 'Invalid input';

type Issue = v.BaseIssue<unknown>;

/**
 * Returns the value in the shape of the schema.
 * @throws FieldError that names the first wrong field. Messages that our schemas define already
 * name the field, because forms show them to users
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

/** Returns whether a text is a whole sentence. Our other texts continue after the field's path. */
const isWhole = (text: string): boolean => text !== GENERIC && !text.startsWith('must ');

function whyOf({ kind, type, requirement, input, message }: Issue, isMissing: boolean): string {
  if (kind === 'schema' && (isMissing || message === GENERIC)) return mustBe(type, isMissing);
  if (message !== GENERIC) return message;
  switch (type) {
    case 'safe_integer':
      return mustBe('int', false);
    case 'min_length':
    case 'min_value':
      return `must be at least ${requirement}${unitOf(input)}`;
    case 'max_length':
    case 'max_value':
      return `must be at most ${requirement}${unitOf(input)}`;
    default:
      return 'is not valid';
  }
}

function unitOf(input: unknown): string {
  if (typeof input === 'string') return ' characters';
  return Array.isArray(input) ? ' items' : '';
}

function valueAt(value: unknown, [key, ...rest]: readonly PropertyKey[]): unknown {
  if (key === undefined) return value;
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  return valueAt((value as Record<PropertyKey, unknown>)[key], rest);
}
