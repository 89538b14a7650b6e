import type { BridgedDatabase } from 'fixpoint/bridge';
import { afterEach, expect, test } from 'vitest';
import { attachedWith } from '../../features/keys/attached.fixture.ts';
import { done, signedIn } from '../app.fixture.ts';
import { attachedDatabases, attachLocal, detachAll, detachLocal } from './attached-databases.ts';

afterEach(detachAll);

test('attaches a database to another ledger only after it is detached from the first', async () => {
  const steps: string[] = [];
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const detach = async () => {
    steps.push('detaching');
    await released;
    steps.push('detached');
  };
  const { attached } = attachedWith({ detach, kind: () => 'open-key' });
  const database = {
    name: 'pantry',
    attach: async () => {
      steps.push('attached');
      return attached;
    },
    onClosed: () => undefined,
  } as unknown as BridgedDatabase;
  const ledgers = ['zA', 'zB'].map((ledgerId) => ({ tenantId: 'zT', ledgerId, name: ledgerId, users: [] }));
  const { api } = signedIn({ api: { listLedgersByUser: () => done(ledgers as never) } });
  attachLocal(api, database, { tenantId: 'zT', ledgerId: 'zA' });
  await attachedDatabases().get('pantry')?.attached;
  const detaching = detachLocal('pantry');
  attachLocal(api, database, { tenantId: 'zT', ledgerId: 'zB' });
  const second = attachedDatabases().get('pantry')?.attached;
  release();
  await Promise.all([detaching, second]);
  expect(steps).toEqual(['attached', 'detaching', 'detached', 'attached']);
});
