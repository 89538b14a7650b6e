import { pino } from 'pino';

/** Writes structured lines to stderr. Never log the content of requests: it may be secret. */
export function createLog(level: string) {
  return pino({ level, base: null }, pino.destination({ dest: 2, sync: true }));
}

export type Log = ReturnType<typeof createLog>;
