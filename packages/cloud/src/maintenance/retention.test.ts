import { describe, expect, test } from 'vitest';
import { makeLedger, makeTenant, openAdmin } from '../admin/admin.fixture.ts';
import { openApplication } from '../admin/applications.fixture.ts';
import { createRetention } from './retention.ts';

const DAY_MS = 86_400_000;

async function openWithRecords() {
  const parts = await openAdmin();
  const ada = await parts.signUp('ada');
  const tenantId = await makeTenant(ada);
  await makeLedger(ada, tenantId, 'old');
  const recordsOf = async () => (await ada.ask('reqListAudit', { tenantId })).records.map(({ seq }) => seq);
  const retentionOf = (auditDays: number) =>
    createRetention({
      db: parts.db,
      auditDays,
      now: () => parts.clock.ms,
      report: (cause) => void parts.faults.push(cause),
    });
  return { ...parts, ada, tenantId, recordsOf, retentionOf };
}

describe('AUDIT_DAYS', () => {
  test('removes older records, and never reuses their numbers', async () => {
    const { ada, tenantId, clock, recordsOf, retentionOf, faults } = await openWithRecords();
    const retention = retentionOf(30);
    await retention.sweep();
    expect(await recordsOf()).toEqual([2, 1]);
    clock.ms += 31 * DAY_MS;
    await makeLedger(ada, tenantId, 'new');
    await retention.sweep();
    expect(await recordsOf()).toEqual([3]);
    clock.ms += 31 * DAY_MS;
    await retention.sweep();
    await makeLedger(ada, tenantId, 'newest');
    expect(await recordsOf()).toEqual([4, 3]);
    await retention.stop();
    expect(faults).toEqual([]);
  });

  test('removes old records of a deleted tenant, or keeps them forever with AUDIT_DAYS=0', async () => {
    const { ada, tenantId, clock, db, retentionOf } = await openWithRecords();
    await ada.ask('reqDeleteTenant', { tenantId });
    clock.ms += 400 * DAY_MS;
    const count = async () => (await db.selectFrom('AuditRecords').selectAll().execute()).length;
    const forever = retentionOf(0);
    await forever.sweep();
    await forever.stop();
    expect(await count()).toBe(3);
    const year = retentionOf(365);
    await year.sweep();
    await year.stop();
    expect(await count()).toBe(0);
  });
});

test('removes expired sessions and codes of applications', async () => {
  const { ada, db, clock, faults, signIn, codeOf, refresh } = await openApplication();
  const retention = createRetention({
    db,
    auditDays: 0,
    now: () => clock.ms,
    report: (cause) => void faults.push(cause),
  });
  const old = await signIn(ada);
  clock.ms += 6 * DAY_MS;
  const { refreshToken } = await signIn(ada);
  await codeOf(ada);
  const count = async () => {
    await retention.sweep();
    const codes = await db.selectFrom('ApplicationCodes').select('hash').execute();
    const sessions = await db.selectFrom('ApplicationSessions').select('sessionId').execute();
    return [codes.length, sessions.length];
  };
  expect(await count()).toEqual([2, 2]);
  clock.ms += 2 * DAY_MS;
  expect(await count()).toEqual([0, 1]);
  expect(await refresh(old.refreshToken)).toMatchObject({ status: 'ended' });
  expect(await refresh(refreshToken)).toMatchObject({ status: 'open' });
  await retention.stop();
  expect(faults).toEqual([]);
});
