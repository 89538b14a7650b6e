import { describe, expect, test } from 'vitest';
import { openOwnUsers } from './admin/own-users.fixture.ts';
import { defaultConfig } from './config.ts';
import type { UserAction } from './identity/change-user.ts';
import { auditOfServer } from './operate-server.ts';
import { changeUsers, knownUsers } from './operate-users.ts';
import { testDatabaseUrl } from './tables/postgres.fixture.ts';

/** A server with a person and own users of an application, as an operator sees it. */
async function operated() {
  const parts = await openOwnUsers();
  const { ada, data, tenantId, applicationId, ledgerId } = parts;
  const config = { ...defaultConfig(data), databaseUrl: await testDatabaseUrl(data) };
  const change = (action: UserAction, ...wanted: string[]) => changeUsers(config, action, wanted);
  const put = async (subject: string, more: object = {}) => {
    const { user } = await ada.ask('reqPutApplicationUser', { tenantId, applicationId, subject, ...more });
    return user.userId;
  };
  const listed = async (userId: string) => (await knownUsers(config)).find((one) => one.userId === userId);
  const statusOf = async (userId: string) => (await listed(userId))?.status;
  const canRead = { rights: { [ledgerId]: 'read' } };
  return { ...parts, config, change, put, listed, statusOf, canRead };
}

describe('the users that an operator sees', () => {
  test('lists people first, and then own users with their application, rights and last sign-in', async () => {
    const { config, ada, put, writer, canRead, clock } = await operated();
    const never = await put('__proto__', { ...canRead, name: 'Bea', email: 'ada@example.com' });
    const { userId } = (await writer({ sub: 'u2', email: 'c@app.example' })).user;
    const users = await knownUsers(config);
    expect(users.map((user) => user.userId)).toEqual([ada.userId, never, userId]);
    expect(users[0]).toMatchObject({ email: 'ada@example.com', provider: 'fake', own: undefined });
    expect(users[1]).toMatchObject({
      // Nobody verified the address, so the operator can't take it for the person's.
      ...{ email: null, provider: 'application', providerUserId: '__proto__', status: 'active' },
      own: { application: 'Notes', rights: 1, lastSignInAt: null },
    });
    const at = new Date(clock.ms).toISOString().slice(0, 16);
    expect(users[2]?.own?.lastSignInAt).toContain(at);
  });
});

describe('changes of own users by an operator', () => {
  test('finds people by any spelling of their address, and own users only by their id', async () => {
    const { ada, change, put, statusOf } = await operated();
    const own = await put('u1', { email: 'own@app.example' });
    await expect(change('ban', 'own@app.example')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(change('ban', 'u1')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await change('ban', ' ADA@Example.com ', own);
    expect([await statusOf(ada.userId), await statusOf(own)]).toEqual(['banned', 'banned']);
    await change('unban', ada.userId, own, own);
    expect([await statusOf(ada.userId), await statusOf(own)]).toEqual(['active', 'active']);
  });

  test('changes nobody if one of the users is unknown, or not of an application', async () => {
    const { ada, change, put, statusOf, canRead, rightsOf, ledgerId } = await operated();
    const own = await put('u1', canRead);
    for (const action of ['remove', 'readmit'] as const)
      await expect(change(action, own, ada.userId)).rejects.toMatchObject({ code: 'REQUEST_INVALID' });
    for (const action of ['ban', 'remove', 'sign-out'] as const)
      for (const unknown of ['zUnknown', '', '__proto__', "' or 1=1 --"])
        await expect(change(action, own, unknown)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(change('reset-factors', own)).rejects.toThrow(/reset them there/);
    expect(await statusOf(own)).toBe('active');
    expect(await rightsOf(own)).toEqual({ [ledgerId]: 'read' });
  });

  test('[S11] removes a user, whose issuer cannot bring them back until they are readmitted', async () => {
    const { change, writer, tokenOf, exchange, refresh, rightsOf, statusOf, ledgerId, clock } =
      await operated();
    // The command reads the clock of the machine.
    clock.ms = Date.now() - 60_000;
    const { user, refreshToken } = await writer();
    const { userId } = user;
    const claims = { fixpoint_rights: { [ledgerId]: 'write' } };
    const before = await tokenOf(claims);
    await change('remove', userId);
    await change('remove', userId);
    expect([await statusOf(userId), await rightsOf(userId)]).toEqual(['removed', {}]);
    expect(await refresh(refreshToken)).toMatchObject({ status: 'ended' });
    expect(await exchange(await tokenOf(claims))).toMatchObject({ status: 'ended' });
    await change('readmit', userId);
    await change('readmit', userId);
    expect([await statusOf(userId), await rightsOf(userId)]).toEqual(['active', {}]);
    // A token from before the removal doesn't bring the rights back; a later one does.
    expect(await exchange(before)).not.toMatchObject({ status: 'open' });
    expect(await rightsOf(userId)).toEqual({});
    clock.ms = Date.now() + 5000;
    expect(await exchange(await tokenOf(claims))).toMatchObject({ status: 'open' });
    expect(await rightsOf(userId)).toEqual({ [ledgerId]: 'write' });
  });

  test('[S6] readmits nobody beyond the limit of users, and changes nobody then', async () => {
    const { config, put, statusOf } = await operated();
    const limited = { ...config, applicationUsersPerTenant: 2 };
    const ids = [await put('u1'), await put('u2'), await put('__proto__')];
    await changeUsers(config, 'remove', ids.slice(0, 2));
    await expect(changeUsers(limited, 'readmit', ids.slice(0, 2))).rejects.toMatchObject({
      code: 'LIMIT_REACHED',
    });
    expect(await Promise.all(ids.map(statusOf))).toEqual(['removed', 'removed', 'active']);
    await changeUsers(limited, 'readmit', ids.slice(0, 1));
    // Those who are not removed need no room.
    await changeUsers(limited, 'readmit', [ids[0] ?? '', ids[2] ?? '']);
    expect(await Promise.all(ids.map(statusOf))).toEqual(['active', 'removed', 'active']);
  });

  test('[S11] keeps a banned user banned when they are removed and readmitted', async () => {
    const { change, writer, tokenOf, exchange, statusOf } = await operated();
    const { userId } = (await writer()).user;
    await change('ban', userId);
    await change('remove', userId);
    expect(await statusOf(userId)).toBe('banned');
    await change('readmit', userId);
    expect(await statusOf(userId)).toBe('banned');
    expect(await exchange(await tokenOf())).toMatchObject({ status: 'ended' });
    await change('unban', userId);
    expect(await statusOf(userId)).toBe('active');
  });

  test('ends the sessions of an own user who is signed out, and lets them sign in again', async () => {
    const { change, writer, refresh, tokenOf, exchange, rightsOf, ledgerId } = await operated();
    const { user, refreshToken } = await writer();
    const other = await writer({ sub: 'user-2' });
    await change('sign-out', user.userId);
    expect(await refresh(refreshToken)).toMatchObject({ status: 'ended' });
    expect(await refresh(other.refreshToken)).toMatchObject({ status: 'open' });
    expect(await exchange(await tokenOf())).toMatchObject({ status: 'open' });
    expect(await rightsOf(user.userId)).toEqual({ [ledgerId]: 'write' });
  });

  test('records who was changed in the audit log of the server, and nothing if the command fails', async () => {
    const { ada, config, put, change } = await operated();
    const own = await put('u1');
    await change('ban', ada.userId, own, own);
    await change('unban', ada.userId);
    await expect(change('ban', own, 'zUnknown')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await changeUsers(config, 'sign-out', undefined);
    const records = (await auditOfServer(config, 10)).filter(({ tenantId }) => tenantId === 'server');
    expect(new Set(records.map(({ userId }) => userId))).toEqual(new Set(['command-line']));
    expect(records.map(({ action, detail }) => [action, JSON.parse(detail)])).toEqual([
      ['users sign-out --all', {}],
      ['reqChangeUser', { userId: ada.userId, action: 'unban' }],
      ['reqChangeUser', { userId: own, action: 'ban' }],
      ['reqChangeUser', { userId: ada.userId, action: 'ban' }],
    ]);
  });

  test('returns those who were changed; with nobody named, everybody', async () => {
    const { ada, config, put, change } = await operated();
    const own = await put('u1');
    expect((await change('sign-out', own)).map(({ userId }) => userId)).toEqual([own]);
    const all = await changeUsers(config, 'sign-out', undefined);
    expect(all.map(({ userId }) => userId)).toEqual([ada.userId, own]);
    expect(await change('ban')).toEqual([]);
  });
});
