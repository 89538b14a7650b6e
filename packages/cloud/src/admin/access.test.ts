import type { RequestType } from '@fixpoint/protocol/admin';
import { isPublicRequest, REQUESTS } from '@fixpoint/protocol/admin';
import { describe, expect, test } from 'vitest';
import type { Db } from '../tables/connection.ts';
import { bringIn, makeLedger, makeTenant, openAdmin } from './admin.fixture.ts';

const NOT_FOUND = { status: 404, code: 'NOT_FOUND', message: 'Not found' };

const MISSING_RIGHT = /^Only (admins|the owner) of this tenant may [a-z A-Z]+$/;

/** The ids that a request contains. */
interface Named {
  readonly tenantId: string;
  readonly ledgerId: string;
  readonly inviteId: string;
  readonly userId: string;
  readonly applicationId: string;
}

/** Settings of a registered application. */
const OF_APPLICATIONS = {
  name: 'taken',
  origins: ['https://thief.example'],
  redirectUrls: ['https://thief.example/'],
};

/** Builds payloads for the request types whose payload contains ids. */
const NAMING: Partial<Record<RequestType, (named: Named) => object>> = {
  reqUpdateTenant: ({ tenantId }) => ({ tenant: { tenantId, name: 'taken' } }),
  reqTransferTenant: ({ tenantId, userId }) => ({ tenantId, userId }),
  reqDeleteTenant: ({ tenantId }) => ({ tenantId }),
  reqUpdateUserTenant: ({ tenantId, userId }) => ({ tenantId, userId, role: 'member', name: 'taken' }),
  reqInviteUser: ({ tenantId }) => ({
    ticket: {
      query: { byEmail: 'thief@example.com' },
      invitedParams: { tenant: { id: tenantId, role: 'admin' } },
    },
  }),
  reqDeleteInvite: ({ inviteId }) => ({ inviteId }),
  reqCreateLedger: ({ tenantId }) => ({ ledger: { tenantId, name: 'taken' } }),
  reqUpdateLedger: ({ tenantId, ledgerId }) => ({ ledger: { tenantId, ledgerId, name: 'taken' } }),
  reqMoveLedger: ({ tenantId, ledgerId }) => ({ ledger: { tenantId, ledgerId }, movedTo: null }),
  reqDeleteLedger: ({ tenantId, ledgerId }) => ({ ledger: { tenantId, ledgerId } }),
  reqRemoveMember: ({ tenantId, userId }) => ({ tenantId, userId }),
  reqRejectInvite: ({ inviteId }) => ({ inviteId }),
  reqShareLedger: ({ tenantId, ledgerId, userId }) => ({ ledger: { tenantId, ledgerId }, userId }),
  reqUnshareLedger: ({ tenantId, ledgerId, userId }) => ({ ledger: { tenantId, ledgerId }, userId }),
  reqListShares: ({ tenantId, ledgerId }) => ({ ledger: { tenantId, ledgerId } }),
  reqListAudit: ({ tenantId }) => ({ tenantId }),
  reqListUsage: ({ tenantId }) => ({ tenantId }),
  reqCreateApiToken: ({ tenantId }) => ({ tenantId, name: 'taken' }),
  reqListApiTokens: ({ tenantId }) => ({ tenantId }),
  reqCreateApplication: ({ tenantId }) => ({ tenantId, ...OF_APPLICATIONS }),
  reqListApplications: ({ tenantId }) => ({ tenantId }),
  reqUpdateApplication: ({ tenantId, applicationId }) => ({ tenantId, applicationId, ...OF_APPLICATIONS }),
  reqDeleteApplication: ({ tenantId, applicationId }) => ({ tenantId, applicationId }),
  reqListApplicationUsers: ({ tenantId }) => ({ tenantId }),
  reqPutApplicationUser: ({ tenantId, applicationId }) => ({ tenantId, applicationId, subject: 'u1' }),
  reqRemoveApplicationUser: ({ tenantId, applicationId, userId }) => ({ tenantId, applicationId, userId }),
  reqCreateUserToken: ({ tenantId, applicationId, userId, ledgerId }) => ({
    tenantId,
    applicationId,
    userId,
    ledgerId,
  }),
  reqCloudSessionToken: ({ tenantId, ledgerId }) => ({ selected: { tenant: tenantId, ledger: ledgerId } }),
  reqEnsureCloudToken: ({ tenantId, ledgerId }) => ({ appId: 'app', tenant: tenantId, ledger: ledgerId }),
};
const LISTS = ['reqListTenantsByUser', 'reqListLedgersByUser', 'reqListInvites', 'reqRedeemInvite'] as const;
const FREE: readonly RequestType[] = [
  'reqEnsureUser',
  'reqFindUser',
  'reqCreateTenant',
  'reqDescribeInvite',
  'reqTokenByResultId',
  'reqRevokeApiToken',
  'reqStartLogin',
  'reqDescribeLogin',
  'reqDecideLogin',
  'reqPollLogin',
  'reqExtendToken',
  'reqCertFromCsr',
  'reqDescribeApplication',
  'reqAuthorizeApplication',
  'reqListApplicationGrants',
  'reqRevokeApplicationGrant',
  'reqBeginApplicationSession',
  'reqExchangeApplicationToken',
  'reqRefreshApplicationSession',
  'reqListApplicationDatabases',
  'reqApplicationCloudToken',
  'reqEndApplicationSession',
  'reqClaimOperator',
];
const OF_OPERATORS = (Object.keys(REQUESTS) as RequestType[]).filter(
  (type) => REQUESTS[type].requires === 'operator',
);

/** Payload fields of requests about tokens, logins, signing in to applications, and operators. */
const OF_TOKENS = {
  secret: 's'.repeat(43),
  tenantId: 'zNone',
  userId: 'zNone',
  userIds: ['zNone'],
  action: 'ban',
  maxTenants: 9,
  tokenId: 'zNone',
  userCode: 'BCDFGHJK',
  approve: true,
  csr: 'none',
  applicationId: 'zNone',
  redirectUrl: 'https://thief.example/',
  challenge: 'c'.repeat(43),
};

const naming = Object.keys(NAMING) as RequestType[];
const namingLedgers = [
  'reqUpdateLedger',
  'reqMoveLedger',
  'reqDeleteLedger',
  'reqShareLedger',
  'reqUnshareLedger',
  'reqListShares',
  'reqCloudSessionToken',
  'reqEnsureCloudToken',
] as const;
const missing: Named = {
  tenantId: 'zNone',
  ledgerId: 'zNone',
  inviteId: 'zNone',
  userId: 'zNone',
  applicationId: 'zNone',
};

/** Returns all rows, to check that nothing changed. */
async function everything(db: Db): Promise<string> {
  const tables = [
    'Users',
    'UserByProviders',
    'Tenants',
    'TenantUsers',
    'Ledgers',
    'LedgerUsers',
    'InviteTickets',
    'AuditRecords',
    'AppBindings',
    'ApiTokens',
    'Applications',
    'ApplicationOrigins',
    'ApplicationSessions',
    'ApplicationUsers',
    'Operators',
    'TenantStorage',
  ] as const;
  return JSON.stringify(await Promise.all(tables.map((table) => db.selectFrom(table).selectAll().execute())));
}

async function openTwoTenants() {
  const parts = await openAdmin();
  const [ada, eve, max] = [await parts.signUp('ada'), await parts.signUp('eve'), await parts.signUp('max')];
  const tenantId = await makeTenant(ada, 'Target');
  const ledgerId = await makeLedger(ada, tenantId);
  await bringIn(ada, tenantId, max, 'member');
  const invitedParams = { tenant: { id: tenantId } };
  const { invite } = await ada.ask('reqInviteUser', {
    ticket: { query: { byEmail: 'x@y.zz' }, invitedParams },
  });
  const own = await makeTenant(eve, 'Own');
  const ownLedger = await makeLedger(eve, own);
  const { application } = await ada.ask('reqCreateApplication', { tenantId, ...OF_APPLICATIONS });
  const target: Named = {
    tenantId,
    ledgerId,
    inviteId: invite.inviteId,
    userId: ada.userId,
    applicationId: application.applicationId,
  };
  return { ...parts, ada, eve, max, target, own, ownLedger };
}

describe('[S1] access', () => {
  test('is tested for every request type', () => {
    expect([...naming, ...LISTS, ...FREE, ...OF_OPERATORS].toSorted()).toEqual(
      Object.keys(REQUESTS).toSorted(),
    );
  });

  test.each(naming)(
    '%s: gives the same answer to foreign and missing ids, and leaves the tables unchanged',
    async (type) => {
      const { db, eve, target, faults } = await openTwoTenants();
      const before = await everything(db);
      const payload = NAMING[type];
      expect(await eve.refused(type, payload?.(target))).toEqual(NOT_FOUND);
      expect(await eve.refused(type, payload?.(missing))).toEqual(NOT_FOUND);
      expect(await everything(db)).toBe(before);
      expect(faults).toEqual([]);
    },
  );

  test.each(namingLedgers)(
    "%s: doesn't find a foreign ledger in the caller's tenant, or the caller's ledger in a foreign tenant",
    async (type) => {
      const { db, eve, target, own, ownLedger } = await openTwoTenants();
      const before = await everything(db);
      expect(await eve.refused(type, NAMING[type]?.({ ...target, tenantId: own }))).toEqual(NOT_FOUND);
      expect(await eve.refused(type, NAMING[type]?.({ ...target, ledgerId: ownLedger }))).toEqual(NOT_FOUND);
      expect(await everything(db)).toBe(before);
    },
  );

  test.each(naming.filter((type) => !['reqCloudSessionToken', 'reqEnsureCloudToken'].includes(type)))(
    '%s: reports the required role to a member who lacks it, and leaves the tables unchanged',
    async (type) => {
      const { db, max, target } = await openTwoTenants();
      const before = await everything(db);
      // Invites to other people are invisible to the caller.
      const expected =
        type === 'reqRejectInvite'
          ? NOT_FOUND
          : { status: 403, code: 'FORBIDDEN', message: expect.stringMatching(MISSING_RIGHT) };
      expect(await max.refused(type, NAMING[type]?.(target))).toEqual(expected);
      expect(await everything(db)).toBe(before);
    },
  );

  // Only programs may get tokens of users: see own-users.test.ts.
  const notOfAdmins: readonly RequestType[] = ['reqRejectInvite', 'reqCreateUserToken'];
  test.each(naming.filter((type) => !notOfAdmins.includes(type)))('%s: accepts an admin', async (type) => {
    const { ada, max, target } = await openTwoTenants();
    if (type === 'reqRemoveApplicationUser') {
      const { user } = await ada.ask('reqPutApplicationUser', { ...target, subject: 'u1' });
      await ada.ask(type, { ...target, userId: user.userId });
      return;
    }
    if (type === 'reqTransferTenant')
      await ada.ask('reqUpdateUserTenant', { ...target, userId: max.userId, role: 'admin' });
    const payload = NAMING[type]?.({ ...target, userId: max.userId });
    await ada.ask(type, payload as never);
  });

  test.each(OF_OPERATORS)('%s: is rejected unless the caller operates the server', async (type) => {
    const { db, ada, target } = await openTwoTenants();
    const before = await everything(db);
    // Also for an admin, and for the caller's own tenant and user.
    const payload = { ...OF_TOKENS, ...target, userIds: [target.userId] };
    const message = 'Only operators of this server may do this';
    expect(await ada.refused(type, payload)).toEqual({ status: 403, code: 'FORBIDDEN', message });
    expect(await everything(db)).toBe(before);
  });

  test.each(LISTS)('%s: returns nothing of another tenant', async (type) => {
    const { eve, target } = await openTwoTenants();
    for (const payload of [
      {},
      { tenantIds: [target.tenantId] },
      { tenantIds: [target.tenantId], ledgerIds: [target.ledgerId] },
    ]) {
      const text = JSON.stringify(await eve.ask(type, payload));
      for (const id of [target.tenantId, target.ledgerId, target.inviteId, target.userId])
        expect(text).not.toContain(id);
    }
  });
});

describe('[S1] the admin API', () => {
  const types = (Object.keys(REQUESTS) as RequestType[]).filter((type) => !isPublicRequest(type));
  const wrong: readonly [string, unknown][] = [
    ['no credentials', undefined],
    ['null', null],
    ['a text', 'token'],
    ['a list', []],
    ['no token', { type: 'fake' }],
    ['a number as the token', { type: 'fake', token: 7 }],
    ['an empty token', { type: 'fake', token: '' }],
    ['a token that the provider rejects', { type: 'fake', token: 'canary-secret' }],
    ['an unknown type', { type: 'clerk', token: '{}' }],
    ['a type that every object has as a property', { type: 'toString', token: '{}' }],
    ['the type that the gateway uses', { type: 'fp-cloud-jwk', token: '{}' }],
  ];

  test.each(wrong)('rejects every request with 401 before reading the payload: %s', async (_, auth) => {
    const { admin, db, target, faults } = await openTwoTenants();
    const before = await everything(db);
    for (const type of types) {
      const { status, body } = await admin({ type, auth, ...NAMING[type]?.(target) });
      expect(status, type).toBe(401);
      expect(body, type).toMatchObject({ type: 'error', code: 'NOT_SIGNED_IN' });
      expect(JSON.stringify(body)).not.toContain('canary');
    }
    expect(await everything(db)).toBe(before);
    expect(faults).toEqual([]);
  });

  test('rejects every request except reqEnsureUser from a person without an account here', async () => {
    const { callerFor, target } = await openTwoTenants();
    const stranger = callerFor({
      provider: 'fake',
      providerUserId: 'new',
      email: 'n@e.ww',
      emailVerified: true,
      name: 'n',
    });
    for (const type of types.filter((one) => one !== 'reqEnsureUser')) {
      const payload = { query: {}, tenant: { name: 'Mine' }, ...OF_TOKENS, ...NAMING[type]?.(target) };
      expect(await stranger.refused(type, payload), type).toMatchObject({ status: 401 });
    }
  });
});
