import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { makeTenant, openAdmin, personNamed } from './admin.fixture.ts';
import { HANDLERS, mayRevoke } from './dispatch.ts';

describe('the admin API', () => {
  test('[S7] marks each request that removes something or lowers a right as one that can revoke rights', () => {
    const taking = Object.keys(HANDLERS).filter((type) => /Delete|Remove|Revoke|Unshare|Transfer/.test(type));
    expect(taking.length).toBeGreaterThan(6);
    const alsoLowering = ['reqShareLedger', 'reqUpdateUserTenant'];
    for (const type of [...taking, ...alsoLowering])
      expect([type, mayRevoke({ type })]).toEqual([type, true]);
    for (const body of [{ type: 'reqListShares' }, { type: 'reqNothing' }, { type: 'toString' }, null, 1])
      expect(mayRevoke(body)).toBe(false);
  });

  test('[S7] answers any input with a result or an error, and never reports a fault', async () => {
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

  test('hides the details of a server fault, and reports it', async () => {
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

  test('rolls back all writes of a request that fails halfway', async () => {
    const { db, signUp } = await openAdmin();
    const ada = await signUp('ada');
    await db.schema.dropTable('TenantUsers').execute();
    await ada.refused('reqCreateTenant', { tenant: { name: 'Acme' } });
    expect(await db.selectFrom('Tenants').selectAll().execute()).toEqual([]);
  });

  test('[S6] never mixes up the answers of parallel calls', async () => {
    const { signUp } = await openAdmin();
    const people = await Promise.all(Array.from({ length: 20 }, (_, i) => signUp(`user${i}`)));
    const tenants = await Promise.all(people.map((person, i) => makeTenant(person, `T${i}`)));
    // Sends twenty at a time. With hundreds, the last requests might wait longer for a connection
    // than the timeout.
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

  test('creates only five tenants if one user requests 20 at once', async () => {
    const { signUp, db, callerFor } = await openAdmin();
    const ada = await signUp('ada');
    const auth = callerFor(ada.person);
    const results = await Promise.allSettled(twenty.map((i) => makeTenant(auth, `T${i}`)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
    expect(await db.selectFrom('Tenants').selectAll().execute()).toHaveLength(5);
    expect(await db.selectFrom('TenantUsers').selectAll().execute()).toHaveLength(5);
  });

  test('creates only five ledgers if 20 are requested at once in one tenant, and only one if all have the same name', async () => {
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
    // The creator of the tenant is the fifth admin.
    ['admin', 4],
  ] as const)(
    'creates only ten of 20 parallel invites; if 20 people accept invites as %s at once, admits %i of them',
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

  test('keeps one of two admins who demote each other in parallel, in each of five tenants', async () => {
    const { signUp, db } = await openAdmin();
    const [ada, bob] = [await signUp('ada'), await signUp('bob')];
    const tenantIds = await Promise.all([1, 2, 3, 4, 5].map((i) => makeTenant(ada, `T${i}`)));
    const dates = { createdAt: 'x', updatedAt: 'x' };
    for (const tenantId of tenantIds)
      await db
        .insertInto('TenantUsers')
        .values({ tenantId, userId: bob.userId, role: 'admin', name: null, ...dates })
        .execute();
    // Opens the connections first, so that each of the following requests finds an open connection.
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
  test('admits no new user of any identity provider', async () => {
    const { callerFor, db } = await openAdmin('closed');
    expect(await callerFor(personNamed('eve')).refused('reqEnsureUser', {})).toEqual({
      status: 403,
      code: 'FORBIDDEN',
      message: 'forbidden: sign-up is closed',
    });
    expect(await db.selectFrom('Users').selectAll().execute()).toEqual([]);
  });
});

test('[S7] limits the rate of requests that search, mail, try a code or create a token', () => {
  const paces = Object.entries(HANDLERS).flatMap(([type, { perMinute }]) =>
    perMinute === undefined ? [] : [[type, perMinute]],
  );
  expect(Object.fromEntries(paces)).toEqual({
    reqFindUser: 30,
    reqDescribeInvite: 30,
    reqClaimOperator: 10,
    reqInviteUser: 60,
    reqCloudSessionToken: 120,
    reqEnsureCloudToken: 60,
    reqExtendToken: 120,
    reqCertFromCsr: 10,
    reqStartLogin: 20,
    reqPollLogin: 60,
    reqDescribeLogin: 10,
    reqDecideLogin: 10,
    reqDescribeApplication: 60,
    reqAuthorizeApplication: 60,
    reqPutApplicationUser: 600,
    reqRemoveApplicationUser: 600,
    reqCreateUserToken: 6000,
    reqBeginApplicationSession: 120,
    reqExchangeApplicationToken: 120,
    reqRefreshApplicationSession: 300,
    reqListApplicationDatabases: 300,
    reqListApplicationUsers: 600,
    reqApplicationCloudToken: 600,
    reqEndApplicationSession: 120,
  });
});

test('[S15] logs each rejected request by type, code and address, without its payload', async () => {
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
