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
} from './app.fixture.ts';
import { tenantQueries } from './queries.ts';
import { requireUser } from './require-user.ts';

function enter(given: AppGiven) {
  const parts = appWith(given);
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
  test('[S6.1] who is signed out is led to the login page, and back afterwards', async () => {
    const { entered, thrown } = await enter({});
    expect(entered).toBe(0);
    expect(locationOf(thrown)).toBe('/login?redirect_url=%2Ffp%2Fcloud%2Ftenants%2Fnew%3Fx%3D1');
  });

  test('an active user enters, is made known, and brings the list of tenants', async () => {
    const { entered, parts } = await enter({
      user: ada,
      api: { ensureUser: () => done({ user: userWith('active'), tenants }) },
    });
    expect(entered).toBe(1);
    expect(parts.queries.getQueryData(tenantQueries.list(parts.api).queryKey)).toEqual(tenants);
  });

  test('a user whose status is not active does not enter', async () => {
    const { entered, thrown } = await enter({
      user: ada,
      api: { ensureUser: () => done({ user: userWith('waitlisted'), tenants: [] }) },
    });
    expect(entered).toBe(0);
    expect(thrown).toMatchObject({ name: 'UserNotActive', status: 'waitlisted' });
  });

  test('who has to show a second step is led to where he can', async () => {
    const { entered, thrown } = await enter({
      user: ada,
      api: { ensureUser: () => refused(new FixpointError('SECOND_FACTOR_NEEDED')) },
    });
    expect(entered).toBe(0);
    expect(locationOf(thrown)).toMatch(/^\/fp\/second-step\?redirect_url=%2Ffp%2Fcloud/);
  });

  test('a failure is shown as one, not taken for signed out', async () => {
    const unreachable = new FixpointError('FETCH');
    expect((await enter({ session: { user: () => Promise.reject(unreachable) } })).thrown).toBe(unreachable);
    expect((await enter({ user: ada, api: { ensureUser: () => refused(unreachable) } })).thrown).toBe(
      unreachable,
    );
  });
});
