import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { withEngine } from '../../engine/engine-here.fixture.ts';
import { appWith } from '../app.fixture.ts';
import { COPIES_KEY } from './ledger-copies.ts';
import { closeLedgers, openLedger, removeLedgerCopy } from './ledger-database.ts';
import { moveCopy } from './move-copy.ts';
import { onOpenedLedgers, openedLedgers } from './opened-ledgers.ts';

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

test('lists the ledgers that this page opened, each once, until it removes or closes them', async () => {
  const lists: string[] = [];
  const end = onOpenedLedgers(() => lists.push([...openedLedgers().keys()].join(' ')));
  const first = open('z1');
  open('z1');
  open('z2');
  expect(openedLedgers().get('z1')).toBe(first.attached);
  await first.attached;
  await removeLedgerCopy('z1', first.database);
  await closeLedgers();
  end();
  open('z4');
  expect(lists).toEqual(['z1', 'z1 z2', 'z2', '']);
});

test('lists a ledger that couldn’t be attached with its failure, and replaces it by the next attempt', async () => {
  const place = { tenantId: 't1', ledgerId: 'z6', kind: 'unknown' as never };
  const failed = openLedger(api, place);
  await expect(openedLedgers().get('z6')).rejects.toBeInstanceOf(Error);
  const again = openLedger(api, place);
  await expect(again.attached).rejects.toBeInstanceOf(Error);
  expect(again.attached).not.toBe(failed.attached);
  expect(openedLedgers().get('z6')).toBe(again.attached);
});
