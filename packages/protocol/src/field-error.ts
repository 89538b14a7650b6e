/** Refusals that name the field that is wrong: the admin API and the storage gateway say them in the same words. */
import { FixpointError } from './errors.ts';

/** A field by its path, such as `tenant.name` or, with a place in a list, `meta.metas.0.cid`. */
export const fieldPath = (path: readonly PropertyKey[]): string => path.map(String).join('.');

const KINDS: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
};

/** What a field must be, such as `must be a string`. @param kind a word for a type, as schema libraries have them */
export const mustBe = (kind: string, isMissing: boolean): string =>
  isMissing ? 'is required' : `must be ${KINDS[kind] ?? kind}`;

/** A request with a wrong field. Its message reads `request is not valid: tenant.name is required`. */
export class FieldError extends FixpointError {
  /** Empty when the request as a whole is wrong. */
  readonly path: string;

  /** @param why the rest of a sentence that begins with the path */
  constructor(path: string, why: string, options?: ErrorOptions) {
    super('REQUEST_INVALID', path === '' ? `the message ${why}` : `${path} ${why}`, options);
    this.path = path;
  }
}
