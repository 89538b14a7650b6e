import { FixpointError } from '@fixpoint/protocol';
import { QueryClient } from '@tanstack/react-query';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ada, appWith, callOf, tenantCalled, userWith } from '../app.fixture.ts';
import { SESSION_KEY } from '../app.ts';
import { requireUser } from '../sign-in/require-user.ts';
import { keepLastKnown, restoreLastKnown } from './last-known.ts';
import { ledgerQueries, sessionQuery, tenantQueries, userQuery } from './queries.ts';

beforeEach(() => {
  const stored = new Map<string, string>();
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
    removeItem: (key: string) => void stored.delete(key),
  });
});
afterEach(() => void vi.unstubAllGlobals());

const parts = appWith({});
const tenants = [tenantCalled('t1', 'Acme')];

/** Returns the cache of a page on which this user is signed in; null for nobody. */
function pageThatHeard(user: typeof ada | null): QueryClient {
  const queries = new QueryClient();
  keepLastKnown(queries);
  queries.setQueryData(sessionQuery(parts.session).queryKey, user);
  return queries;
}

describe('the storage of the cloud’s last answers', () => {
  test('restores the answers on the next page as stale', () => {
    const first = pageThatHeard(ada);
    first.setQueryData(tenantQueries.list(parts.api).queryKey, tenants);
    first.setQueryData(ledgerQueries.list(parts.api, 't1').queryKey, []);
    first.setQueryData(['token', 't1'], 'secret');
    const next = new QueryClient();
    expect(restoreLastKnown(next)).toEqual(ada);
    expect(next.getQueryData(['tenants'])).toEqual(tenants);
    expect(next.getQueryData(['ledgers', 't1'])).toEqual([]);
    expect(next.getQueryState(['tenants'])?.dataUpdatedAt).toBe(1);
    expect(next.getQueryData(['token', 't1'])).toBeUndefined();
  });

  test('deletes the answers with the session, so that they never reach another user', () => {
    const first = pageThatHeard(ada);
    first.setQueryData(['tenants'], tenants);
    pageThatHeard({ ...ada, email: 'grace@example.com' });
    const next = new QueryClient();
    expect(restoreLastKnown(next)?.email).toBe('grace@example.com');
    expect(next.getQueryData(['tenants'])).toBeUndefined();
    pageThatHeard(null);
    expect(restoreLastKnown(new QueryClient())).toBeUndefined();
  });

  test('lets a signed-in user in while the server is unreachable, but not when the server answers with an error', async () => {
    const first = pageThatHeard(ada);
    first.setQueryData(userQuery(parts.api).queryKey, { user: userWith('active'), tenants });
    const enter = (error: FixpointError) => {
      const app = appWith({ session: { user: () => Promise.reject(error) } });
      return Promise.resolve(requireUser(callOf(app, '/fp/cloud'), () => Promise.resolve('in'))).then(() =>
        app.queries.getQueryData(SESSION_KEY),
      );
    };
    expect(await enter(new FixpointError('FETCH'))).toEqual(ada);
    await expect(enter(new FixpointError('HTTP', '500'))).rejects.toThrow('500');
  });
});
