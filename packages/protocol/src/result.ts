import type { FixpointError } from './errors.ts';

/** What a screen gets: it must draw both cases. */
export type Result<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: FixpointError };
