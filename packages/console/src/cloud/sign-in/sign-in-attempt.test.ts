import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ada, appWith, callOf, locationOf } from '../app.fixture.ts';
import type { Attempt, Session } from '../identity/session-port.ts';
import { loadWays, otherAttempt, outcomeOf } from './sign-in-attempt.ts';

beforeEach(() => vi.stubGlobal('location', { origin: 'http://localhost:7370' }));
afterEach(() => vi.unstubAllGlobals());

const LOGIN = '/login?redirect_url=/fp/cloud/account';
const formOf = (fields: Record<string, string>) => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return form;
};
const argsFor = (session: Partial<Session>) => callOf(appWith({ session }), LOGIN);
const refusedFor = (why: string) => async (): Promise<Attempt> => ({ is: 'refused', why });

describe('the loader of the sign-in pages', () => {
  test('redirects signed-in users to the page that they requested', async () => {
    expect(locationOf(await loadWays(callOf(appWith({ user: ada }), LOGIN)))).toBe('/fp/cloud/account');
  });

  test('returns the ways to sign in for signed-out users', async () => {
    expect(await loadWays(callOf(appWith({}), LOGIN))).toMatchObject({ password: true });
  });
});

describe('an attempt', () => {
  test('redirects to the requested page after success, and drops the previous user’s cached answers', async () => {
    const parts = appWith({});
    parts.queries.setQueryData(['tenants'], ['of somebody else']);
    expect(locationOf(outcomeOf({ is: 'done' }, callOf(parts, LOGIN)))).toBe('/fp/cloud/account');
    expect(parts.queries.getQueryData(['tenants'])).toBeUndefined();
  });

  test.each([
    [{ is: 'refused', why: 'Wrong password.' } as const, { error: 'Wrong password.' }, 400],
    [{ is: 'code', from: 'app' } as const, { code: 'app' }, 200],
    [{ is: 'leaving' } as const, {}, 200],
  ])('shows the result %j in the form', (tried, data, status) => {
    expect(outcomeOf(tried, argsFor({}))).toMatchObject({ data, init: { status } });
  });
});

describe('an attempt without the form’s own fields', () => {
  test('returns undefined for a form without the field `way`', async () => {
    expect(await otherAttempt(formOf({ email: 'a' }), argsFor({}))).toBeUndefined();
  });

  test('removes spaces from a typed code before sending the code', async () => {
    const codes: string[] = [];
    const signInByCode = async (code: string): Promise<Attempt> => {
      codes.push(code);
      return { is: 'done' };
    };
    await otherAttempt(formOf({ way: 'code', code: ' 123 456 ' }), argsFor({ signInByCode }));
    expect(codes).toEqual(['123456']);
  });

  test.each([
    ['app', 'app'],
    ['mail', 'mail'],
    ['anything else', 'mail'],
  ])('rejects a wrong code from %s, and then asks for a code from the %s', async (from, code) => {
    const args = argsFor({ signInByCode: refusedFor('Wrong code.') });
    const form = formOf({ way: 'code', code: '1', from });
    expect(await otherAttempt(form, args)).toMatchObject({ data: { error: 'Wrong code.', code } });
  });

  test('passes the page to return to and the choices of a new user to the provider', async () => {
    const asked: unknown[] = [];
    const signInElsewhere = async (...given: unknown[]): Promise<Attempt> => {
      asked.push(given);
      return { is: 'leaving' };
    };
    await otherAttempt(formOf({ way: 'elsewhere' }), argsFor({ signInElsewhere }), { emailOptIn: true });
    expect(asked).toEqual([['/fp/cloud/account', { emailOptIn: true }]]);
  });

  test('shows why a passkey was rejected', async () => {
    const args = argsFor({ signInByPasskey: refusedFor('No passkey was used.') });
    expect(await otherAttempt(formOf({ way: 'passkey' }), args)).toMatchObject({
      data: { error: 'No passkey was used.' },
    });
  });
});
