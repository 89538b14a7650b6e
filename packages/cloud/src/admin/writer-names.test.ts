/** The names that the admin API sends to readers of a ledger. */
import { describe, expect, test } from 'vitest';
import type { Db } from '../tables/connection.ts';
import { putMetas } from '../tables/sync/put-metas.ts';
import { bringIn, makeLedger, makeTenant, openAdmin, type SignedUp } from './admin.fixture.ts';
import { openOwnUsers } from './own-users.fixture.ts';
import { withNames } from './parts/member-names.ts';

const NOW = Date.UTC(2026, 10, 20);
let entries = 0;

/** Stores an entry of a user, as the gateway does. */
async function write(
  db: Db,
  { tenantId, ledgerId }: { readonly tenantId: string; readonly ledgerId: string },
  { userId }: { readonly userId: string },
  connection = 'c1',
): Promise<void> {
  entries += 1;
  const entry = { cid: `cid-${entries}`, parents: [], data: `data ${entries}` };
  const writer = JSON.stringify([userId, connection]);
  await putMetas(db, { tenant: tenantId, ledger: ledgerId }, writer, { metas: [entry], keys: [] }, NOW);
}

async function openShared() {
  const parts = await openAdmin();
  const ada = await parts.signUp('ada', { name: 'Ada' });
  const tenantId = await makeTenant(ada);
  const notes = { tenantId, ledgerId: await makeLedger(ada, tenantId) };
  const member = async (name: string, more = {}) => {
    const person = await parts.signUp(name.toLowerCase(), { name, ...more });
    await bringIn(ada, tenantId, person);
    return person;
  };
  /** Invites a guest who isn't a member of the tenant. */
  const guest = async (name: string, right: 'read' | 'write') => {
    const person = await parts.signUp(name.toLowerCase(), { name });
    const invitedParams = { ledger: { id: notes.ledgerId, right } };
    const query = { existingUserId: person.userId };
    await ada.ask('reqInviteUser', { ticket: { query, invitedParams } });
    await person.ask('reqRedeemInvite', {});
    return person;
  };
  const writes = (who: SignedUp, ledger = notes, connection?: string) =>
    write(parts.db, ledger, who, connection);
  return { ...parts, ada, tenantId, notes, member, guest, writes };
}

/** Returns the answer about the only tenant of a person. */
async function tenantOf(person: SignedUp) {
  const { tenants } = await person.ask('reqListTenantsByUser', {});
  expect(tenants).toHaveLength(1);
  return tenants[0];
}

const namesFor = async (person: SignedUp) => (await tenantOf(person))?.writers?.map(({ name }) => name) ?? [];

describe('the list of tenants', () => {
  test('[S1] names the people who wrote to a ledger to everybody who may read it, and hides their addresses', async () => {
    const { ada, member, guest, writes } = await openShared();
    const [bob, gus] = [await member('Bob'), await guest('Gus', 'read')];
    for (const reader of [ada, bob, gus]) expect(await tenantOf(reader)).not.toHaveProperty('writers');
    await writes(ada);
    await writes(bob);
    await writes(bob, undefined, 'c2');
    const writers = [
      { userId: ada.userId, name: 'Ada' },
      { userId: bob.userId, name: 'Bob' },
    ];
    for (const reader of [ada, bob, gus]) {
      expect((await tenantOf(reader))?.writers).toEqual(writers);
      expect((await reader.ask('reqEnsureUser', {})).tenants).toMatchObject([{ writers }]);
    }
    expect(JSON.stringify([await tenantOf(bob), await tenantOf(gus)])).not.toContain('@');
  });

  test('[S1] names nobody who wrote nothing, or only to ledgers that the caller can’t read', async () => {
    const { ada, tenantId, notes, member, guest, writes } = await openShared();
    const [bob, eve, gus] = [await member('Bob'), await member('Eve'), await guest('Gus', 'write')];
    const other = { tenantId, ledgerId: await makeLedger(ada, tenantId, 'other') };
    await writes(gus);
    await writes(bob, other);
    expect([await namesFor(ada), await namesFor(bob), await namesFor(gus)]).toEqual([
      ['Bob', 'Gus'],
      ['Bob', 'Gus'],
      ['Gus'],
    ]);
    await ada.ask('reqShareLedger', { ledger: notes, userId: eve.userId });
    await ada.ask('reqUnshareLedger', { ledger: notes, userId: eve.userId });
    expect(await namesFor(eve)).toEqual(['Bob']);
    await ada.ask('reqUnshareLedger', { ledger: other, userId: eve.userId });
    expect(await namesFor(eve)).toEqual([]);
  });

  test('[S1] names nobody to members of other tenants', async () => {
    const { signUp, ada, writes } = await openShared();
    const zoe = await signUp('zoe');
    await makeTenant(zoe, 'Zoe’s');
    await writes(ada);
    expect(await namesFor(zoe)).toEqual([]);
  });

  test('[S5] stops naming people who left or were banned, but not members who may only read now', async () => {
    const { ada, db, tenantId, notes, member, guest, writes } = await openShared();
    const [bob, eve, gus] = [await member('Bob'), await member('Eve'), await guest('Gus', 'write')];
    for (const one of [bob, eve, gus]) await writes(one);
    expect(await namesFor(eve)).toEqual(['Bob', 'Eve', 'Gus']);
    await ada.ask('reqShareLedger', { ledger: notes, userId: bob.userId, right: 'read' });
    await ada.ask('reqUnshareLedger', { ledger: notes, userId: gus.userId });
    expect([await namesFor(eve), await namesFor(bob)]).toEqual([
      ['Bob', 'Eve'],
      ['Bob', 'Eve'],
    ]);
    expect((await gus.ask('reqListTenantsByUser', {})).tenants).toEqual([]);
    await ada.ask('reqRemoveMember', { tenantId, userId: bob.userId });
    expect(await namesFor(eve)).toEqual(['Eve']);
    expect((await bob.ask('reqListTenantsByUser', {})).tenants).toEqual([]);
    await db.updateTable('Users').set({ status: 'banned' }).where('userId', '=', eve.userId).execute();
    expect(await namesFor(ada)).toEqual([]);
  });

  test('[S1] takes the name in the tenant or else at the sign-in provider, and never an address', async () => {
    const { ada, tenantId, member, writes } = await openShared();
    const [bob, eve, max, pia] = [
      await member('Bob'),
      await member('Eve', { name: 'eve@example.com' }),
      await member('Max', { name: '' }),
      await member('Pia', { name: 'Pia @ Acme' }),
    ];
    for (const one of [bob, eve, max, pia]) await writes(one);
    expect(await namesFor(bob)).toEqual(['Bob', 'Pia @ Acme']);
    await bob.ask('reqUpdateUserTenant', { tenantId, name: 'Bobby' });
    await max.ask('reqUpdateUserTenant', { tenantId, name: 'mail to <max@example.com>' });
    expect(await namesFor(bob)).toEqual(['Bobby', 'Pia @ Acme']);
    // Admins see addresses with the names of members.
    expect((await tenantOf(ada))?.members?.map(({ name }) => name)).toContain('eve@example.com');
  });

  test('[S1] rejects own users of applications, and names none of them', async () => {
    const { ada, db, admin, tenantId, ledgerId, writer, databases } = await openOwnUsers();
    const { user, accessToken } = await writer({ name: 'Olaf' });
    await write(db, { tenantId, ledgerId }, user);
    await write(db, { tenantId, ledgerId }, ada);
    // No request gives an own user this name. If one did, nobody would learn it.
    await db.updateTable('TenantUsers').set({ name: 'Olaf' }).where('userId', '=', user.userId).execute();
    expect((await tenantOf(ada))?.writers).toEqual([{ userId: ada.userId, name: 'ada' }]);
    for (const type of ['fixpoint', 'fake', 'api-token', 'device'])
      expect(await admin({ type: 'reqListTenantsByUser', auth: { type, token: accessToken } })).toMatchObject(
        { status: 401 },
      );
    const listed = await databases(accessToken);
    expect(listed).toMatchObject({ httpStatus: 200, databases: [{ ledgerId, right: 'write' }] });
    expect(JSON.stringify(listed)).not.toContain(ada.userId);
  });

  test('[S1] rejects API tokens that only manage own users', async () => {
    const { ada, admin, tenantId, writes } = await openShared();
    await writes(ada);
    const ask = async (right: 'read' | 'users') => {
      const { token } = await ada.ask('reqCreateApiToken', { tenantId, name: right, right });
      return admin({ type: 'reqListTenantsByUser', auth: { type: 'api-token', token } });
    };
    expect(await ask('users')).toMatchObject({ status: 403 });
    expect(await ask('read')).toMatchObject({
      status: 200,
      body: { tenants: [{ writers: [{ userId: ada.userId, name: 'Ada' }] }] },
    });
  });
});

test('names people at their providers although one statement can’t contain all of their ids', async () => {
  const { db, signUp } = await openAdmin();
  const [ada, bob] = [await signUp('ada', { name: 'Ada' }), await signUp('bob', { name: 'Bob' })];
  const strangers = Array.from({ length: 70_000 }, (_, index) => `nobody-${index}`);
  const people = [ada.userId, ...strangers, bob.userId].map((userId) => ({ userId, name: null }));
  const named = await withNames(db, people);
  expect(named).toHaveLength(people.length);
  expect(named.filter(({ name }) => name !== null)).toEqual([
    { userId: ada.userId, name: 'Ada' },
    { userId: bob.userId, name: 'Bob' },
  ]);
});
