import type { RequestType } from '@fixpoint/protocol/admin';
import { REQUESTS } from '@fixpoint/protocol/admin';
import { describe, expect, test } from 'vitest';
import { requireOperator } from '../rights/authorize.ts';
import { timestamp } from '../tables/new-row.ts';
import { insertFailedMail } from '../tables/operators/failed-mails.ts';
import { putGateway } from '../tables/operators/gateway-rows.ts';
import { countNewObject, usageOf } from '../tables/operators/object-sizes.ts';
import { addOperator } from '../tables/operators/operator-rows.ts';
import { createTraffic } from '../tables/operators/traffic.ts';
import { newOperatorLink } from '../tokens/operator-link.ts';
import { bringIn, makeLedger, makeTenant, openAdmin } from './admin.fixture.ts';

const CONSOLE = 'https://console.example/fp/cloud';

async function opened(signUp: 'open' | 'waitlist' = 'open') {
  const parts = await openAdmin(signUp);
  const { db, clock } = parts;
  const linkSecret = async () => {
    const link = (await newOperatorLink(db, CONSOLE, clock.ms)) ?? '';
    return new URL(link).hash.slice(1);
  };
  return { ...parts, linkSecret };
}

/** A server whose operator is olga. */
async function operated() {
  const parts = await opened();
  const olga = await parts.signUp('olga');
  await addOperator(parts.db, olga.userId, 'now');
  return { ...parts, olga };
}

describe('the one-time link', () => {
  test('makes one signed-in user the first operator, once, and is stored only as a hash', async () => {
    const { db, signUp, linkSecret, refusals } = await opened();
    const [ada, eve] = [await signUp('ada'), await signUp('eve')];
    const secret = await linkSecret();
    expect(secret).toHaveLength(43);
    expect(await eve.refused('reqClaimOperator', { secret: `${secret}x` })).toMatchObject({ status: 404 });
    expect(await ada.ask('reqClaimOperator', { secret })).toMatchObject({ operator: true });
    expect((await ada.ask('reqEnsureUser', {})).user.operator).toBe(true);
    expect(await eve.refused('reqClaimOperator', { secret })).toMatchObject({
      code: 'NOT_FOUND',
      message: expect.stringContaining('this link has ended'),
    });
    expect((await eve.ask('reqEnsureUser', {})).user).not.toHaveProperty('operator');
    expect(await newOperatorLink(db, CONSOLE, 0)).toBeUndefined();
    const { records } = await ada.ask('reqListServerAudit', {});
    expect(records[0]).toMatchObject({ action: 'reqClaimOperator', email: 'ada@example.com', detail: '{}' });
    const links = await db.selectFrom('OperatorLinks').selectAll().execute();
    expect(JSON.stringify([records, refusals, links])).not.toContain(secret);
  });

  test('ends after a day, and is rejected from API tokens and banned users', async () => {
    const { admin, db, signUp, linkSecret, clock } = await opened();
    const ada = await signUp('ada');
    const secret = await linkSecret();
    const tenantId = await makeTenant(ada);
    const { token } = await ada.ask('reqCreateApiToken', { tenantId, name: 'all', right: 'admin' });
    const auth = { type: 'api-token', token };
    expect((await admin({ type: 'reqClaimOperator', auth, secret })).status).toBe(403);
    clock.ms += 24 * 3_600_000 + 1;
    expect(await ada.refused('reqClaimOperator', { secret })).toMatchObject({ status: 404 });

    const next = await linkSecret();
    await db.updateTable('Users').set({ status: 'banned' }).execute();
    expect(await ada.refused('reqClaimOperator', { secret: next })).toMatchObject({ status: 401 });
  });

  test('admits a user who is on the waitlist', async () => {
    const { signUp, linkSecret } = await opened('waitlist');
    const wim = await signUp('wim');
    const secret = await linkSecret();
    expect(await wim.refused('reqClaimOperator', { secret: `${secret}x` })).toMatchObject({ status: 404 });
    expect((await wim.ask('reqEnsureUser', {})).user.status).toBe('inactive');
    await wim.ask('reqClaimOperator', { secret });
    expect((await wim.ask('reqEnsureUser', {})).user).toMatchObject({ status: 'active', operator: true });
  });
});

describe('[S2] requests of operators', () => {
  const types = (Object.keys(REQUESTS) as RequestType[]).filter(
    (type) => REQUESTS[type].requires === 'operator',
  );

  test('rejects API tokens, banned operators and former operators', async () => {
    const { admin, db, olga } = await operated();
    const tenantId = await makeTenant(olga);
    const { token } = await olga.ask('reqCreateApiToken', { tenantId, name: 'all', right: 'admin' });
    expect(types.length).toBeGreaterThan(9);
    const payload = { tenantId, userId: 'z', userIds: ['z'], action: 'ban', maxTenants: 1 };
    const statusesOf = async (auth: object) => [
      ...new Set(
        await Promise.all(types.map(async (type) => (await admin({ type, auth, ...payload })).status)),
      ),
    ];
    const auth = { type: 'fake', token: JSON.stringify(olga.person) };
    expect(await statusesOf({ type: 'api-token', token })).toEqual([403]);
    await db.updateTable('Users').set({ status: 'banned' }).execute();
    expect(await statusesOf(auth)).toEqual([401]);
    await db.updateTable('Users').set({ status: 'active' }).execute();
    await db.deleteFrom('Operators').execute();
    expect(await statusesOf(auth)).toEqual([403]);
  });

  test('rejects every token a second time, where the right of operators is checked', async () => {
    const { db, olga } = await operated();
    const principal = { userId: olga.userId, scope: undefined };
    await requireOperator(db, principal);
    const scope = { tokenId: 'z', tenantId: undefined, right: 'admin' } as const;
    await expect(requireOperator(db, { ...principal, scope })).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });

  test('lists all tenants with storage, traffic and limits, page by page', async () => {
    const { db, signUp, olga, clock } = await operated();
    const ada = await signUp('ada');
    const [first, second] = [await makeTenant(ada, 'First 100%'), await makeTenant(ada, 'Second')];
    const ledger = await makeLedger(ada, first);
    await bringIn(ada, first, await signUp('bob'));
    const object = { tenant: first, ledger, name: 'car/a' };
    await countNewObject(db, object, 4_000_000_000, async () => 4_000_000_000);
    const traffic = createTraffic(db, () => clock.ms);
    traffic.add(first, 'up', 70);
    await traffic.flush();
    await olga.ask('reqSetTenantLimits', { tenantId: first, maxLedgers: 9, maxBytes: 5_000_000_000 });

    const page = await olga.ask('reqListServerTenants', { limit: 1 });
    expect(page).toMatchObject({ tenants: [{ tenantId: second, bytes: 0, traffic: [] }], next: second });
    const { tenants, next } = await olga.ask('reqListServerTenants', { limit: 1, after: page.next });
    expect(next).toBeUndefined();
    expect(tenants).toMatchObject([
      {
        ...{ tenantId: first, name: 'First 100%', ownerEmail: 'ada@example.com', status: 'active' },
        ...{ admins: 1, members: 1, ledgers: 1, maxLedgers: 9, maxAdminUsers: 5 },
        ...{ bytes: 4_000_000_000, maxBytes: 5_000_000_000 },
        traffic: [{ day: '2026-11-20', uploaded: 70, downloaded: 0 }],
      },
    ]);
    const found = async (search: string) =>
      (await olga.ask('reqListServerTenants', { search })).tenants.map(({ tenantId }) => tenantId);
    expect(await found('FIRST')).toEqual([first]);
    expect([await found('%'), await found('_')]).toEqual([[first], []]);
    expect(await found('ADA@ex')).toEqual([second, first]);
    expect(await found(second)).toEqual([second]);
    expect((await olga.ask('reqListServerTenants', { after: 'zNone' })).tenants).toEqual([]);
  });

  test('sets limits and quotas, which admins of the tenant see in their audit log', async () => {
    const { db, signUp, olga } = await operated();
    const ada = await signUp('ada');
    const tenantId = await makeTenant(ada);
    await olga.ask('reqSetTenantLimits', { tenantId, maxLedgers: 0, maxBytes: 0 });
    expect(await ada.refused('reqCreateLedger', { ledger: { tenantId, name: 'notes' } })).toMatchObject({
      code: 'LIMIT_REACHED',
    });
    expect(await usageOf(db, tenantId)).toEqual({ bytes: 0, maxBytes: 0 });
    await olga.ask('reqSetTenantLimits', { tenantId, maxInvites: 3 });
    expect((await usageOf(db, tenantId)).maxBytes).toBe(0);
    await olga.ask('reqSetTenantLimits', { tenantId, maxBytes: null });
    expect((await usageOf(db, tenantId)).maxBytes).toBeUndefined();
    const { records } = await ada.ask('reqListAudit', { tenantId });
    expect(records[2]).toMatchObject({ action: 'reqSetTenantLimits', userId: olga.userId });
    expect(JSON.parse(records[2]?.detail ?? '')).toEqual({ tenantId, maxLedgers: 0, maxBytes: 0 });
    expect(await olga.refused('reqSetTenantLimits', { tenantId: 'zNone', maxBytes: 1 })).toMatchObject({
      status: 404,
    });
    expect((await usageOf(db, 'zNone')).maxBytes).toBeUndefined();
  });

  test('sets how many shares the present and later databases of a tenant may have', async () => {
    const { signUp, olga } = await operated();
    const [ada, bob, eve] = [await signUp('ada'), await signUp('bob'), await signUp('eve')];
    const [tenantId, others] = [await makeTenant(ada), await makeTenant(eve)];
    const limitsOf = async (person: typeof ada) =>
      (await person.ask('reqListLedgersByUser', {})).ledgers.map(({ maxShares }) => maxShares);
    const ledgerId = await makeLedger(ada, tenantId);
    await makeLedger(eve, others);
    await bringIn(ada, tenantId, bob);
    await olga.ask('reqSetTenantLimits', { tenantId, maxShares: 0 });
    const ledger = { tenantId, ledgerId };
    expect(await ada.refused('reqShareLedger', { ledger, userId: bob.userId })).toMatchObject({
      code: 'LIMIT_REACHED',
    });
    await olga.ask('reqSetTenantLimits', { tenantId, maxShares: 20 });
    await ada.ask('reqShareLedger', { ledger, userId: bob.userId });
    await makeLedger(ada, tenantId, 'later');
    expect([await limitsOf(ada), await limitsOf(eve)]).toEqual([[20, 20], [5]]);
    const { tenants } = await olga.ask('reqListServerTenants', {});
    const shown = tenants.map(({ tenantId, maxShares }) => [tenantId, maxShares]);
    expect(new Map(shown as [string, number][])).toEqual(
      new Map([
        [tenantId, 20],
        [others, 5],
      ]),
    );
  });

  test('lists people, bans them, lets them return, and sets their limit of tenants', async () => {
    const { signUp, olga } = await operated();
    const ada = await signUp('ada');
    const list = async (asked: object) =>
      (await olga.ask('reqListServerUsers', asked)).users.map(({ userId, status }) => [userId, status]);
    expect(await list({})).toEqual([
      [ada.userId, 'active'],
      [olga.userId, 'active'],
    ]);
    expect(await list({ limit: 1, after: ada.userId })).toEqual([[olga.userId, 'active']]);
    await olga.ask('reqChangeUser', { userId: ada.userId, action: 'ban' });
    expect(await ada.refused('reqListTenantsByUser', {})).toMatchObject({ status: 401 });
    expect(await list({ status: 'banned' })).toEqual([[ada.userId, 'banned']]);
    await olga.ask('reqChangeUser', { userId: ada.userId, action: 'unban' });
    await olga.ask('reqSetUserLimits', { userId: ada.userId, maxTenants: 0 });
    expect(await ada.refused('reqCreateTenant', { tenant: { name: 'No' } })).toMatchObject({ status: 409 });
    expect((await olga.ask('reqListServerUsers', { search: 'OLGA@' })).users).toMatchObject([
      { userId: olga.userId, operator: true, ownedTenants: 0, email: 'olga@example.com', provider: 'fake' },
    ]);
    for (const [action, code] of [
      ['ban', 'CONFLICT'],
      ['remove', 'REQUEST_INVALID'],
      ['reset-factors', 'REQUEST_INVALID'],
    ] as const)
      expect(await olga.refused('reqChangeUser', { userId: olga.userId, action })).toMatchObject({ code });
    expect(await olga.refused('reqChangeUser', { userId: 'zNone', action: 'ban' })).toMatchObject({
      status: 404,
    });
    expect(await olga.refused('reqSetUserLimits', { userId: 'zNone', maxTenants: 1 })).toMatchObject({
      status: 404,
    });
    const { records } = await olga.ask('reqListServerAudit', { limit: 3 });
    expect(records.map(({ action, tenantId }) => [action, tenantId])).toEqual([
      ['reqSetUserLimits', 'server'],
      ['reqChangeUser', 'server'],
      ['reqChangeUser', 'server'],
    ]);
  });

  test('approves people on the waitlist, all or none, and mails them', async () => {
    const { db, signUp, mails, background } = await opened('waitlist');
    const [olga, ada, bob] = [await signUp('olga'), await signUp('ada'), await signUp('bob')];
    await addOperator(db, olga.userId, 'now');
    await db.updateTable('Users').set({ status: 'active' }).where('userId', '=', olga.userId).execute();
    const waiting = async () =>
      (await olga.ask('reqListServerUsers', { status: 'waiting' })).users.map(({ userId }) => userId);
    expect(await waiting()).toEqual([bob.userId, ada.userId]);
    expect(await olga.ask('reqDescribeServer', {})).toMatchObject({
      signUp: 'waitlist',
      people: 3,
      waiting: 2,
    });
    const refused = { userIds: [ada.userId, olga.userId] };
    expect(await olga.refused('reqApproveWaiting', refused)).toMatchObject({ status: 404 });
    expect(await waiting()).toHaveLength(2);
    await olga.ask('reqApproveWaiting', { userIds: [ada.userId, ada.userId] });
    await background.settled();
    expect(mails.map(({ to }) => to)).toEqual(['ada@example.com']);
    expect(await waiting()).toEqual([bob.userId]);
    expect((await ada.ask('reqListTenantsByUser', {})).tenants).toEqual([]);
  });

  test('shows gateways, failed mails, backups and figures of the server', async () => {
    const { db, clock, olga } = await operated();
    const at = timestamp(clock.ms);
    const row = { url: 'http://host', version: '1', sockets: 2, startedAt: at, seenAt: at };
    await putGateway(db, { gatewayId: 'a', ...row });
    const failed = { receiver: 'a@example.com', subject: 'Hello', reason: 'x'.repeat(500), failedAt: at };
    await insertFailedMail(db, failed);
    expect((await olga.ask('reqListGateways', {})).gateways).toEqual([{ gatewayId: 'a', ...row }]);
    const { mails } = await olga.ask('reqListFailedMails', {});
    expect(mails).toMatchObject([{ receiver: 'a@example.com', reason: 'x'.repeat(300) }]);
    expect(await olga.ask('reqListBackups', {})).toEqual({ type: 'resListBackups', backups: [] });
    expect(await olga.ask('reqDescribeServer', {})).toMatchObject({
      ...{ signUp: 'open', tenants: 0, people: 1, waiting: 0, ledgers: 0, bytes: 0 },
      ...{ gateways: 1, failedMails: 1 },
    });
  });

  test('lists the audit records of all tenants without gaps or repetition', async () => {
    const { signUp, olga } = await operated();
    const ada = await signUp('ada');
    const [a, b] = [await makeTenant(ada, 'A'), await makeTenant(ada, 'B')];
    for (const tenantId of [a, b, a]) await ada.ask('reqUpdateTenant', { tenant: { tenantId, name: 'n' } });
    await olga.ask('reqSetUserLimits', { userId: ada.userId, maxTenants: 9 });
    const seen: string[] = [];
    for (let before: string | undefined; ; ) {
      const page = await olga.ask('reqListServerAudit', { limit: 2, ...(before && { before }) });
      seen.push(...page.records.map(({ tenantId, seq }) => `${tenantId} ${seq}`));
      before = page.next;
      if (before === undefined) break;
    }
    expect(seen).toEqual(['server 1', `${a} 3`, `${b} 2`, `${a} 2`, `${b} 1`, `${a} 1`]);
  });
});
