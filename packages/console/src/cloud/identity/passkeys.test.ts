import { FixpointError, type Result } from '@fixpoint/protocol';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { refusedWith } from '../app.fixture.ts';
import type { AuthRoutes } from './auth-routes.ts';
import { addPasskey, hasPasskeys, usePasskey } from './passkey-support.ts';

const CHALLENGE = { challenge: 'abc' };
const CREDENTIAL = { id: 'k1', type: 'public-key' };

/**
 * Returns the result of each browser dialog. `shown` contains the options that the dialogs
 * received.
 */
let dialog: () => Promise<unknown>;
let shown: unknown[] = [];

beforeEach(() => {
  shown = [];
  dialog = async () => CREDENTIAL;
  const parse = (kind: string) => (options: object) => ({ ...options, parsedFor: kind });
  const ask = (options: unknown) => {
    shown.push(options);
    return dialog();
  };
  vi.stubGlobal('location', new URL('https://fixpoint.example'));
  vi.stubGlobal(
    'PublicKeyCredential',
    Object.assign(() => undefined, {
      parseRequestOptionsFromJSON: parse('sign-in'),
      parseCreationOptionsFromJSON: parse('creation'),
    }),
  );
  vi.stubGlobal('navigator', { credentials: { get: ask, create: ask } });
});
afterEach(() => vi.unstubAllGlobals());

/**
 * Returns a server that sends this challenge, and responds to the signed challenge with `answer`.
 */
function server(
  challenge: unknown,
  answer: () => Promise<Result<unknown>> = async () => ({ ok: true, value: {} }),
) {
  const sent: unknown[] = [];
  const routes = {
    get: async () => {
      if (challenge instanceof Error) throw challenge;
      return challenge;
    },
    post: (path: string, body: unknown) => {
      sent.push([path, body]);
      return answer();
    },
  } as AuthRoutes;
  return { routes, sent };
}
const whyOf = (result: Result<unknown>) => !result.ok && result.error.cause;

describe('support for passkeys', () => {
  test.each([
    ['https://fixpoint.example', true],
    ['http://localhost:7370', true],
    ['https://192.168.1.4', false],
    ['https://[::1]', false],
    ['https://10.example', true],
  ])('depends on the address: %s', (address, isSupported) => {
    vi.stubGlobal('location', new URL(address));
    expect(hasPasskeys()).toBe(isSupported);
  });

  test('requires a browser that parses the server’s challenges', () => {
    vi.stubGlobal('PublicKeyCredential', () => undefined);
    expect(hasPasskeys()).toBe(false);
    vi.stubGlobal('PublicKeyCredential', undefined);
    expect(hasPasskeys()).toBe(false);
  });
});

describe('signing in with a passkey', () => {
  test('signs the challenge of the server', async () => {
    const { routes, sent } = server(CHALLENGE);
    expect((await usePasskey(routes)).ok).toBe(true);
    expect(shown).toEqual([{ publicKey: { ...CHALLENGE, parsedFor: 'sign-in' } }]);
    expect(sent).toEqual([['/passkey/verify-authentication', { response: CREDENTIAL }]]);
  });

  test('explains what to do when the server no longer knows the passkey', async () => {
    const { routes } = server(CHALLENGE, () => refusedWith('Passkey not found'));
    expect(whyOf(await usePasskey(routes))).toMatch(/This passkey was removed from your account/);
  });

  test('returns other rejections by the server unchanged', async () => {
    const { routes } = server(CHALLENGE, () => refusedWith('Too many attempts.'));
    expect(whyOf(await usePasskey(routes))).toBe('Too many attempts.');
  });

  test('opens no dialog for a server without passkeys', async () => {
    const { routes, sent } = server(undefined);
    expect(whyOf(await usePasskey(routes))).toBe(
      'This server doesn’t support passkeys. Sign in another way.',
    );
    expect([shown, sent]).toEqual([[], []]);
  });

  test('reports a server that can’t be reached', async () => {
    const { routes } = server(new FixpointError('FETCH', 'reset'));
    expect(await usePasskey(routes)).toMatchObject({ ok: false, error: { code: 'FETCH' } });
  });
});

describe('creating a passkey', () => {
  test('sends the name of the passkey with the signed challenge', async () => {
    const { routes, sent } = server(CHALLENGE);
    expect((await addPasskey(routes, 'Firefox on Linux')).ok).toBe(true);
    expect(shown).toEqual([{ publicKey: { ...CHALLENGE, parsedFor: 'creation' } }]);
    expect(sent).toEqual([
      ['/passkey/verify-registration', { response: CREDENTIAL, name: 'Firefox on Linux' }],
    ]);
  });

  test.each([
    [new DOMException('x', 'InvalidStateError'), 'This device already has a passkey for this account.'],
    [new DOMException('x', 'NotAllowedError'), 'The passkey dialog was cancelled or timed out. Try again.'],
    [new DOMException('No key.', 'UnknownError'), 'The browser rejected the passkey: No key.'],
    [new TypeError('Bad challenge.'), 'Bad challenge.'],
  ])('says why the browser created no passkey: %s', async (cause, text) => {
    dialog = () => Promise.reject(cause);
    const { routes, sent } = server(CHALLENGE);
    expect(whyOf(await addPasskey(routes, 'Firefox on Linux'))).toBe(text);
    expect(sent).toEqual([]);
  });
});
