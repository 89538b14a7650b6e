import { FixpointError } from '@fixpoint/protocol';

/** A whole number, or Infinity for all that there are; undefined is not given. @throws FixpointError QUERY_INVALID */
export function checkCount(name: string, count: number | undefined): void {
  if (count !== undefined && (Math.floor(count) !== count || count < 0))
    throw new FixpointError('QUERY_INVALID', `${name} is ${count}`);
}
