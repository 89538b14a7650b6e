import type { Attached } from 'fixpoint';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { withEngine } from '../../engine/engine-here.fixture.ts';
import { appWith } from '../app.fixture.ts';
import { copyOf } from './ledger-copies.ts';
import { closeLedgers, openLedger } from './ledger-database.ts';
import { switchToSuccessor } from './move-ledger.ts';

withEngine();
const { api } = appWith({ api: { cloudSessionToken: () => new Promise(() => undefined) } });
beforeEach(() => localStorage.clear());
afterEach(closeLedgers);

const ledger = { tenantId: 't1', ledgerId: 'z1', kind: 'open-key' } as const;

/** Switches from z1 to n9, of which this browser has another copy. */
async function switchWith(isApproved: boolean, kind: 'sealed' | 'open-key') {
  const opened = openLedger(api, ledger);
  const other = openLedger(api, { tenantId: 't1', ledgerId: 'n9', kind });
  const attached: Attached = await other.attached;
  let hasAnswer = false;
  Object.defineProperties(attached.devices, {
    list: {
      value: async () => {
        hasAnswer = true;
        return [];
      },
    },
    isApproved: { value: () => hasAnswer && isApproved },
  });
  const move = { ledger, opened, kind };
  return switchToSuccessor({ api }, move, 'n9', async (name) => name === copyOf('n9'));
}

describe('a switch to an encrypted database', () => {
  test('[S16] never replaces a copy that other devices trust, because its keys might be the last ones', async () => {
    await expect(switchWith(true, 'sealed')).rejects.toMatchObject({ code: 'CONFLICT' });
    expect([copyOf('n9'), copyOf('z1')]).toEqual(['cloud-ledger-n9', 'cloud-ledger-z1']);
  });

  test.each([
    ['a copy that no device trusts', false, 'sealed'],
    ['a copy of an open-key database', true, 'open-key'],
  ] as const)('replaces %s', async (_, isApproved, kind) => {
    await switchWith(isApproved, kind);
    expect(copyOf('n9')).toBe('cloud-ledger-z1');
  });
});
