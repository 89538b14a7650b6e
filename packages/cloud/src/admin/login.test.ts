import { describe, expect, test } from 'vitest';
import { makeTenant, openAdmin } from './admin.fixture.ts';

async function openLogin() {
  const parts = await openAdmin();
  const ada = await parts.signUp('ada');
  const from = '192.0.2.9';
  const start = async () => {
    const { body } = await parts.admin({ type: 'reqStartLogin', client: 'fixpoint cli on laptop' }, from);
    return body as Record<'deviceCode' | 'userCode' | 'verificationUrl', string> & { expiresInSec: number };
  };
  const poll = async (deviceCode: string) =>
    (await parts.admin({ type: 'reqPollLogin', deviceCode }, from)).body as {
      status: string;
      token?: string;
    };
  return { ...parts, ada, start, poll };
}

describe('signing in a program', () => {
  test('shows a code that a user approves elsewhere, then fetches a token that acts as that user', async () => {
    const { admin, ada, start, poll } = await openLogin();
    const tenantId = await makeTenant(ada);
    const { deviceCode, userCode, verificationUrl } = await start();
    const beside = await start();
    expect(userCode).toMatch(/^[A-Z]{4}-[A-Z]{4}$/);
    // The device code has 256 bits.
    expect(deviceCode).toMatch(/[\w-]{43}$/);
    expect(new Set([deviceCode, userCode, beside.deviceCode, beside.userCode]).size).toBe(4);
    expect(verificationUrl).toBe(`https://console.example/fp/cloud/device?code=${userCode}`);
    expect(await poll(deviceCode)).toMatchObject({ status: 'pending' });
    expect(await ada.ask('reqDescribeLogin', { userCode })).toMatchObject({
      client: 'fixpoint cli on laptop',
      from: '192.0.2.9',
    });
    const typed = ` ${userCode.toLowerCase().replace('-', ' ')}`;
    expect(await ada.ask('reqDecideLogin', { userCode: typed, approve: true })).toMatchObject({
      status: 'approved',
    });
    // The other request stays pending.
    expect(await poll(beside.deviceCode)).toMatchObject({ status: 'pending' });
    const { status, token = '' } = await poll(deviceCode);
    expect(status).toBe('approved');
    const auth = { type: 'api-token', token };
    expect((await admin({ type: 'reqListTenantsByUser', auth })).body).toMatchObject({
      userId: ada.userId,
      tenants: [{ tenantId }],
    });
    expect((await admin({ type: 'reqCreateTenant', auth, tenant: { name: 'More' } })).status).toBe(200);
    const [device] = (await ada.ask('reqListApiTokens', {})).apiTokens;
    expect(device).toMatchObject({ name: 'fixpoint cli on laptop', right: 'admin' });
    await ada.ask('reqRevokeApiToken', { tokenId: device?.tokenId ?? '' });
    expect((await admin({ type: 'reqListTenantsByUser', auth })).status).toBe(401);
  });

  test('[S4] returns a token once, even to parallel callers, and accepts one decision about a code', async () => {
    const { ada, start, poll } = await openLogin();
    const { deviceCode, userCode } = await start();
    await ada.ask('reqDecideLogin', { userCode, approve: true });
    expect(await ada.refused('reqDecideLogin', { userCode, approve: false })).toMatchObject({ status: 404 });
    const answers = await Promise.all(Array.from({ length: 10 }, () => poll(deviceCode)));
    expect(answers.filter(({ token }) => token !== undefined)).toHaveLength(1);
    expect(await poll(deviceCode)).toMatchObject({ status: 'expired' });
  });

  test('returns no token when the code is rejected, or not approved within ten minutes', async () => {
    const { ada, clock, db, start, poll } = await openLogin();
    const [denied, late] = [await start(), await start()];
    expect(await ada.ask('reqDecideLogin', { userCode: denied.userCode, approve: false })).toMatchObject({
      status: 'denied',
    });
    expect(await poll(denied.deviceCode)).toMatchObject({ status: 'denied' });
    clock.ms += 601_000;
    expect(await poll(late.deviceCode)).toMatchObject({ status: 'expired' });
    expect(await ada.refused('reqDecideLogin', { userCode: late.userCode, approve: true })).toMatchObject({
      status: 404,
    });
    expect(await db.selectFrom('ApiTokens').selectAll().execute()).toEqual([]);
  });

  test('[S7] allows a user ten tries of codes a minute, and an address twenty new logins a minute', async () => {
    const { admin, ada } = await openLogin();
    const codes = Array.from({ length: 11 }, (_, index) =>
      ada.refused('reqDescribeLogin', { userCode: `BCDFGHJ${'BCDFGHJKLMN'[index]}` }),
    );
    const statuses = (await Promise.all(codes)).map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array(10).fill(404), 429]);
    const start = (from: string) => admin({ type: 'reqStartLogin', client: 'x' }, from);
    for (let count = 0; count < 20; count += 1) expect((await start('192.0.2.1')).status).toBe(200);
    expect((await start('192.0.2.1')).status).toBe(429);
    expect((await start('192.0.2.2')).status).toBe(200);
  });

  test('[S15] stores the secret of the program only as its hash', async () => {
    const { db, start } = await openLogin();
    const { deviceCode } = await start();
    expect(JSON.stringify(await db.selectFrom('LoginCodes').selectAll().execute())).not.toContain(deviceCode);
  });
});
