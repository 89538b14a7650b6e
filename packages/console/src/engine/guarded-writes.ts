import type { BridgedDatabase } from 'fixpoint/bridge';
import { untilStored } from '../ui/leaving.ts';

/** Calls after which something else is stored. The worker ends with the page, and with it what is not stored yet. */
export const WRITES = [
  'put',
  'del',
  'remove',
  'bulk',
  'restore',
  'rotateKey',
  'changePassphrase',
  'destroy',
] as const satisfies readonly (keyof BridgedDatabase)[];

/** The same handle; the page is not left without a word while one of its writes is on its way. */
export function guardWrites(database: BridgedDatabase): BridgedDatabase {
  const guarded = WRITES.map((name) => {
    const write = database[name] as (...args: unknown[]) => Promise<unknown>;
    return [name, (...args: unknown[]) => untilStored(write(...args))] as const;
  });
  return Object.assign(database, Object.fromEntries(guarded));
}
