import { describe, expect, test } from 'vitest';
import { upsertLedgerUser } from '../tables/ledgers/ledger-users.ts';
import { bringIn, makeLedger, makeTenant, openAdmin } from './admin.fixture.ts';

const NOT_FOUND = { status: 404, code: 'NOT_FOUND', message: 'Not found' };

async function openWithTenant() {
  const parts = await openAdmin();
  const [ada, bob] = [await parts.signUp('ada'), await parts.signUp('bob')];
  const tenantId = await makeTenant(ada);
  await bringIn(ada, tenantId, bob, 'member');
  return { ...parts, ada, bob, tenantId };
}

describe('the admin API of ledgers', () => {
  test('[7.2] creates a ledger in a tenant, and lets the creator write to the ledger', async () => {
    const { ada, tenantId } = await openWithTenant();
    const { ledger } = await ada.ask('reqCreateLedger', { ledger: { tenantId, name: ' notes ' } });
    expect(ledger).toMatchObject({ tenantId, name: 'notes', ownerId: ada.userId, maxShares: 5 });
    expect(ledger.users).toMatchObject([{ userId: ada.userId, role: 'admin', right: 'write' }]);
    expect((await ada.ask('reqListLedgersByUser', {})).ledgers).toEqual([ledger]);
  });

  test('sets the kind of a new ledger only if the request contains it, and rejects unknown kinds', async () => {
    const { ada, tenantId } = await openWithTenant();
    const kindOf = async (name: string, kind?: 'sealed' | 'open-key') =>
      (await ada.ask('reqCreateLedger', { ledger: { tenantId, name, ...(kind && { kind }) } })).ledger.kind;
    expect(await kindOf('one', 'sealed')).toBe('sealed');
    expect(await kindOf('two', 'open-key')).toBe('open-key');
    expect(await kindOf('three')).toBe(undefined);
    const refused = await ada.refused('reqCreateLedger', {
      ledger: { tenantId, name: 'four', kind: 'secret' },
    });
    expect(refused).toMatchObject({ code: 'REQUEST_INVALID' });
    const { ledgers } = await ada.ask('reqListLedgersByUser', {});
    expect(ledgers.map(({ kind }) => kind)).toEqual(['sealed', 'open-key', undefined]);
  });

  test('[5.2] requires a name of at least three characters', async () => {
    const { ada, tenantId } = await openWithTenant();
    const refusal = async (name: unknown) =>
      (await ada.refused('reqCreateLedger', { ledger: { tenantId, name } })).message;
    expect(await refusal(undefined)).toBe('request is not valid: Name is required');
    expect(await refusal('')).toBe('request is not valid: Name is required');
    expect(await refusal('ab')).toBe('request is not valid: Name must be at least 3 characters');
  });

  test('[3.1] keeps names unique within a tenant, and allows the same name in another tenant', async () => {
    const { ada, tenantId } = await openWithTenant();
    await makeLedger(ada, tenantId, 'notes');
    const taken = { status: 409, code: 'CONFLICT', message: 'conflict: a database already has this name' };
    expect(await ada.refused('reqCreateLedger', { ledger: { tenantId, name: ' notes' } })).toEqual(taken);
    const other = await makeLedger(ada, tenantId, 'other');
    const renaming = { ledger: { tenantId, ledgerId: other, name: 'notes' } };
    expect(await ada.refused('reqUpdateLedger', renaming)).toEqual(taken);
    await makeLedger(ada, await makeTenant(ada, 'Second'), 'notes');
  });

  test('[3.1] rejects a name that differs only by case from another name, but keeps such names of older ledgers', async () => {
    const { signUp, db } = await openAdmin();
    const ada = await signUp('ada');
    const tenantId = await makeTenant(ada);
    const first = await makeLedger(ada, tenantId, 'Notes');
    for (const name of ['notes', 'NOTES', ' nOtes ', 'no\u200btes'])
      expect(await ada.refused('reqCreateLedger', { ledger: { tenantId, name } })).toMatchObject({
        code: 'CONFLICT',
      });
    const second = await makeLedger(ada, tenantId, 'other');
    const rename = (ledgerId: string, name: string) => ({ ledger: { tenantId, ledgerId, name } });
    expect(await ada.refused('reqUpdateLedger', rename(second, 'notes'))).toMatchObject({ code: 'CONFLICT' });
    await ada.ask('reqUpdateLedger', rename(first, 'notes'));
    await db.updateTable('Ledgers').set({ name: 'NOTES' }).where('ledgerId', '=', second).execute();
    await ada.ask('reqUpdateLedger', rename(second, 'NOTES'));
    await ada.ask('reqUpdateLedger', rename(second, 'apart'));
  });

  test('[9.2] allows a tenant five ledgers; deleting a ledger frees its slot', async () => {
    const { ada, tenantId } = await openWithTenant();
    const ids = [];
    for (let i = 0; i < 5; i += 1) ids.push(await makeLedger(ada, tenantId, `notes ${i}`));
    expect(await ada.refused('reqCreateLedger', { ledger: { tenantId, name: 'one more' } })).toEqual({
      status: 409,
      code: 'LIMIT_REACHED',
      message: 'limit reached: 5 databases',
    });
    await ada.ask('reqDeleteLedger', { ledger: { tenantId, ledgerId: ids[0] ?? '' } });
    await makeLedger(ada, tenantId, 'one more');
  });

  test('lets only admins create, rename and delete ledgers', async () => {
    const forbidden = { status: 403, code: 'FORBIDDEN' };
    const { ada, bob, tenantId } = await openWithTenant();
    const ledgerId = await makeLedger(ada, tenantId);
    const renaming = { ledger: { tenantId, ledgerId, name: 'renamed' } };
    expect(await bob.refused('reqUpdateLedger', renaming)).toMatchObject(forbidden);
    expect(await bob.refused('reqDeleteLedger', { ledger: { tenantId, ledgerId } })).toMatchObject(forbidden);
    const creating = { ledger: { tenantId, name: 'new one' } };
    expect(await bob.refused('reqCreateLedger', creating)).toMatchObject(forbidden);
    expect((await ada.ask('reqUpdateLedger', renaming)).ledger).toMatchObject({ ledgerId, name: 'renamed' });
    expect(await ada.ask('reqDeleteLedger', { ledger: { tenantId, ledgerId } })).toMatchObject({ ledgerId });
    expect((await ada.ask('reqListLedgersByUser', {})).ledgers).toEqual([]);
    expect(await ada.refused('reqDeleteLedger', { ledger: { tenantId, ledgerId } })).toEqual(NOT_FOUND);
  });

  test('[S1] finds a ledger only in its own tenant', async () => {
    const { ada, tenantId } = await openWithTenant();
    const ledgerId = await makeLedger(ada, tenantId);
    const second = await makeTenant(ada, 'Second');
    const elsewhere = { tenantId: second, ledgerId };
    expect(await ada.refused('reqDeleteLedger', { ledger: elsewhere })).toEqual(NOT_FOUND);
    expect(await ada.refused('reqUpdateLedger', { ledger: { ...elsewhere, name: 'mine' } })).toEqual(
      NOT_FOUND,
    );
  });
});

describe('reqListLedgersByUser', () => {
  test("lists the ledgers of a member's tenants, with the member's rights", async () => {
    const { ada, bob, tenantId, db } = await openWithTenant();
    const [first, second] = [
      await makeLedger(ada, tenantId, 'first'),
      await makeLedger(ada, tenantId, 'second'),
    ];
    const reader = { ledgerId: second, userId: bob.userId, role: 'member', right: 'read' } as const;
    await upsertLedgerUser(db, reader, 'now');
    const { ledgers } = await bob.ask('reqListLedgersByUser', {});
    expect(ledgers.map(({ ledgerId, users }) => [ledgerId, users?.[0]?.right])).toEqual([
      [first, 'write'],
      [second, 'read'],
    ]);
    await db
      .updateTable('LedgerUsers')
      .set({ status: 'inactive' })
      .where('userId', '=', bob.userId)
      .execute();
    expect((await bob.ask('reqListLedgersByUser', {})).ledgers.map(({ ledgerId }) => ledgerId)).toEqual([
      first,
    ]);
  });

  test('lists only ledgers of the given tenants, and none of foreign tenants', async () => {
    const { ada, tenantId, signUp } = await openWithTenant();
    const eve = await signUp('eve');
    await makeLedger(ada, tenantId);
    const own = await makeLedger(eve, await makeTenant(eve));
    const ofEve = async (payload: { tenantIds?: string[] }) =>
      (await eve.ask('reqListLedgersByUser', payload)).ledgers.map(({ ledgerId }) => ledgerId);
    expect(await ofEve({})).toEqual([own]);
    expect(await ofEve({ tenantIds: [tenantId] })).toEqual([]);
    expect(await ofEve({ tenantIds: [] })).toEqual([]);
  });
});
