/** Notices calls of a database from inside of a merge function, which would wait for itself. */
import { FixpointError } from '@fixpoint/protocol';

let depth = 0;

/** Calls a merge function of the application. */
export function inMerge<T>(call: () => T): T {
  depth += 1;
  try {
    return call();
  } finally {
    depth -= 1;
  }
}

/** @throws FixpointError REQUEST_INVALID in a merge function */
export function refuseInMerge(): void {
  if (depth > 0) throw new FixpointError('REQUEST_INVALID', 'a merge function must not use the database');
}
