import { REQUESTS, type RequestType } from '@fixpoint/protocol/admin';
import { describe, expect, test } from 'vitest';
import { bringIn, makeLedger, makeTenant, openAdmin } from './admin.fixture.ts';

describe('the audit log', () => {
  test('lists who changed a tenant, how, when and from which address, newest first', async () => {
    const { admin, signUp } = await openAdmin();
    const ada = await signUp('ada');
    const bob = await signUp('bob');
    const tenantId = await makeTenant(ada);
    const ledgerId = await makeLedger(ada, tenantId);
    const ledger = { tenantId, ledgerId };
    await bringIn(ada, tenantId, bob);
    const auth = { type: 'fake', token: JSON.stringify(ada.person) };
    await admin({ type: 'reqUpdateTenant', auth, tenant: { tenantId, name: 'New' } }, '192.0.2.7');
    await ada.ask('reqUpdateUserTenant', { tenantId, userId: bob.userId, name: 'Bob' });
    await ada.ask('reqShareLedger', { ledger, userId: bob.userId });
    await ada.ask('reqUnshareLedger', { ledger, userId: bob.userId });
    await ada.ask('reqUpdateLedger', { ledger: { ...ledger, name: 'renamed' } });
    await ada.ask('reqListShares', { ledger });
    await ada.ask('reqDeleteLedger', { ledger });
    await bob.ask('reqRemoveMember', { tenantId });
    const { records } = await ada.ask('reqListAudit', { tenantId });
    expect(records.map(({ action, userId }) => [action, userId === ada.userId ? 'ada' : 'bob'])).toEqual([
      ['reqRemoveMember', 'bob'],
      ['reqDeleteLedger', 'ada'],
      ['reqUpdateLedger', 'ada'],
      ['reqUnshareLedger', 'ada'],
      ['reqShareLedger', 'ada'],
      ['reqUpdateUserTenant', 'ada'],
      ['reqUpdateTenant', 'ada'],
      ['reqRedeemInvite', 'bob'],
      ['reqInviteUser', 'ada'],
      ['reqCreateLedger', 'ada'],
      ['reqCreateTenant', 'ada'],
    ]);
    expect(records[6]).toEqual({
      tenantId,
      seq: 5,
      userId: ada.userId,
      action: 'reqUpdateTenant',
      at: expect.stringMatching(/^2026-11-20T12:00:00/),
      detail: JSON.stringify({ tenant: { tenantId, name: 'New' } }),
      from: '192.0.2.7',
    });
    expect(records[1]).toMatchObject({ ledgerId });
  });

  test("records the rejection of an invite to a ledger in the log of the ledger's tenant", async () => {
    const { signUp } = await openAdmin();
    const [ada, bob] = [await signUp('ada'), await signUp('bob')];
    const tenantId = await makeTenant(ada);
    const invitedParams = { ledger: { id: await makeLedger(ada, tenantId) } };
    const { invite } = await ada.ask('reqInviteUser', {
      ticket: { query: { existingUserId: bob.userId }, invitedParams },
    });
    await bob.ask('reqRejectInvite', { inviteId: invite.inviteId });
    const [last] = (await ada.ask('reqListAudit', { tenantId })).records;
    expect(last).toMatchObject({ action: 'reqRejectInvite', userId: bob.userId });
  });

  test('records every request about a tenant or ledger, except requests that only read', () => {
    const types = Object.keys(REQUESTS) as RequestType[];
    const withRight = types.filter((type) => REQUESTS[type].requires.includes(':'));
    const unrecorded = withRight.filter(
      (type) => REQUESTS[type].requires !== 'user:active' && REQUESTS[type].audited === false,
    );
    expect(unrecorded.sort()).toEqual([
      'reqCreateUserToken',
      'reqListApplicationUsers',
      'reqListApplications',
      'reqListAudit',
      'reqListShares',
      'reqListUsage',
    ]);
  });

  test('excludes actions that were rejected or that failed halfway', async () => {
    const { db, signUp } = await openAdmin();
    const ada = await signUp('ada');
    const tenantId = await makeTenant(ada);
    await makeLedger(ada, tenantId, 'taken');
    const count = async () => (await db.selectFrom('AuditRecords').selectAll().execute()).length;
    const before = await count();
    await ada.refused('reqCreateLedger', { ledger: { tenantId, name: 'taken' } });
    await ada.refused('reqDeleteTenant', { tenantId: 'zNone' });
    expect(await count()).toBe(before);
  });

  test('returns pages without gaps or repetition', async () => {
    const { signUp } = await openAdmin();
    const ada = await signUp('ada');
    const tenantId = await makeTenant(ada);
    for (let i = 0; i < 6; i += 1) await ada.ask('reqUpdateTenant', { tenant: { tenantId, name: `n${i}` } });
    const seen: number[] = [];
    let before: number | undefined;
    do {
      const page = await ada.ask('reqListAudit', { tenantId, limit: 3, ...(before && { before }) });
      seen.push(...page.records.map(({ seq }) => seq));
      before = page.next;
    } while (before !== undefined);
    expect(seen).toEqual([7, 6, 5, 4, 3, 2, 1]);
  });

  test('[S15] never contains a token or a secret id', async () => {
    const { admin, db, signUp } = await openAdmin();
    const ada = await signUp('ada');
    const tenantId = await makeTenant(ada);
    const auth = { type: 'fake', token: JSON.stringify({ ...ada.person, secret: 'canary-token' }) };
    await admin({ type: 'reqUpdateTenant', auth, tenant: { tenantId, name: 'x', extra: 'canary-field' } });
    await admin({ type: 'reqCloudSessionToken', auth, resultId: 'canary-result-id-of-22-characters' });
    const text = JSON.stringify(await db.selectFrom('AuditRecords').selectAll().execute());
    expect(text).toContain('reqUpdateTenant');
    expect(text).not.toContain('canary');
  });

  test('keeps records of a deleted tenant, which only the operator can read', async () => {
    const { db, signUp } = await openAdmin();
    const ada = await signUp('ada');
    const tenantId = await makeTenant(ada);
    await ada.ask('reqDeleteTenant', { tenantId });
    const [last] = await db.selectFrom('AuditRecords').selectAll().orderBy('seq', 'desc').execute();
    expect(last).toMatchObject({ action: 'reqDeleteTenant', tenantId });
    expect(await ada.refused('reqListAudit', { tenantId })).toMatchObject({ status: 404 });
  });
});
