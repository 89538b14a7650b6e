import { pino } from 'pino';
import { requestFields } from './running-request.ts';

/**
 * Writes structured lines to stderr, each with the id of the request that caused it. Never log the
 * content of requests: it may be secret.
 */
export function createLog(level: string) {
  return pino({ level, base: null, mixin: requestFields }, pino.destination({ dest: 2, sync: true }));
}

export type Log = ReturnType<typeof createLog>;
