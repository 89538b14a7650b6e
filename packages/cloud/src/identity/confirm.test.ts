import { describe, expect, test } from 'vitest';
import { CONFIRMED_MS, type ConfirmParts, createConfirm, type OwnSession, requireRecent } from './confirm.ts';

const DAY_MS = 86_400_000;
const code = (name: string) => expect.objectContaining({ code: name }) as Error;

/** Creates the checks for a person with one session. `more` changes facts about their account. */
function accountOf(more: Partial<ConfirmParts> = {}) {
  const clock = { ms: Date.parse('2026-11-20T12:00:00Z') };
  const own: OwnSession = {
    token: 'token',
    userId: 'ada',
    createdAt: new Date(clock.ms),
    confirmedAt: null,
    strong: false,
  };
  const ended: string[] = [];
  const confirmed: Date[] = [];
  const confirm = createConfirm({
    readSession: async () => own,
    endSession: async (token) => void ended.push(token),
    markConfirmed: async (_, at) => void confirmed.push(at),
    isPassword: async (_, password) => password === 'right',
    hasPassword: async () => true,
    hasAnyFactor: async () => false,
    hasVerifiedAddress: async () => true,
    sessionDaysMax: 30,
    now: () => clock.ms,
    ...more,
  });
  const request = (path: string, body?: unknown, headers: Record<string, string> = { cookie: 'a=b' }) =>
    new Request(`http://localhost${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers,
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
  return { confirm, clock, own, ended, confirmed, request };
}

describe('the session of a request', () => {
  test("isn't looked up without a cookie", async () => {
    const { confirm, request } = accountOf({
      readSession: () => Promise.reject(new Error('looked up')),
    });
    expect(await confirm.own(request('/auth/x', undefined, {}))).toBeUndefined();
  });

  test('[S1] expires after the configured number of days, even if it is in use', async () => {
    const { confirm, clock, own, ended, request } = accountOf();
    clock.ms += 30 * DAY_MS;
    expect(await confirm.own(request('/auth/x'))).toBe(own);
    clock.ms += 1;
    expect(await confirm.own(request('/auth/x'))).toBeUndefined();
    expect(ended).toEqual(['token']);
  });

  test('[S1] expires after the same number of days if the password was confirmed', async () => {
    const { confirm, clock, own, request } = accountOf({
      readSession: async () => ({ ...own, confirmedAt: new Date(clock.ms) }),
    });
    clock.ms += 31 * DAY_MS;
    expect(await confirm.own(request('/auth/x'))).toBeUndefined();
  });
});

describe('a recent sign-in', () => {
  test.each([
    ['the sign-in', undefined],
    ['the confirmation', null],
  ])('[S1] counts for 15 minutes after %s', (_, confirmedAt) => {
    const { own, clock } = accountOf();
    const session =
      confirmedAt === undefined ? own : { ...own, createdAt: new Date(0), confirmedAt: new Date(clock.ms) };
    requireRecent(session, clock.ms + CONFIRMED_MS);
    expect(() => requireRecent(session, clock.ms + CONFIRMED_MS + 1)).toThrow(code('CONFIRM_IDENTITY'));
  });

  test('[S1] is enough, even if the last confirmation is old', () => {
    const { own, clock } = accountOf();
    requireRecent({ ...own, confirmedAt: new Date(0) }, clock.ms);
  });
});

const FACTOR_ROUTES = [
  '/auth/two-factor/enable',
  '/auth/two-factor/disable',
  '/auth/two-factor/generate-backup-codes',
  '/auth/passkey/delete-passkey',
];

describe('a route that changes how a person signs in', () => {
  test.each(FACTOR_ROUTES)('[S1] requires a recent sign-in: %s', async (route) => {
    const { confirm, own, clock } = accountOf();
    await confirm.requireFor(route, own);
    await expect(confirm.requireFor(route, undefined)).rejects.toThrow(code('NOT_SIGNED_IN'));
    clock.ms += CONFIRMED_MS + 1;
    await expect(confirm.requireFor(route, own)).rejects.toThrow(code('CONFIRM_IDENTITY'));
  });

  test('[S1] rejects an account whose address is not verified, because a stranger may have typed it', async () => {
    const { confirm, own } = accountOf({ hasVerifiedAddress: async () => false });
    await expect(confirm.requireFor(FACTOR_ROUTES[0] as string, own)).rejects.toThrow(code('FORBIDDEN'));
  });

  test('[S1] requires the second factor of an account that has one', async () => {
    const { confirm, own } = accountOf({ hasAnyFactor: async () => true });
    const route = FACTOR_ROUTES[0] as string;
    await expect(confirm.requireFor(route, own)).rejects.toThrow(code('SECOND_FACTOR_NEEDED'));
    for (const strong of [null, undefined])
      await expect(confirm.requireFor(route, { ...own, strong })).rejects.toThrow(
        code('SECOND_FACTOR_NEEDED'),
      );
    await confirm.requireFor(route, { ...own, strong: true });
  });

  test('requires a sign-in, unlike other routes', async () => {
    const { confirm } = accountOf({ hasVerifiedAddress: async () => false });
    for (const route of ['/auth/sign-out', '/auth/two-factor', '/auth/two-factor/enable/', '/'])
      await confirm.requireFor(route, undefined);
  });
});

describe('confirming the password', () => {
  test('stores the current time as the time of the confirmation', async () => {
    const { confirm, own, clock, confirmed, request } = accountOf();
    const answer = await confirm.handle(request('/auth/confirm', { password: 'right' }), own);
    expect(await answer?.json()).toEqual({ confirmed: true });
    expect(confirmed).toEqual([new Date(clock.ms)]);
  });

  test.each([
    ['a wrong password', { password: 'wrong' }, 'NOT_SIGNED_IN'],
    ['no password', {}, 'REQUEST_INVALID'],
    ['a password that is not a text', { password: ['right'] }, 'REQUEST_INVALID'],
    ['a body that is not JSON', 'password=right', 'REQUEST_INVALID'],
  ])('[S1] rejects a request with %s', async (_, body, name) => {
    const { confirm, own, confirmed, request } = accountOf();
    await expect(confirm.handle(request('/auth/confirm', body), own)).rejects.toThrow(code(name));
    expect(confirmed).toEqual([]);
  });

  test('requires a new sign-in if the account has no password', async () => {
    const { confirm, own, confirmed, request } = accountOf({ hasPassword: async () => false });
    await expect(confirm.handle(request('/auth/confirm', { password: 'right' }), own)).rejects.toThrow(
      code('CONFLICT'),
    );
    expect(confirmed).toEqual([]);
  });

  test.each(['/auth/confirm', '/auth/account'])(
    '[S1] rejects a request without a session at %s',
    async (path) => {
      const { confirm, request } = accountOf();
      await expect(confirm.handle(request(path, { password: 'right' }), undefined)).rejects.toThrow(
        code('NOT_SIGNED_IN'),
      );
    },
  );

  test.each([true, false])('returns whether the account has a password: %s', async (has) => {
    const { confirm, own, request } = accountOf({ hasPassword: async () => has });
    expect(await (await confirm.handle(request('/auth/account'), own))?.json()).toEqual({ password: has });
  });

  test('ignores other routes', async () => {
    const { confirm, own, request } = accountOf();
    for (const path of ['/auth/confirm/', '/auth', '/confirm'])
      expect(await confirm.handle(request(path, {}), own)).toBeUndefined();
  });
});
