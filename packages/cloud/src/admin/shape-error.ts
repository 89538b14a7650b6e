import { FieldError, fieldPath, mustBe } from '@fixpoint/protocol';
import type * as z from 'zod/mini';

/**
 * The schema library's text where we set none; its own texts depend on which other modules are
 * loaded.
 */
const GENERIC = 'Invalid input';
export const PLAIN = { error: () => GENERIC };

type Issue = z.core.$ZodIssue;

/**
 * A request with an invalid shape. Our own messages already name the field; users read them in
 * forms.
 */
export class ShapeError extends FieldError {
  constructor({ issues: [issue] }: Pick<z.core.$ZodError, 'issues'>, request: unknown) {
    super(fieldPath(issue?.path ?? []), issue === undefined ? 'is not valid' : whyOf(issue, request));
    if (issue !== undefined && isWhole(issue.message))
      this.message = `request is not valid: ${issue.message}`;
  }
}

/** Returns whether a text is a whole sentence; our other texts continue after the path. */
const isWhole = (text: string): boolean => text !== GENERIC && !text.startsWith('must ');

function whyOf(issue: Issue, request: unknown): string {
  const isMissing = valueAt(request, issue.path) === undefined;
  switch (issue.code) {
    case 'invalid_type':
      return mustBe(issue.expected, isMissing);
    case 'invalid_value':
      return mustBe(`one of ${issue.values.map(String).join(', ')}`, isMissing);
    case 'too_small':
      return `must be at least ${issue.minimum}${unitOf(issue.origin)}`;
    case 'too_big':
      return `must be at most ${issue.maximum}${unitOf(issue.origin)}`;
    default:
      return issue.message.startsWith('must ') ? issue.message : 'is not valid';
  }
}

const unitOf = (origin: string): string => ({ string: ' characters', array: ' items' })[origin] ?? '';

function valueAt(value: unknown, [key, ...rest]: readonly PropertyKey[]): unknown {
  if (key === undefined) return value;
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  return valueAt((value as Record<PropertyKey, unknown>)[key], rest);
}
