/** Functions of the application that the database calls. */
import { FixpointError } from '@fixpoint/protocol';

/** @throws FixpointError REQUEST_INVALID */
export function checkListener(listener: unknown): void {
  if (typeof listener !== 'function')
    throw new FixpointError('REQUEST_INVALID', 'the listener is not a function');
}

/**
 * Reports a listener that throws or rejects, without affecting others: an unhandled rejection would
 * end a Node process.
 */
export function tellSafely(tell: () => unknown, report: (error: unknown) => void): void {
  new Promise((resolve) => resolve(tell())).catch((cause) =>
    report(new FixpointError('SUBSCRIBER', undefined, { cause })),
  );
}
