import type { FixpointError } from './errors.ts';

/** The result of a call for a screen, which must render both cases. */
export type Result<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: FixpointError };
