import { describe, expect, onTestFinished, test } from 'vitest';
import { makeLedger, makeTenant, openAdmin } from '../admin/admin.fixture.ts';
import { freeObjects, SETTLED_MS } from './free-objects.ts';

async function openWithLedgers() {
  const { db, clock, signUp } = await openAdmin();
  const ada = await signUp('ada');
  const tenantId = await makeTenant(ada);
  const ledgerIds = [await makeLedger(ada, tenantId, 'one'), await makeLedger(ada, tenantId, 'two')];
  const removed: string[] = [];
  const faults: unknown[] = [];
  const failing = new Set<string>();
  const objects = {
    removeLedger: async ({ ledger }: { ledger: string }) => {
      if (failing.has(ledger)) throw new Error('no disk');
      removed.push(ledger);
    },
  };
  const free = freeObjects({ db, objects, now: () => clock.ms, report: (error) => void faults.push(error) });
  onTestFinished(free.stop);
  const rows = () => db.selectFrom('RemovedLedgers').selectAll().execute();
  return { ada, clock, tenantId, ledgerIds, removed, faults, failing, free, rows };
}

describe('objects of deleted ledgers', () => {
  test('removes the objects of a deleted tenant twice, because uploads may still arrive while a signed URL is valid', async () => {
    const { ada, clock, tenantId, ledgerIds, removed, free, rows } = await openWithLedgers();
    await free.sweep();
    expect(removed).toEqual([]);
    await ada.ask('reqDeleteTenant', { tenantId });
    await free.sweep();
    expect(removed.sort()).toEqual([...ledgerIds].sort());
    expect(await rows()).toHaveLength(2);
    clock.ms += SETTLED_MS + 1000;
    await free.sweep();
    expect(removed).toHaveLength(4);
    expect(await rows()).toEqual([]);
    await free.sweep();
    expect(removed).toHaveLength(4);
  });

  test("reports a failed removal, retries it, and doesn't delay other ledgers", async () => {
    const { ada, clock, tenantId, ledgerIds, removed, faults, failing, free, rows } = await openWithLedgers();
    const [one = '', two = ''] = ledgerIds;
    for (const ledgerId of ledgerIds) await ada.ask('reqDeleteLedger', { ledger: { tenantId, ledgerId } });
    failing.add(one);
    clock.ms += SETTLED_MS + 1000;
    await free.sweep();
    expect(removed).toEqual([two]);
    expect(faults).toMatchObject([{ message: 'no disk' }]);
    expect(await rows()).toMatchObject([{ tenantId, ledgerId: one }]);
    failing.clear();
    await free.sweep();
    expect(await rows()).toEqual([]);
  });
});
