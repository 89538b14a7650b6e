import { FixpointError } from '@fixpoint/protocol';
import type { AdminClient, UserTenant } from '@fixpoint/protocol/admin';
import { act, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { withPages } from '../../ui/pages.fixture.tsx';
import { ada, appWith, done, refused, signedIn, tenantCalled, userWith } from '../app.fixture.ts';
import type { SessionUser } from '../identity/session-port.ts';
import { drawPart, press } from '../part.fixture.tsx';
import { QueryView } from './query-view.tsx';
import { useAreAnswered } from './use-are-answered.ts';
import { useCloudUser, useFoundUsers, useFreshRights, useLedgers, useTenants } from './use-cloud.ts';

withPages();

describe('queries of the cloud', () => {
  /** Renders a part that runs queries, and returns the names of the queries that were sent. */
  async function asked(user: SessionUser | undefined, status = 'active') {
    const sent: string[] = [];
    const answer = <T,>(name: string, value: T) => {
      sent.push(name);
      return done(value);
    };
    const parts = appWith({
      user,
      api: {
        ensureUser: () => answer('user', { user: userWith(status), tenants: [] }),
        listTenantsByUser: () => answer('tenants', []),
        listLedgersByUser: ([tenantId] = []) => answer(`ledgers of ${tenantId}`, []),
        findUser: ({ byString }) => answer(`user ${byString}`, []),
      },
    });
    function Part() {
      useTenants();
      useLedgers(undefined);
      useLedgers('t1');
      useFoundUsers(undefined);
      useFoundUsers('bob@example.com');
      return <output>{useCloudUser()?.status ?? 'unknown'}</output>;
    }
    await drawPart(Part, parts);
    return sent;
  }
  const isShown = (text: string) => waitFor(() => expect(screen.getByRole('status').textContent).toBe(text));

  test('runs queries for an active user once their arguments are known', async () => {
    const sent = await asked(ada);
    await isShown('active');
    await waitFor(() => expect(sent).toEqual(['user', 'tenants', 'ledgers of t1', 'user bob@example.com']));
  });

  test('runs no query for a signed-out user', async () => {
    const sent = await asked(undefined);
    await isShown('unknown');
    expect(sent).toEqual([]);
  });

  test('runs no query for a user whose access isn’t approved yet', async () => {
    const sent = await asked(ada, 'waiting');
    await isShown('waiting');
    expect(sent).toEqual(['user']);
  });
});

describe('an open page', () => {
  beforeEach(() => void vi.useFakeTimers({ shouldAdvanceTime: true }));
  afterEach(() => void vi.useRealTimers());
  const pass = (ms: number) => act(async () => vi.advanceTimersByTimeAsync(ms));

  /** Renders a page that follows the rights and lists ledgers; the test changes the rights. */
  async function page(isActive = true) {
    let tenants: readonly UserTenant[] = [tenantCalled('t1', 'Engines')];
    const asked = { tenants: 0, ledgers: 0 };
    const parts = signedIn({
      api: {
        listTenantsByUser: () => {
          asked.tenants += 1;
          return done([...tenants]);
        },
        listLedgersByUser: () => {
          asked.ledgers += 1;
          return done([]);
        },
      },
    });
    function Part() {
      useFreshRights(isActive);
      return <output>{useLedgers('t1').isSuccess ? 'listed' : 'loading'}</output>;
    }
    const drawn = await drawPart(Part, parts);
    if (isActive) await waitFor(() => expect(asked).toEqual({ tenants: 1, ledgers: 1 }));
    const change = (next: readonly UserTenant[]) => {
      tenants = next;
    };
    return { ...drawn, asked, change };
  }

  test('[S5] fetches its ledgers again within five seconds after the user’s rights changed', async () => {
    const { asked, change } = await page();
    change([{ ...tenantCalled('t1', 'Engines'), role: 'member' }]);
    await pass(4000);
    await waitFor(() => expect(asked.ledgers).toBe(2));
  });

  test('fetches no ledgers while the user’s rights don’t change, even if names do', async () => {
    const { asked, change } = await page();
    change([tenantCalled('t1', 'Renamed')]);
    await pass(4000);
    await waitFor(() => expect(asked.tenants).toBeGreaterThan(1));
    expect(asked.ledgers).toBe(1);
  });

  test('stops checking the user’s rights after the user left the page', async () => {
    const { asked, go } = await page();
    await go('/fp/databases');
    const before = asked.tenants;
    await pass(20_000);
    expect(asked.tenants).toBe(before);
  });

  test('doesn’t check the user’s rights while the user isn’t active', async () => {
    const { asked } = await page(false);
    await pass(20_000);
    expect(asked.tenants).toBe(0);
  });
});

describe('the view of a query', () => {
  async function view(listTenantsByUser: AdminClient['listTenantsByUser'], retry = false) {
    const parts = signedIn({ api: { listTenantsByUser } });
    if (retry)
      parts.queries.setDefaultOptions({ queries: { retry: 1, retryDelay: 60_000, staleTime: 60_000 } });
    const Part = () => (
      <QueryView query={useTenants()}>{(tenants) => <p>{tenants.length} tenants</p>}</QueryView>
    );
    await drawPart(Part, parts);
    return parts;
  }

  test('shows why an attempt failed while the query is retried', async () => {
    await view(() => refused(new FixpointError('FETCH', 'reset')), true);
    expect((await screen.findByText(/Trying again\.\.\.$/)).textContent).toBe(
      'Couldn’t reach the server. Trying again...',
    );
    expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull();
  });

  test('offers another attempt after the query failed', async () => {
    let isDown = true;
    await view(() => (isDown ? refused(new FixpointError('FETCH', 'reset')) : done([])));
    await screen.findByRole('alert');
    isDown = false;
    await press('Try again');
    await screen.findByText('0 tenants');
  });

  test('keeps the last answer when a later attempt fails', async () => {
    let isDown = false;
    const parts = await view(() => (isDown ? refused(new FixpointError('FETCH', 'reset')) : done([])));
    await screen.findByText('0 tenants');
    isDown = true;
    await act(async () => parts.queries.refetchQueries());
    expect([screen.queryByText('0 tenants') !== null, screen.queryByRole('alert')]).toEqual([true, null]);
  });
});

describe('a part of a page', () => {
  test('appears together with the other parts after each query was answered or has failed once', async () => {
    const answers: Record<string, (value: string) => void> = {};
    const query = (name: string) => ({
      queryKey: [name],
      queryFn: () =>
        name === 'failing'
          ? Promise.reject(new FixpointError('FETCH'))
          : new Promise<string>((resolve) => {
              answers[name] = resolve;
            }),
      retry: 1,
      retryDelay: 60_000,
    });
    const asked = [query('slow'), query('failing')];
    const Part = () => <output>{useAreAnswered(asked) ? 'all' : 'waiting'}</output>;
    await drawPart(Part, appWith({}));
    await waitFor(() => expect(answers['slow']).toBeDefined());
    expect(screen.getByRole('status').textContent).toBe('waiting');
    await act(async () => answers['slow']?.('done'));
    await waitFor(() => expect(screen.getByRole('status').textContent).toBe('all'));
  });
});
