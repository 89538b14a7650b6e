import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createAuthRoutes } from './auth-routes.ts';
import { builtInAccount } from './built-in-account.ts';
import type { OwnConfig } from './read-provider.ts';

interface Sent {
  readonly path: string;
  readonly body: unknown;
}
type Answer = { readonly status?: number; readonly body?: unknown } | Error;

const OWN: OwnConfig = { kind: 'builtin', passkeys: false, secondFactor: false, elsewhere: undefined };

/**
 * Returns the account of a server, and the calls that the server receives. The server sends these
 * answers for these paths, and `{}` for all other paths.
 */
async function account(
  config: Partial<OwnConfig>,
  answers: Readonly<Record<string, Answer>> = {},
  hasPassword = true,
) {
  const sent: Sent[] = [];
  const all: Record<string, Answer> = { '/auth/account': { body: { password: hasPassword } }, ...answers };
  const fetch = async (path: unknown, init?: RequestInit) => {
    sent.push({
      path: String(path),
      body: init?.body === undefined ? undefined : JSON.parse(String(init.body)),
    });
    const answer = all[String(path)] ?? {};
    if (answer instanceof Error) throw answer;
    return Response.json(answer.body ?? {}, { status: answer.status ?? 200 });
  };
  const routes = createAuthRoutes(fetch as typeof globalThis.fetch);
  const made = await builtInAccount(routes, { ...OWN, ...config });
  sent.length = 0;
  return { account: made, sent };
}
const pathsOf = (sent: readonly Sent[]) => sent.map(({ path }) => path);

describe('the account page', () => {
  beforeEach(() => {
    vi.stubGlobal('location', new URL('https://fixpoint.example'));
    vi.stubGlobal(
      'PublicKeyCredential',
      Object.assign(() => undefined, { parseRequestOptionsFromJSON: () => ({}) }),
    );
  });
  afterEach(() => vi.unstubAllGlobals());

  test('offers different actions to users with and without a password', async () => {
    const has = await account({ secondFactor: true });
    expect(Object.keys(has.account).sort()).toEqual([
      'changePassword',
      'confirm',
      'secondFactor',
      'sessions',
    ]);
    expect(Object.keys(has.account.confirm ?? {})).toEqual(['byPassword']);
    const hasNone = await account({ secondFactor: true }, {}, false);
    expect(Object.keys(hasNone.account).sort()).toEqual(['confirm', 'mailPassword', 'sessions']);
    expect(Object.keys(hasNone.account.confirm ?? {})).toEqual([]);
  });

  test('offers no password change and no second step when a provider keeps the accounts', async () => {
    const { account: made } = await account({
      kind: 'oidc',
      elsewhere: 'Continue at Example',
      secondFactor: true,
    });
    expect(Object.keys(made).sort()).toEqual(['confirm', 'sessions']);
    expect(made.confirm).toEqual({ elsewhere: 'Continue at Example' });
  });

  test('offers passkeys only where both the server and the browser support them', async () => {
    const offered = async (passkeys: boolean) => {
      const { account: made } = await account({ passkeys });
      return [made.passkeys !== undefined, made.confirm?.byPasskey !== undefined];
    };
    expect([await offered(true), await offered(false)]).toEqual([
      [true, true],
      [false, false],
    ]);
    vi.stubGlobal('location', new URL('https://127.0.0.1'));
    expect(await offered(true)).toEqual([false, false]);
  });

  test('returns the access that the console suggests to revoke with the sessions', async () => {
    expect((await account({ signOutEnds: 'all' })).account.signOutEnds).toBe('all');
    expect('signOutEnds' in (await account({})).account).toBe(false);
  });
});

describe('the sessions', () => {
  test('lists sessions, ends one session, and ends all other sessions with the chosen access', async () => {
    const open = [{ id: 's1', updatedAt: '', createdAt: '', current: true }];
    const { account: made, sent } = await account({}, { '/auth/sessions': { body: { sessions: open } } });
    expect(await made.sessions?.list()).toEqual({ ok: true, value: open });
    await made.sessions?.end('s2');
    await made.sessions?.endOthers('devices');
    expect(sent.slice(1)).toEqual([
      { path: '/auth/sessions/end', body: { id: 's2' } },
      { path: '/auth/sessions/end', body: { others: true, access: 'devices' } },
    ]);
  });

  test('reports an ended session and a lost connection as results, not as exceptions', async () => {
    const ended = await account({}, { '/auth/sessions': { status: 401 } });
    expect(await ended.account.sessions?.list()).toMatchObject({
      ok: false,
      error: { code: 'NOT_SIGNED_IN' },
    });
    const offline = await account({}, { '/auth/sessions': new TypeError('reset') });
    expect(await offline.account.sessions?.list()).toMatchObject({ ok: false, error: { code: 'FETCH' } });
  });
});

describe('a change of the password', () => {
  test('changes the password and ends all other sessions', async () => {
    const { account: made, sent } = await account({});
    await made.changePassword?.('old', 'new', 'all');
    expect(sent).toEqual([
      {
        path: '/auth/change-password',
        body: { currentPassword: 'old', newPassword: 'new', revokeOtherSessions: true, access: 'all' },
      },
    ]);
  });

  test('sends a link to users without a password', async () => {
    const { account: made, sent } = await account({}, {}, false);
    await made.mailPassword?.('ada@example.com');
    expect(sent).toEqual([{ path: '/auth/request-password-reset', body: { email: 'ada@example.com' } }]);
  });
});

describe('the second step', () => {
  const withFactor = (answers?: Parameters<typeof account>[1]) => account({ secondFactor: true }, answers);

  test.each([
    [true, true],
    [false, false],
    [null, false],
  ])('reads `twoFactorEnabled: %s` from the server as %s', async (twoFactorEnabled, isOn) => {
    const { account: made } = await withFactor({
      '/auth/get-session': { body: { user: { twoFactorEnabled } } },
    });
    expect(await made.secondFactor?.isOn()).toEqual({ ok: true, value: isOn });
  });

  test('confirms the password before each change', async () => {
    const { account: made, sent } = await withFactor();
    await made.secondFactor?.begin('secret');
    await made.secondFactor?.newBackupCodes('secret');
    await made.secondFactor?.turnOff('secret');
    expect(pathsOf(sent)).toEqual([
      '/auth/confirm',
      '/auth/two-factor/enable',
      '/auth/confirm',
      '/auth/two-factor/generate-backup-codes',
      '/auth/confirm',
      '/auth/two-factor/disable',
    ]);
    for (const { body } of sent) expect(body).toEqual({ password: 'secret' });
  });

  test('changes nothing after a wrong password, and reports the wrong password in a text for users', async () => {
    const { account: made, sent } = await withFactor({
      '/auth/confirm': { status: 400, body: { message: 'wrong password' } },
    });
    expect(await made.secondFactor?.turnOff('guess')).toMatchObject({
      ok: false,
      error: { cause: 'Wrong password. Try again.' },
    });
    expect(pathsOf(sent)).toEqual(['/auth/confirm']);
  });

  test('returns other rejections of the password unchanged', async () => {
    const { account: made } = await withFactor({ '/auth/confirm': { status: 429 } });
    expect(await made.secondFactor?.turnOff('guess')).toMatchObject({
      ok: false,
      error: { cause: 'Too many attempts. Wait a minute, then try again.' },
    });
  });

  test('ends the setup with a code, without asking for the password', async () => {
    const { account: made, sent } = await withFactor();
    await made.secondFactor?.finish('123456');
    expect(sent).toEqual([{ path: '/auth/two-factor/verify-totp', body: { code: '123456' } }]);
  });
});
