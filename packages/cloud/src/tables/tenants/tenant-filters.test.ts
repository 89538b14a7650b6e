/**
 * Runs queries about one tenant, user or token while others have the same content. The queries must
 * neither read nor change the others.
 */
import { describe, expect, onTestFinished, test } from 'vitest';
import { tablesOf, temporaryFolder } from '../../../tests/cloud.fixture.ts';
import type { Db } from '../connection.ts';
import { countAppBindings, listBoundLedgers } from '../ledgers/app-bindings.ts';
import {
  countLedgers,
  getLedger,
  listLedgerNames,
  listLedgersOf,
  removeLedgers,
  renameLedger,
} from '../ledgers/ledger-rows.ts';
import {
  getApiToken,
  getApiTokenByHash,
  listApiTokens,
  removeAllApiTokens,
  removeApiToken,
  removeApiTokensOf,
  removeDeviceTokens,
  removeOverdueApiTokens,
  touchApiToken,
} from './api-token-rows.ts';
import { insertAudit, listAuditOf, removeAuditBefore } from './audit-records.ts';
import { getOrganizationTenant } from './organization-tenants.ts';
import { countTenantsOwnedBy, getTenant, lockTenant, removeTenant, setOwner } from './tenant-rows.ts';
import {
  clearDefaults,
  countActingAdmins,
  countMembers,
  getMember,
  listMembers,
  listMemberships,
  removeMember,
  updateMember,
} from './tenant-users.ts';

const [EARLY, AT, LATE] = ['2026-01-01', '2026-11-24', '2027-11-24'];
const dates = { createdAt: EARLY, updatedAt: EARLY };

/** The columns that identify a row of each table. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  Users: ['userId'],
  Tenants: ['tenantId'],
  TenantUsers: ['tenantId', 'userId'],
  Ledgers: ['ledgerId'],
  LedgerUsers: ['ledgerId', 'userId'],
  InviteTickets: ['inviteId'],
  LedgerKeys: ['ledgerId'],
  ApiTokens: ['tokenId'],
  AppBindings: ['appId', 'env', 'ledgerId'],
  AuditRecords: ['tenantId', 'seq'],
  OrganizationTenants: ['provider', 'organizationId'],
  EndedAccess: ['tenantId', 'ledgerId'],
};

type Rows = Readonly<Record<string, unknown>>[];

/** Opens two tenants with the same content, `a` and `b`, and an inactive tenant, `off`. */
async function openTenants(): Promise<Db> {
  const { db } = await tablesOf(await temporaryFolder());
  onTestFinished(() => db.destroy());
  const add = async (table: string, rows: Rows) => {
    for (const row of rows)
      await db
        .insertInto(table as 'Users')
        .values(row as never)
        .execute();
  };
  const of = (tenantId: string, userId: string, role: string, status = 'active') => ({
    ...{ tenantId, userId, role, status, name: null, default: 1, ...dates },
  });
  await add(
    'Users',
    ['ada', 'bob', 'eve', 'max'].map((userId) => ({
      ...{ userId, status: userId === 'max' ? 'banned' : 'active', ...dates },
    })),
  );
  const tenant = (tenantId: string, ownerUserId: string, status = 'active') => ({
    ...{ tenantId, name: tenantId, ownerUserId, status, ...dates },
  });
  await add('Tenants', [tenant('a', 'ada'), tenant('b', 'bob'), tenant('off', 'ada', 'inactive')]);
  await add('TenantUsers', [
    of('a', 'ada', 'admin'),
    of('a', 'bob', 'member'),
    of('a', 'eve', 'guest'),
    of('a', 'max', 'admin'),
    of('b', 'bob', 'admin'),
    of('b', 'ada', 'member'),
    of('b', 'eve', 'member', 'inactive'),
    of('b', 'max', 'admin', 'inactive'),
    of('off', 'ada', 'admin'),
  ]);
  const ledger = (ledgerId: string, tenantId: string, status = 'active') => ({
    ...{ ledgerId, tenantId, ownerId: 'ada', name: ledgerId, status, ...dates },
  });
  await add('Ledgers', [
    ledger('a1', 'a'),
    ledger('a2', 'a', 'inactive'),
    ledger('b1', 'b'),
    ledger('o1', 'off'),
  ]);
  for (const [ledgerId, tenantId] of [
    ['a1', 'a'],
    ['b1', 'b'],
  ] as const) {
    const grant = { ledgerId, role: 'member', right: 'write', name: null, ...dates };
    await add('LedgerUsers', [
      { ...grant, userId: 'bob' },
      { ...grant, userId: 'eve' },
    ]);
    await add('LedgerKeys', [{ ledgerId, keyHash: 'x', keyText: 'zA', createdAt: EARLY }]);
    const invite = { inviterUserId: 'ada', invitedParams: '{}', expiresAfter: LATE, ...dates };
    await add('InviteTickets', [
      { ...invite, inviteId: `to ${tenantId}`, invitedTenantId: tenantId },
      { ...invite, inviteId: `to ${ledgerId}`, invitedLedgerId: ledgerId },
    ]);
    const ended = { tenantId, who: 'x', staleInvites: '[]', endedAt: EARLY };
    await add('EndedAccess', [
      { ...ended, ledgerId: '' },
      { ...ended, ledgerId },
    ]);
  }
  const token = (tokenId: string, userId: string, tenantId: string | null, expiresAt = LATE) => ({
    ...{ tokenId, hash: `hash of ${tokenId}`, userId, tenantId, name: tokenId, right: 'read' },
    ...{ createdAt: EARLY, expiresAt, lastUsedAt: null },
  });
  await add('ApiTokens', [
    token('ada in a', 'ada', 'a'),
    token('ada in b', 'ada', 'b'),
    token('bob in a', 'bob', 'a'),
    token('device of ada', 'ada', null),
    token('device of bob', 'bob', null),
    token('old in a', 'ada', 'a', EARLY),
    token('old device', 'ada', null, EARLY),
  ]);
  const bound = (appId: string, env: string, ledgerId: string, tenantId: string) => ({
    ...{ appId, env, ledgerId, tenantId, createdAt: EARLY },
  });
  await add('AppBindings', [
    bound('app', 'prod', 'a1', 'a'),
    bound('app', 'dev', 'a1', 'a'),
    bound('app', 'prod', 'b1', 'b'),
    bound('other', 'prod', 'a1', 'a'),
  ]);
  const audit = (tenantId: string, seq: number, createdAt = EARLY) => ({
    ...{ tenantId, seq, createdAt, userId: 'ada', action: 'x', ledgerId: null, detail: '{}', origin: null },
  });
  await add('AuditRecords', [
    audit('a', 1),
    audit('a', 2, AT),
    audit('b', 1),
    audit('b', 2),
    audit('b', 3),
    audit('gone', 1),
    audit('gone', 2, AT),
  ]);
  const organization = (provider: string, organizationId: string, tenantId: string) => ({
    ...{ provider, organizationId, tenantId, createdAt: EARLY },
  });
  await add('OrganizationTenants', [
    organization('clerk', 'o1', 'a'),
    organization('clerk', 'o2', 'b'),
    organization('oidc', 'o1', 'off'),
  ]);
  return db;
}

/** Returns each row as JSON, by its table and the columns that identify it. */
async function rowsOf(db: Db): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const [table, columns] of Object.entries(NAMES)) {
    const rows = await db
      .selectFrom(table as 'Users')
      .selectAll()
      .execute();
    for (const row of rows as unknown as Rows)
      found.set([table, ...columns.map((column) => row[column])].join(' '), JSON.stringify(row));
  }
  return found;
}

/** Returns the rows that the work changed, added or removed. */
async function touchedBy(work: (db: Db) => Promise<unknown>): Promise<string[]> {
  const db = await openTenants();
  const before = await rowsOf(db);
  await work(db);
  const after = await rowsOf(db);
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].filter((name) => before.get(name) !== after.get(name)).sort();
}

const OF_A1 = [
  'AppBindings app dev a1',
  'AppBindings app prod a1',
  'AppBindings other prod a1',
  'EndedAccess a a1',
  'InviteTickets to a1',
  'LedgerKeys a1',
  'LedgerUsers a1 bob',
  'LedgerUsers a1 eve',
  'Ledgers a1',
];

describe('[S2] changing one tenant, user or token', () => {
  test.each<[string, (db: Db) => Promise<unknown>, readonly string[]]>([
    ['lockTenant', (db) => lockTenant(db, 'a', AT), ['Tenants a']],
    ['lockTenant of an inactive tenant', (db) => lockTenant(db, 'off', AT), []],
    ['setOwner', (db) => setOwner(db, 'a', 'bob', AT), ['Tenants a']],
    [
      'removeTenant',
      (db) => removeTenant(db, 'a', AT),
      [
        ...OF_A1,
        'ApiTokens ada in a',
        'ApiTokens bob in a',
        'ApiTokens old in a',
        'EndedAccess a ',
        'InviteTickets to a',
        'Ledgers a2',
        'OrganizationTenants clerk o1',
        'TenantUsers a ada',
        'TenantUsers a bob',
        'TenantUsers a eve',
        'TenantUsers a max',
        'Tenants a',
      ].sort(),
    ],
    ['removeLedgers', (db) => removeLedgers(db, [{ tenantId: 'a', ledgerId: 'a1' }], AT), OF_A1],
    [
      'renameLedger',
      (db) => renameLedger(db, { tenantId: 'a', ledgerId: 'a1', name: 'new' }, AT),
      ['Ledgers a1'],
    ],
    [
      'renameLedger of another tenant',
      (db) => renameLedger(db, { tenantId: 'b', ledgerId: 'a1', name: 'new' }, AT),
      [],
    ],
    ['updateMember', (db) => updateMember(db, 'a', 'bob', { role: 'admin' }, AT), ['TenantUsers a bob']],
    [
      'removeMember',
      (db) => removeMember(db, 'a', 'bob', AT),
      ['ApiTokens bob in a', 'LedgerUsers a1 bob', 'TenantUsers a bob'],
    ],
    ['clearDefaults', (db) => clearDefaults(db, 'bob'), ['TenantUsers a bob', 'TenantUsers b bob']],
    ['touchApiToken', (db) => touchApiToken(db, 'ada in a', AT), ['ApiTokens ada in a']],
    ['removeApiToken', (db) => removeApiToken(db, 'ada in a'), ['ApiTokens ada in a']],
    [
      'removeApiTokensOf a tenant',
      (db) => removeApiTokensOf(db, 'a'),
      ['ApiTokens ada in a', 'ApiTokens bob in a', 'ApiTokens old in a'],
    ],
    ['removeApiTokensOf a member', (db) => removeApiTokensOf(db, 'a', 'bob'), ['ApiTokens bob in a']],
    [
      'removeOverdueApiTokens',
      (db) => removeOverdueApiTokens(db, AT),
      ['ApiTokens old device', 'ApiTokens old in a'],
    ],
    ['removeDeviceTokens', (db) => removeDeviceTokens(db, 'bob'), ['ApiTokens device of bob']],
    [
      'removeAllApiTokens',
      (db) => removeAllApiTokens(db, 'bob'),
      ['ApiTokens bob in a', 'ApiTokens device of bob'],
    ],
    [
      'insertAudit, which numbers records per tenant',
      (db) =>
        insertAudit(db, {
          ...{ tenantId: 'a', createdAt: AT, userId: 'ada', action: 'x' },
          ...{ ledgerId: null, detail: '{}', origin: null },
        }),
      ['AuditRecords a 3'],
    ],
    [
      'removeAuditBefore, which keeps the newest record of an existing tenant',
      (db) => removeAuditBefore(db, AT),
      ['AuditRecords a 1', 'AuditRecords b 1', 'AuditRecords b 2', 'AuditRecords gone 1'],
    ],
  ])('changes no other rows: %s', async (_, work, touched) => {
    expect(await touchedBy(work)).toEqual(touched);
  });
});

describe('[S2] reading one tenant, user or token', () => {
  const idsOf = <K extends string>(rows: readonly Readonly<Record<K, unknown>>[], key: K) =>
    rows.map((row) => row[key]).sort();

  test('returns only tenants and members of the given user or tenant', async () => {
    const db = await openTenants();
    expect([await countTenantsOwnedBy(db, 'ada'), await countTenantsOwnedBy(db, 'bob')]).toEqual([2, 1]);
    expect([(await getTenant(db, 'b'))?.tenantId, await getTenant(db, 'off')]).toEqual(['b', undefined]);
    const roles = await Promise.all(
      [
        ['a', 'bob'],
        ['b', 'bob'],
        ['b', 'eve'],
      ].map(async ([tenant = '', user = '']) => (await getMember(db, tenant, user))?.role),
    );
    expect(roles).toEqual(['member', 'admin', undefined]);
    const counts = (tenant: string) =>
      Promise.all([
        countMembers(db, tenant, 'admin'),
        countMembers(db, tenant, 'member'),
        countActingAdmins(db, tenant),
      ]);
    expect([await counts('a'), await counts('b')]).toEqual([
      [2, 1, 1],
      [1, 1, 1],
    ]);
    expect(idsOf(await listMembers(db, 'a'), 'userId')).toEqual(['ada', 'bob', 'max']);
    expect(idsOf(await listMembers(db, 'b'), 'userId')).toEqual(['ada', 'bob']);
    expect(idsOf(await listMemberships(db, 'ada'), 'tenantId')).toEqual(['a', 'b']);
    expect(idsOf(await listMemberships(db, 'eve'), 'tenantId')).toEqual(['a']);
  });

  test('returns only ledgers of the given tenant or user', async () => {
    const db = await openTenants();
    expect([await countLedgers(db, 'a'), await countLedgers(db, 'b')]).toEqual([2, 1]);
    expect(idsOf(await listLedgerNames(db, 'a'), 'ledgerId')).toEqual(['a1', 'a2']);
    const got = await Promise.all(['a1', 'b1', 'a2'].map((id) => getLedger(db, id)));
    expect(got.map((one) => one?.ledgerId)).toEqual(['a1', 'b1', undefined]);
    expect(idsOf(await listLedgersOf(db, 'ada'), 'ledgerId')).toEqual(['a1', 'b1']);
    expect(idsOf(await listLedgersOf(db, 'eve'), 'ledgerId')).toEqual(['a1']);
    expect(await listBoundLedgers(db, 'app', 'prod')).toEqual(['a1', 'b1']);
    expect(await listBoundLedgers(db, 'app', 'dev')).toEqual(['a1']);
    const bindings = [countAppBindings(db, 'app', 'a'), countAppBindings(db, 'app', 'b')];
    expect(await Promise.all([...bindings, countAppBindings(db, 'other', 'a')])).toEqual([2, 1, 1]);
  });

  test('returns only tokens, records and organisations of the given tenant or user', async () => {
    const db = await openTenants();
    expect((await getApiToken(db, 'bob in a'))?.tokenId).toBe('bob in a');
    expect((await getApiTokenByHash(db, 'hash of bob in a', AT))?.tokenId).toBe('bob in a');
    expect(await getApiTokenByHash(db, 'hash of old in a', AT)).toBeUndefined();
    const listed = async (of: Parameters<typeof listApiTokens>[1]) =>
      idsOf(await listApiTokens(db, of, AT), 'tokenId');
    expect(await listed({ tenantId: 'a' })).toEqual(['ada in a', 'bob in a']);
    expect(await listed({ userId: 'ada' })).toEqual(['device of ada']);
    const records = async (tenant: string, before?: number) =>
      (await listAuditOf(db, tenant, { before, limit: 9 })).map(({ tenantId, seq }) => [
        tenantId,
        Number(seq),
      ]);
    expect(await records('a')).toEqual([
      ['a', 2],
      ['a', 1],
    ]);
    expect(await records('b', 2)).toEqual([['b', 1]]);
    const tenants = [
      getOrganizationTenant(db, 'clerk', 'o1'),
      getOrganizationTenant(db, 'clerk', 'o2'),
      getOrganizationTenant(db, 'oidc', 'o1'),
      getOrganizationTenant(db, 'oidc', 'o2'),
    ];
    expect(await Promise.all(tenants)).toEqual(['a', 'b', 'off', undefined]);
  });
});
