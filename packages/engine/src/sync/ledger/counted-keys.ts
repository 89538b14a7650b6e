/** Counts the changes of a ledger's keys on this device, so that a status can report them. */
import type { LedgerKeys } from '../../crypto/ledger-keys.ts';

export interface CountedKeys extends LedgerKeys {
  /** Number of changes of `keyring()` since the keys were opened. */
  changes(): number;
}

/** The calls that may change what `keyring()` returns. */
const CHANGING = ['learn', 'recover', 'acceptLog', 'dismissLog', 'takeLog', 'withdrawLog', 'rename'] as const;

export function countedKeys(keys: LedgerKeys): CountedKeys {
  const look = keys.keyringMark;
  // The first mark evaluates a membership log, so opening the keys doesn't wait for it.
  let known: string | undefined;
  let changes = 0;
  const counted = CHANGING.map((name) => {
    const call = keys[name] as (...given: unknown[]) => Promise<unknown>;
    const andLook = async (...given: unknown[]) => {
      known ??= look();
      try {
        return await call(...given);
      } finally {
        const now = look();
        if (now !== known) changes += 1;
        known = now;
      }
    };
    return [name, andLook];
  });
  return {
    ...keys,
    ...(Object.fromEntries(counted) as Pick<LedgerKeys, (typeof CHANGING)[number]>),
    changes: () => changes,
  };
}
