import { pino } from 'pino';

/** Structured lines on stderr. Nothing that a request carried is logged: it may be a secret. */
export function createLog(level: string) {
  return pino({ level, base: null }, pino.destination({ dest: 2, sync: true }));
}

export type Log = ReturnType<typeof createLog>;
