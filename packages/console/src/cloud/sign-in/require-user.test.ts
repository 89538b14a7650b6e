import { FixpointError } from '@fixpoint/protocol';
import { describe, expect, test } from 'vitest';
import {
  type AppGiven,
  ada,
  appWith,
  callOf,
  done,
  locationOf,
  refused,
  tenantCalled,
  userWith,
} from '../app.fixture.ts';
import { SESSION_KEY } from '../app.ts';
import type { SessionUser } from '../identity/session-port.ts';
import { tenantQueries } from '../queries/queries.ts';
import { requireUser } from './require-user.ts';

/** @param heard the session that the cache already contains; the test fetches the session again */
function enter(given: AppGiven, heard?: SessionUser | null) {
  const parts = appWith(given);
  parts.queries.setQueryData(SESSION_KEY, heard);
  void parts.queries.invalidateQueries({ queryKey: SESSION_KEY });
  let entered = 0;
  const next = () => {
    entered += 1;
    return Promise.resolve({});
  };
  const asked = Promise.resolve(requireUser(callOf(parts, '/fp/cloud/tenants/new?x=1'), next));
  return asked.then(
    () => ({ parts, entered, thrown: undefined }),
    (thrown: unknown) => ({ parts, entered, thrown }),
  );
}

const tenants = [tenantCalled('t1', 'Acme')];

describe('the gate before cloud pages', () => {
  test('[S6.1] redirects signed-out users to the login page, and back afterwards', async () => {
    const { entered, thrown } = await enter({});
    expect(entered).toBe(0);
    expect(locationOf(thrown)).toBe('/login?redirect_url=%2Ffp%2Fcloud%2Ftenants%2Fnew%3Fx%3D1');
  });

  test('lets an active user in, creates the user in the cloud, and fetches the list of tenants', async () => {
    const { entered, parts } = await enter({
      user: ada,
      api: { ensureUser: () => done({ user: userWith('active'), tenants }) },
    });
    expect(entered).toBe(1);
    expect(parts.queries.getQueryData(tenantQueries.list(parts.api).queryKey)).toEqual(tenants);
  });

  test('rejects a user whose status is not active', async () => {
    const { entered, thrown } = await enter({
      user: ada,
      api: { ensureUser: () => done({ user: userWith('waitlisted'), tenants: [] }) },
    });
    expect(entered).toBe(0);
    expect(thrown).toMatchObject({ name: 'UserNotActive', status: 'waitlisted' });
  });

  test('redirects users who still need a second step', async () => {
    const { entered, thrown } = await enter({
      user: ada,
      api: { ensureUser: () => refused(new FixpointError('SECOND_FACTOR_NEEDED')) },
    });
    expect(entered).toBe(0);
    expect(locationOf(thrown)).toMatch(/^\/fp\/second-step\?redirect_url=%2Ffp%2Fcloud/);
  });

  test('reports a failure as an error, not as a signed-out user', async () => {
    const unreachable = new FixpointError('FETCH');
    expect((await enter({ session: { user: () => Promise.reject(unreachable) } })).thrown).toBe(unreachable);
    expect((await enter({ user: ada, api: { ensureUser: () => refused(unreachable) } })).thrown).toBe(
      unreachable,
    );
  });

  test.each([
    { answer: '503 Service Unavailable', heard: ada, entered: 1 },
    { answer: '503 Service Unavailable', heard: null, entered: 0 },
    { answer: '503 Service Unavailable', heard: undefined, entered: 0 },
    { answer: '403 Forbidden', heard: ada, entered: 0 },
  ])('lets $entered users in if the server answers $answer and the cached session is $heard', async (one) => {
    const failure = new FixpointError('HTTP', one.answer);
    failure.message = one.answer;
    const { entered, thrown } = await enter(
      {
        session: { user: () => Promise.reject(failure) },
        api: { ensureUser: () => done({ user: userWith('active'), tenants }) },
      },
      one.heard,
    );
    expect([entered, thrown]).toEqual([one.entered, one.entered === 1 ? undefined : failure]);
  });
});
