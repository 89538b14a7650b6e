/**
 * Validation errors that name the invalid field. The admin API and the storage gateway share the
 * wording.
 */
import { FixpointError } from './errors.ts';

/**
 * Returns the path of a field, such as `tenant.name`, or `meta.metas.0.cid` for an item of a list.
 */
export const fieldPath = (path: readonly PropertyKey[]): string => path.map(String).join('.');

const KINDS: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
};

/**
 * Returns what a field must be, such as `must be a string`.
 * @param kind name of a type, as schema libraries use it
 */
export const mustBe = (kind: string, isMissing: boolean): string =>
  isMissing ? 'is required' : `must be ${KINDS[kind] ?? kind}`;

/**
 * A request with an invalid field. Its message reads `request is not valid: tenant.name is
 * required`.
 */
export class FieldError extends FixpointError {
  /** Empty when the request as a whole is invalid. */
  readonly path: string;

  /** @param why completes a sentence that begins with the path */
  constructor(path: string, why: string, options?: ErrorOptions) {
    super('REQUEST_INVALID', path === '' ? `the message ${why}` : `${path} ${why}`, options);
    this.path = path;
  }
}
