import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { appWith, callOf, locationOf } from '../cloud/app.fixture.ts';
import type { Attempt, SignUp } from '../cloud/identity/session-port.ts';
import { action } from './signup.tsx';

beforeEach(() => vi.stubGlobal('location', { origin: 'http://localhost:7370' }));
afterEach(() => vi.unstubAllGlobals());

const fields = { name: 'Ada', email: 'ada@example.com', password: 'correct horse' };

function submit(path: string, form: Record<string, string>, tried: Attempt = { is: 'done' }) {
  const given: SignUp[] = [];
  const signUp = (sent: SignUp) => {
    given.push(sent);
    return Promise.resolve(tried);
  };
  return { given, answer: action(callOf(appWith({ session: { signUp } }), path, { form })) };
}

test('sends consent to emails only if the checkbox is checked', async () => {
  const without = submit('/signup', fields);
  await without.answer;
  const withConsent = submit('/signup', { ...fields, emailOptIn: 'on' });
  await withConsent.answer;
  expect([without.given, withConsent.given]).toEqual([
    [{ ...fields, emailOptIn: false }],
    [{ ...fields, emailOptIn: true }],
  ]);
});

test.each(['/signup?gclid=c1', '/signup?ad=c1', '/signup?gclid=c1&ad=other'])(
  'passes on the ad click of %s',
  async (path) => {
    const { given, answer } = submit(path, fields);
    await answer;
    expect(given[0]?.adClickId).toBe('c1');
  },
);

test('redirects a new user to the requested page, but only on this origin', async () => {
  const to = (redirectUrl: string) =>
    submit(`/signup?redirect_url=${encodeURIComponent(redirectUrl)}`, fields).answer.then(locationOf);
  expect(await to('/fp/cloud/tenants/new')).toBe('/fp/cloud/tenants/new');
  expect(await to('https://evil.example/')).toBe('/fp/cloud');
});

test('shows a rejection by the provider', async () => {
  const { answer } = submit('/signup', fields, { is: 'refused', why: 'User already exists.' });
  expect(await answer).toMatchObject({ data: { error: 'User already exists.' }, init: { status: 400 } });
});
