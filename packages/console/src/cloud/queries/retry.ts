/**
 * Decides when a failed call is retried (spec §9: three times, every 5 s, or every 10 s on a slow
 * connection).
 */
import { isFixpointError } from '@fixpoint/protocol';

const RETRY_MS = 5000;
const RETRY_SLOW_MS = 10_000;

/**
 * Returns whether a retry may help. The server would repeat a rejection, but a server that was
 * unreachable, failing or too busy may answer next time.
 */
export function isWorthRetrying(error: unknown): boolean {
  if (isFixpointError(error, 'FETCH') || isFixpointError(error, 'TIMEOUT')) return true;
  return isFixpointError(error, 'HTTP') && /\b(5\d\d|429)\b/.test(error.message.slice(0, 20));
}

interface Connection {
  readonly effectiveType?: string;
  readonly saveData?: boolean;
}

export function isSlow({ effectiveType, saveData }: Connection): boolean {
  return saveData === true || effectiveType === 'slow-2g' || effectiveType === '2g';
}

export const retryDelayMs = (): number =>
  isSlow((navigator as { connection?: Connection }).connection ?? {}) ? RETRY_SLOW_MS : RETRY_MS;
