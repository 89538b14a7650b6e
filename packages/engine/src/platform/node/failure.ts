import { FixpointError } from '@fixpoint/protocol';

const codeOf = (cause: unknown): string | undefined => (cause as NodeJS.ErrnoException | undefined)?.code;

/** Translates a failed call of the file system for the caller. */
export function storeFailure(cause: unknown): FixpointError {
  if (cause instanceof FixpointError) return cause;
  if (isFull(cause)) return new FixpointError('STORE_FULL', undefined, { cause });
  return new FixpointError('STORE_FAILED', (cause as Error | undefined)?.message, { cause });
}

export const destroyedElsewhere = () =>
  new FixpointError('DATABASE_CLOSED', 'it was destroyed by another process');

export const isFull = (cause: unknown): boolean => ['ENOSPC', 'EDQUOT'].includes(codeOf(cause) ?? '');
export const isMissing = (cause: unknown): boolean => codeOf(cause) === 'ENOENT';
export const isExisting = (cause: unknown): boolean => codeOf(cause) === 'EEXIST';

export function unlessMissing(cause: unknown): undefined {
  if (!isMissing(cause)) throw cause;
}
