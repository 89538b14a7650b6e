import { isFixpointError } from '@fixpoint/protocol';

/** Whether something that was stored is not any more. */
export const isGone = (cause: unknown): boolean =>
  isFixpointError(cause, 'MISSING_BLOCK') || isFixpointError(cause, 'MISSING_CARS');
