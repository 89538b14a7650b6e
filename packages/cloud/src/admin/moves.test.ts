import { describe, expect, test } from 'vitest';
import { bringIn, makeLedger, makeTenant, openAdmin } from './admin.fixture.ts';
import { accessTo } from './sharing.fixture.ts';

const NOT_FOUND = { status: 404, code: 'NOT_FOUND', message: 'Not found' };
const FORBIDDEN = {
  status: 403,
  code: 'FORBIDDEN',
  message: 'Only admins of this tenant may replace its databases',
};

/** Opens a ledger of Ada's. Bob may only read it, Cleo may not see it, Dan is a member. */
async function openHouse() {
  const parts = await openAdmin('open', undefined);
  const [ada, bob, cleo, dan] = [
    await parts.signUp('ada'),
    await parts.signUp('bob'),
    await parts.signUp('cleo'),
    await parts.signUp('dan'),
  ];
  const tenantId = await makeTenant(ada);
  for (const member of [bob, cleo, dan]) await bringIn(ada, tenantId, member);
  const ledgerId = await makeLedger(ada, tenantId, 'notes');
  const ledger = { tenantId, ledgerId };
  await ada.ask('reqShareLedger', { ledger, userId: bob.userId, right: 'read' });
  await ada.ask('reqUnshareLedger', { ledger, userId: cleo.userId });
  const access = async (id: string) =>
    Promise.all([ada, bob, cleo, dan].map(({ userId }) => accessTo(parts.db, userId, tenantId, id)));
  const replace = async (name = 'notes 2') => {
    const wanted = { tenantId, name, kind: 'sealed' as const, successorOf: ledgerId };
    return (await ada.ask('reqCreateLedger', { ledger: wanted })).ledger;
  };
  const listed = async (who: typeof ada, id = ledgerId) =>
    (await who.ask('reqListLedgersByUser', {})).ledgers.find((one) => one.ledgerId === id);
  return { ...parts, ada, bob, cleo, dan, tenantId, ledger, ledgerId, access, replace, listed };
}

describe('a ledger that replaces another one', () => {
  test('gives the same people the same rights from the start, and as many shares', async () => {
    const { db, access, replace, ledgerId } = await openHouse();
    await db.updateTable('Ledgers').set({ maxShares: 9 }).where('ledgerId', '=', ledgerId).execute();
    const next = await replace();
    expect(next).toMatchObject({ kind: 'sealed', successorOf: ledgerId, maxShares: 9 });
    expect(await access(next.ledgerId)).toEqual(['write', 'read', 'none', 'write']);
    expect(await access(ledgerId)).toEqual(['write', 'read', 'none', 'write']);
  });

  test('can only be created by somebody who administers the other ledger', async () => {
    const { ada, dan, signUp, tenantId, ledgerId } = await openHouse();
    const eve = await signUp('eve');
    const own = await makeTenant(eve, 'Own');
    const of = (id: string, name = 'stolen') => ({
      ledger: { tenantId: id, name, successorOf: ledgerId },
    });
    expect(await eve.refused('reqCreateLedger', of(own))).toEqual(NOT_FOUND);
    expect(await eve.refused('reqCreateLedger', of(tenantId))).toEqual(NOT_FOUND);
    expect(await dan.refused('reqCreateLedger', of(tenantId))).toMatchObject({ code: 'FORBIDDEN' });
    const missing = { ledger: { tenantId, name: 'new', successorOf: 'zNone' } };
    expect(await ada.refused('reqCreateLedger', missing)).toEqual(NOT_FOUND);
  });
});

describe('reqMoveLedger', () => {
  test('names the successor to everybody who may see the ledger, with an audit record', async () => {
    const { ada, bob, cleo, ledger, ledgerId, tenantId, replace, listed } = await openHouse();
    const { ledgerId: movedTo } = await replace();
    expect(await listed(bob)).not.toHaveProperty('movedTo');
    expect((await ada.ask('reqMoveLedger', { ledger, movedTo })).ledger).toMatchObject({ ledgerId, movedTo });
    expect(await listed(bob)).toMatchObject({ movedTo });
    expect(await listed(cleo)).toBeUndefined();
    const { records } = await ada.ask('reqListAudit', { tenantId });
    expect(records[0]).toMatchObject({
      action: 'reqMoveLedger',
      ledgerId,
      detail: expect.stringContaining(movedTo),
    });
    await ada.ask('reqMoveLedger', { ledger, movedTo: null });
    expect(await listed(bob)).not.toHaveProperty('movedTo');
    // A later move starts again instead of continuing this one.
    expect(await listed(ada, movedTo)).not.toHaveProperty('successorOf');
  });

  test('keeps the predecessor of a ledger when the move of another one to it is undone', async () => {
    const { ada, ledger, listed, replace, tenantId } = await openHouse();
    const next = await replace();
    const other = await makeLedger(ada, tenantId, 'other');
    for (const movedTo of [next.ledgerId, null])
      await ada.ask('reqMoveLedger', { ledger: { ...ledger, ledgerId: other }, movedTo });
    expect(await listed(ada, next.ledgerId)).toMatchObject({ successorOf: ledger.ledgerId });
  });

  test('copies the rights again, because they may have changed since the successor was created', async () => {
    const { ada, bob, dan, access, ledger, ledgerId, replace } = await openHouse();
    const next = await replace();
    await ada.ask('reqUnshareLedger', { ledger, userId: bob.userId });
    await ada.ask('reqShareLedger', { ledger, userId: dan.userId, right: 'read' });
    await ada.ask('reqMoveLedger', { ledger, movedTo: next.ledgerId });
    expect(await access(next.ledgerId)).toEqual(['write', 'none', 'none', 'read']);
    // Repeating the request changes no rights that an admin has set since.
    const to = { ...ledger, ledgerId: next.ledgerId };
    await ada.ask('reqShareLedger', { ledger: to, userId: bob.userId, right: 'write' });
    await ada.ask('reqMoveLedger', { ledger, movedTo: next.ledgerId });
    expect(await access(next.ledgerId)).toEqual(['write', 'write', 'none', 'read']);
    expect(await access(ledgerId)).toEqual(['write', 'none', 'none', 'read']);
  });

  test('[S1] leaves a right that an admin changed in the successor later than here', async () => {
    const { ada, bob, dan, access, ledger, replace } = await openHouse();
    const { ledgerId: movedTo } = await replace();
    const to = { ...ledger, ledgerId: movedTo };
    await ada.ask('reqUnshareLedger', { ledger: to, userId: dan.userId });
    await ada.ask('reqUnshareLedger', { ledger: to, userId: bob.userId });
    await ada.ask('reqMoveLedger', { ledger, movedTo });
    expect(await access(movedTo)).toEqual(['write', 'none', 'none', 'none']);
  });

  test('[S1] takes the right from a member who created the successor and then lost it here', async () => {
    const { ada, dan, access, ledger, tenantId, db } = await openHouse();
    const role = (to: 'admin' | 'member') =>
      db.updateTable('TenantUsers').set({ role: to }).where('userId', '=', dan.userId).execute();
    await role('admin');
    const wanted = { tenantId, name: 'by dan', kind: 'sealed' as const, successorOf: ledger.ledgerId };
    const { ledgerId: movedTo } = (await dan.ask('reqCreateLedger', { ledger: wanted })).ledger;
    await role('member');
    await ada.ask('reqUnshareLedger', { ledger, userId: dan.userId });
    await ada.ask('reqMoveLedger', { ledger, movedTo });
    expect((await access(movedTo))[3]).toBe('none');
  });

  test('leaves the rights of a ledger that was not created as the successor', async () => {
    const { ada, access, ledger, tenantId } = await openHouse();
    const other = await makeLedger(ada, tenantId, 'other');
    await ada.ask('reqMoveLedger', { ledger, movedTo: other });
    expect(await access(other)).toEqual(['write', 'write', 'write', 'write']);
  });

  test('[S1] rejects readers, writers, strangers, and ledgers that the caller does not administer', async () => {
    const { ada, bob, cleo, dan, signUp, ledger, tenantId, replace, listed } = await openHouse();
    const eve = await signUp('eve');
    const foreign = await makeLedger(eve, await makeTenant(eve, 'Own'));
    const { ledgerId: movedTo } = await replace();
    for (const member of [bob, dan])
      expect(await member.refused('reqMoveLedger', { ledger, movedTo })).toEqual(FORBIDDEN);
    for (const stranger of [cleo, eve])
      expect(await stranger.refused('reqMoveLedger', { ledger, movedTo })).toEqual(NOT_FOUND);
    for (const elsewhere of [foreign, 'zNone'])
      expect(await ada.refused('reqMoveLedger', { ledger, movedTo: elsewhere })).toEqual(NOT_FOUND);
    const second = await makeLedger(ada, await makeTenant(ada, 'Second'), 'far');
    expect(await ada.refused('reqMoveLedger', { ledger, movedTo: second })).toEqual(NOT_FOUND);
    expect(await ada.refused('reqMoveLedger', { ledger, movedTo: 7 })).toMatchObject({
      code: 'REQUEST_INVALID',
    });
    expect([await listed(ada), tenantId]).not.toHaveProperty('[0].movedTo');
  });

  test('rejects a ledger as its own successor, and circles', async () => {
    const { ada, ledger, ledgerId, replace } = await openHouse();
    const { ledgerId: movedTo } = await replace();
    expect(await ada.refused('reqMoveLedger', { ledger, movedTo: ledgerId })).toMatchObject({
      code: 'CONFLICT',
    });
    await ada.ask('reqMoveLedger', { ledger, movedTo });
    const back = { ledger: { ...ledger, ledgerId: movedTo }, movedTo: ledgerId };
    expect(await ada.refused('reqMoveLedger', back)).toMatchObject({ code: 'CONFLICT' });
  });

  test('is taken back when the successor is deleted; deleting the old ledger leaves the successor', async () => {
    const { ada, ledger, listed, replace } = await openHouse();
    const first = await replace();
    await ada.ask('reqMoveLedger', { ledger, movedTo: first.ledgerId });
    await ada.ask('reqDeleteLedger', { ledger: { ...ledger, ledgerId: first.ledgerId } });
    expect(await listed(ada)).not.toHaveProperty('movedTo');
    const second = await replace();
    await ada.ask('reqMoveLedger', { ledger, movedTo: second.ledgerId });
    await ada.ask('reqDeleteLedger', { ledger });
    expect(await listed(ada, second.ledgerId)).toMatchObject({ kind: 'sealed' });
    expect(await listed(ada, second.ledgerId)).not.toHaveProperty('successorOf');
  });
});
