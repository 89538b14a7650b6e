import type { BridgedDatabase } from 'fixpoint/bridge';
import { untilStored } from '../leaving/ask-before-leaving.ts';

/**
 * Calls that change stored data. When the page closes, its worker stops, and unsaved changes are
 * lost.
 */
export const WRITES = [
  'put',
  'del',
  'remove',
  'bulk',
  'update',
  'transact',
  'restore',
  'rotateKey',
  'changePassphrase',
  'destroy',
] as const satisfies readonly (keyof BridgedDatabase)[];

/**
 * Returns the handle with a warning: the browser asks before it leaves the page while a write is
 * pending.
 */
export function guardWrites(database: BridgedDatabase): BridgedDatabase {
  const guarded = WRITES.map((name) => {
    const write = database[name] as (...args: unknown[]) => Promise<unknown>;
    return [name, (...args: unknown[]) => untilStored(write(...args))] as const;
  });
  return Object.assign(database, Object.fromEntries(guarded));
}
