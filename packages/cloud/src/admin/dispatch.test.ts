import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { makeTenant, openAdmin, personNamed } from './admin.fixture.ts';
import { HANDLERS } from './handlers.ts';

describe('the admin API', () => {
  test('[S7] whatever is sent is answered: a refusal, never a fault', async () => {
    const { admin, faults, signUp } = await openAdmin();
    const ada = await signUp('ada');
    const auth = { type: 'fake', token: JSON.stringify(ada.person) };
    const types = fc.constantFrom(
      'reqCreateTenant',
      'reqInviteUser',
      'reqUpdateUserTenant',
      'reqCreateLedger',
      'reqFindUser',
    );
    const request = fc.oneof(
      fc.anything(),
      fc.record({ type: fc.string(), auth: fc.anything() }),
      fc.record({
        type: types,
        auth: fc.constant(auth),
        tenant: fc.anything(),
        ticket: fc.anything(),
        ledger: fc.anything(),
        query: fc.anything(),
        tenantId: fc.anything(),
      }),
    );
    await fc.assert(
      fc.asyncProperty(request, async (body) => {
        const { status, body: answer } = await admin(body);
        expect([200, 400, 401, 403, 404, 429]).toContain(status);
        expect(answer['type']).toMatch(status === 200 ? /^res[A-Z]/ : /^error$/);
      }),
      { numRuns: 300 },
    );
    expect(faults).toEqual([]);
  });

  test('a fault of the server says nothing of itself, and is reported', async () => {
    const { admin, db, faults, signUp } = await openAdmin();
    const ada = await signUp('ada');
    await db.schema.dropTable('InviteTickets').execute();
    const { status, body } = await admin({
      type: 'reqListInvites',
      auth: { type: 'fake', token: JSON.stringify(ada.person) },
    });
    expect(status).toBe(500);
    expect(body).toEqual({
      type: 'error',
      message: 'Internal Server Error',
      error: 'Error: Internal Server Error',
    });
    expect(faults).toHaveLength(1);
  });

  test('a request that fails half way leaves nothing behind', async () => {
    const { db, signUp } = await openAdmin();
    const ada = await signUp('ada');
    await db.schema.dropTable('TenantUsers').execute();
    await ada.refused('reqCreateTenant', { tenant: { name: 'Acme' } });
    expect(await db.selectFrom('Tenants').selectAll().execute()).toEqual([]);
  });

  test('[S6] answers of calls that run at once are never swapped', async () => {
    const { signUp } = await openAdmin();
    const people = await Promise.all(Array.from({ length: 20 }, (_, i) => signUp(`user${i}`)));
    const tenants = await Promise.all(people.map((person, i) => makeTenant(person, `T${i}`)));
    // Twenty at a time: of hundreds at once the last ones may wait for a connection for longer than anybody waits for one.
    await Promise.all(
      people.map(async ({ ask, userId }, i) => {
        for (let times = 0; times < 20; times += 1) {
          const answer = await ask('reqListTenantsByUser', {});
          expect(answer).toMatchObject({ userId, tenants: [{ tenantId: tenants[i] }] });
        }
      }),
    );
  });
});

describe('[S6] limits under parallel requests', () => {
  const twenty = Array.from({ length: 20 }, (_, i) => i);

  test('of 20 tenants created at once by one user, five are made', async () => {
    const { signUp, db, callerFor } = await openAdmin();
    const ada = await signUp('ada');
    const auth = callerFor(ada.person);
    const results = await Promise.allSettled(twenty.map((i) => makeTenant(auth, `T${i}`)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
    expect(await db.selectFrom('Tenants').selectAll().execute()).toHaveLength(5);
    expect(await db.selectFrom('TenantUsers').selectAll().execute()).toHaveLength(5);
  });

  test('of 20 ledgers created at once in one tenant, five are made; of 20 with one name, one', async () => {
    const { signUp, db } = await openAdmin();
    const ada = await signUp('ada');
    const [first, second] = [await makeTenant(ada, 'A'), await makeTenant(ada, 'B')];
    const create = (tenantId: string, name: string) =>
      ada.ask('reqCreateLedger', { ledger: { tenantId, name } });
    await Promise.allSettled(
      twenty.flatMap((i) => [create(first, `ledger ${i}`), create(second, 'one name')]),
    );
    const count = async (tenantId: string) =>
      (await db.selectFrom('Ledgers').select('ledgerId').where('tenantId', '=', tenantId).execute()).length;
    expect(await count(first)).toBe(5);
    expect(await count(second)).toBe(1);
  });

  test.each([
    ['member', 5],
    // Who made the tenant is one.
    ['admin', 4],
  ] as const)(
    'of 20 invites made at once, ten are pending; of 20 who redeem at once to be %s, %i come in',
    async (role, free) => {
      const { signUp, db } = await openAdmin();
      const ada = await signUp('ada');
      const tenantId = await makeTenant(ada);
      const people = await Promise.all(twenty.map((i) => signUp(`user${i}`)));
      const invite = (userId: string) => {
        const invitedParams = { tenant: { id: tenantId, role } };
        return ada.ask('reqInviteUser', { ticket: { query: { existingUserId: userId }, invitedParams } });
      };
      const results = await Promise.allSettled(people.map(({ userId }) => invite(userId)));
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
      await db.updateTable('Tenants').set({ maxInvites: 100 }).execute();
      await Promise.allSettled(people.map(({ userId }) => invite(userId)));
      await Promise.all(people.map((person) => person.ask('reqRedeemInvite', {})));
      const members = await db.selectFrom('TenantUsers').select('userId').where('role', '=', role).execute();
      expect(members.filter(({ userId }) => userId !== ada.userId)).toHaveLength(free);
    },
  );

  test('of two admins who demote each other at once one stays, in each of five tenants', async () => {
    const { signUp, db } = await openAdmin();
    const [ada, bob] = [await signUp('ada'), await signUp('bob')];
    const tenantIds = await Promise.all([1, 2, 3, 4, 5].map((i) => makeTenant(ada, `T${i}`)));
    const dates = { createdAt: 'x', updatedAt: 'x' };
    for (const tenantId of tenantIds)
      await db
        .insertInto('TenantUsers')
        .values({ tenantId, userId: bob.userId, role: 'admin', name: null, ...dates })
        .execute();
    // Each of those who come next finds a connection that is open.
    await Promise.all(twenty.map(() => ada.ask('reqListTenantsByUser', {})));
    await Promise.allSettled(
      tenantIds.flatMap((tenantId) => [
        ada.ask('reqUpdateUserTenant', { tenantId, userId: bob.userId, role: 'member' }),
        bob.ask('reqUpdateUserTenant', { tenantId, userId: ada.userId, role: 'member' }),
      ]),
    );
    const admins = await db
      .selectFrom('TenantUsers')
      .select('tenantId')
      .where('role', '=', 'admin')
      .execute();
    expect(admins.map(({ tenantId }) => tenantId).sort()).toEqual([...tenantIds].sort());
  });
});

describe('SIGNUP=closed', () => {
  test('an identity provider may vouch for whom it wants: nobody new comes in', async () => {
    const { callerFor, db } = await openAdmin('closed');
    expect(await callerFor(personNamed('eve')).refused('reqEnsureUser', {})).toEqual({
      status: 403,
      code: 'FORBIDDEN',
      message: 'forbidden: sign-up is closed',
    });
    expect(await db.selectFrom('Users').selectAll().execute()).toEqual([]);
  });
});

test('[S7] requests that search, mail, try a code or make a token have a pace', () => {
  const paces = Object.entries(HANDLERS).flatMap(([type, { perMinute }]) =>
    perMinute === undefined ? [] : [[type, perMinute]],
  );
  expect(Object.fromEntries(paces)).toEqual({
    reqFindUser: 30,
    reqInviteUser: 60,
    reqCloudSessionToken: 120,
    reqEnsureCloudToken: 60,
    reqExtendToken: 120,
    reqCertFromCsr: 10,
    reqStartLogin: 20,
    reqPollLogin: 60,
    reqDescribeLogin: 10,
    reqDecideLogin: 10,
  });
});

test('[S15] each refusal is noted by type, code and address, and by nothing that was sent', async () => {
  const { admin, refusals } = await openAdmin();
  const auth = { type: 'fake', token: 'canary' };
  await admin({ type: 'reqDeleteTenant', auth, tenantId: 'canary' }, '192.0.2.7');
  await admin({ type: 'canary' }, '192.0.2.8');
  expect(refusals).toEqual([
    {
      event: 'admin refused',
      type: 'reqDeleteTenant',
      status: 401,
      code: 'NOT_SIGNED_IN',
      from: '192.0.2.7',
    },
    { event: 'admin refused', type: 'unknown', status: 400, code: 'REQUEST_INVALID', from: '192.0.2.8' },
  ]);
});
