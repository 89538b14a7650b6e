import { isFixpointError, LIMITS } from '@fixpoint/protocol';
import type { Session } from '../sync-session.ts';
import type { Connection } from './connection.ts';

/**
 * Runs `work`, and quickly retries up to five times while the link stays open and only the transfer
 * of an object fails. After that, the caller backs off.
 */
export async function withRetries<T>(
  session: Session,
  connection: Connection,
  work: () => Promise<T>,
): Promise<T> {
  const { time } = session.platform;
  for (let retry = 0; ; retry++) {
    try {
      return await work();
    } catch (cause) {
      const isTransfer = isFixpointError(cause, 'GATEWAY_PUT') || isFixpointError(cause, 'GATEWAY_GET');
      if (retry >= LIMITS.uploadRetriesMax || !isTransfer || session.connection() !== connection) throw cause;
      await new Promise<void>((resolve) => void time.after(LIMITS.retryFirstDelayMs * 2 ** retry, resolve));
    }
  }
}
