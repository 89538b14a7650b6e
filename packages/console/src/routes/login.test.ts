import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ada, appWith, callOf, locationOf } from '../cloud/app.fixture.ts';
import type { Session } from '../cloud/identity/session-port.ts';
import { action, loader } from './login.tsx';

beforeEach(() => vi.stubGlobal('location', { origin: 'http://localhost:7370' }));
afterEach(() => vi.unstubAllGlobals());

const submit = (form: Record<string, string>, session: Partial<Session> = {}, path = '/login') =>
  action(callOf(appWith({ session }), path, { form }));

test('redirects signed-in users, and lists the sign-in methods for others', async () => {
  const lead = (user: typeof ada | undefined) =>
    loader(callOf(appWith({ user }), '/login?redirect_url=/fp/cloud/tenants/new'));
  expect(locationOf(await lead(ada))).toBe('/fp/cloud/tenants/new');
  expect(await lead(undefined)).toMatchObject({ password: true, elsewhere: undefined });
});

test('opens a mailed link to choose a password for signed-in users, too', async () => {
  const opened = loader(callOf(appWith({ user: ada }), '/login?reset=secret'));
  expect(await opened).toMatchObject({ password: true });
});

test('redirects a user who signed in to the requested page', async () => {
  const answer = await submit({ email: 'a@b.c', password: 'x' }, {}, '/login?redirect_url=/fp/cloud/device');
  expect(locationOf(answer)).toBe('/fp/cloud/device');
});

test('asks for a code until the code is correct', async () => {
  const asked = await submit({}, { signIn: async () => ({ is: 'code', from: 'app' }) });
  expect(asked).toMatchObject({ data: { code: 'app' } });
  const codes: string[] = [];
  const signInByCode: Session['signInByCode'] = async (code) => {
    codes.push(code);
    return { is: 'refused', why: 'Wrong code' };
  };
  const again = await submit({ way: 'code', from: 'app', code: '123 456' }, { signInByCode });
  expect(again).toMatchObject({ data: { error: 'Wrong code', code: 'app' }, init: { status: 400 } });
  expect(codes).toEqual(['123456']);
});

test('mails a link only to a valid address', async () => {
  const mailed: string[] = [];
  const mailLink: Session['mailLink'] = async (kind, email, backTo) => {
    mailed.push(`${kind} ${email} ${backTo}`);
    return undefined;
  };
  const nothing = await submit({ way: 'sign-in', email: 'ada' }, { mailLink });
  expect(nothing).toMatchObject({ data: { email: 'Enter your email address first.' } });
  const sent = await submit({ way: 'new-password', email: ' ada@example.com ' }, { mailLink });
  expect(sent).toMatchObject({ data: { note: expect.stringMatching(/link to choose a new password/) } });
  expect(mailed).toEqual(['new-password ada@example.com /fp/cloud']);
});

test('sets a new password with the secret of the mailed link', async () => {
  const given: string[] = [];
  const choosePassword: Session['choosePassword'] = async (...all) => {
    given.push(...all);
    return undefined;
  };
  const form = { way: 'reset', password: 'another long one' };
  expect(locationOf(await submit(form, { choosePassword }, '/login?reset=s1'))).toBe('/login?changed');
  expect(given).toEqual(['s1', 'another long one']);
});
