import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { withEngine } from '../../engine/engine-here.fixture.ts';
import { appWith } from '../app.fixture.ts';
import { COPIES_KEY } from './ledger-copies.ts';
import { closeLedgers, openLedger } from './ledger-database.ts';
import { moveCopy } from './move-copy.ts';

withEngine();
const { api } = appWith({ api: { cloudSessionToken: () => new Promise(() => undefined) } });
beforeEach(() => localStorage.clear());
afterEach(async () => {
  await closeLedgers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

const open = (ledgerId: string) => openLedger(api, { tenantId: 't1', ledgerId, kind: 'sealed' });
const tell = (key: string) => dispatchEvent(new StorageEvent('storage', { key }));

test('[S16] ends the sync of a copy that another tab took along to another ledger, and starts the page again', async () => {
  const reload = vi.spyOn(location, 'reload').mockReturnValue();
  const [moved, other] = [open('z1'), open('z3')];
  await Promise.all([moved.attached, other.attached]);
  tell('fixpoint:kind:z1');
  tell(COPIES_KEY);
  expect(reload).not.toHaveBeenCalled();
  moveCopy('z1', 'z2');
  tell(COPIES_KEY);
  expect(reload).toHaveBeenCalledTimes(1);
  await expect(moved.database.get('x')).rejects.toMatchObject({ code: 'DATABASE_CLOSED' });
  await expect(other.database.get('x')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect([open('z1'), open('z2'), open('z3')].map(({ database }) => database.name)).toEqual([
    'cloud-ledger-z1-2',
    'cloud-ledger-z1',
    'cloud-ledger-z3',
  ]);
});
