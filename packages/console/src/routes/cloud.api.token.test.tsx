import type { UserTenant } from '@fixpoint/protocol/admin';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ada, appWith, callOf, done, locationOf, tenantCalled } from '../cloud/app.fixture.ts';
import { agree, takeHandOff } from '../cloud/sign-in/token-hand-offs.ts';
import { loader } from './cloud.api.token.tsx';

const left: string[] = [];
const asked: unknown[] = [];

beforeEach(() => {
  left.length = 0;
  asked.length = 0;
  localStorage.clear();
  const location = { origin: 'http://localhost:7370', replace: (url: unknown) => left.push(String(url)) };
  vi.stubGlobal('location', location);
});
afterEach(() => vi.unstubAllGlobals());

const dates = { createdAt: '', updatedAt: '' };
const ledgerCalled = (tenantId: string, ledgerId: string, name: string) => ({
  ledgerId,
  tenantId,
  name,
  ownerId: 'u1',
  maxShares: 5,
  ...dates,
});
const parts = appWith({
  user: ada,
  api: {
    listTenantsByUser: () => done([tenantCalled('t1', 'Acme'), tenantCalled('t2', 'Beta')]),
    listLedgersByUser: () => done([ledgerCalled('t1', 'l1', 'notes'), ledgerCalled('t2', 'l7', 'todo')]),
    cloudSessionToken: (choice) => {
      asked.push(choice);
      return done('secret');
    },
  },
});
const page = (query: Record<string, string>) => `/fp/cloud/api/token?${new URLSearchParams(query)}`;
const load = (path: string) => loader(callOf(parts, path));
const agreed = (origin: string, tenantId = 't2', ledgerId = 'l7') =>
  agree({ user: ada.email, origin, tenantId, ledgerId, label: 'todo in Beta' });

describe('the hand-off of a token', () => {
  test('redirects to the same path with token=ready, and then to the address that the user agreed to', async () => {
    agreed('http://127.0.0.1:5173');
    const start = page({
      back_url: 'http://127.0.0.1:5173/app?x=1',
      tenant: 't2',
      ledger: 'l7',
      state: 'a b',
    });
    const ready = locationOf(await load(start)) ?? '';
    expect(new URL(ready, 'http://x').searchParams.get('token')).toBe('ready');
    const again = locationOf(await load(ready)) ?? '';
    expect(again).toBe(start);
    expect(await load(again)).toEqual({ leaving: 'http://127.0.0.1:5173' });
    expect(left).toEqual(['http://127.0.0.1:5173/app?x=1&state=a+b&fpToken=secret']);
    expect(asked).toEqual([{ selected: { tenant: 't2', ledger: 'l7' }, handOff: true }]);
  });

  test('[S11] keeps the token out of every console address', async () => {
    agreed('http://localhost:1');
    const ready = locationOf(await load(page({ back_url: 'http://localhost:1/' }))) ?? '';
    const again = locationOf(await load(ready)) ?? '';
    expect(ready + again).not.toContain('secret');
    await load(again);
  });

  test.each([
    'https://app.example/cb',
    'http://localhost:5173/',
    'http://127.0.0.1:5173/',
    'http://[::1]:1/',
  ])('[S11] asks the user before %s gets a token, even with token=ready in the address', async (back_url) => {
    const { origin } = new URL(back_url);
    expect(await load(page({ back_url }))).toMatchObject({
      confirm: {
        back: back_url,
        user: ada.email,
        places: [{ label: 'notes in Acme' }, { label: 'todo in Beta' }],
      },
    });
    const skipped = locationOf(await load(page({ back_url, token: 'ready' }))) ?? '';
    expect(await load(skipped)).toHaveProperty('confirm');
    expect([left, asked]).toEqual([[], []]);
    agreed(origin);
    expect(locationOf(await load(page({ back_url })))).toContain('token=ready');
    // Another port is another app.
    expect(await load(page({ back_url: 'http://localhost:5199/' }))).toHaveProperty('confirm');
    takeHandOff(new URL(back_url));
  });

  test('[S11] asks again when the app requests another database, or the database is deleted', async () => {
    const back_url = 'http://localhost:4/';
    agreed('http://localhost:4');
    expect(await load(page({ back_url, ledger: 'l1' }))).toMatchObject({
      confirm: { places: [{ ledgerId: 'l1' }, { ledgerId: 'l7' }] },
    });
    expect(await load(page({ back_url, tenant: 't1' }))).toHaveProperty('confirm');
    expect(await load(page({ back_url, local_ledger_name: 'notes' }))).toHaveProperty('confirm');
    agreed('http://localhost:4', 't2', 'gone');
    expect(await load(page({ back_url }))).toHaveProperty('confirm');
    expect(asked).toEqual([]);
  });

  test('[S11] asks again when another user signs in to the same browser', async () => {
    agree({
      user: 'eve@example.com',
      origin: 'http://localhost:6',
      tenantId: 't2',
      ledgerId: 'l7',
      label: '',
    });
    expect(await load(page({ back_url: 'http://localhost:6/' }))).toHaveProperty('confirm');
  });

  test('[S11] hands each token over only once', async () => {
    agreed('http://localhost:2');
    const start = page({ back_url: 'http://localhost:2/' });
    await load(start);
    await load(start);
    expect(left).toHaveLength(1);
    expect(locationOf(await load(start))).toContain('token=ready');
    await load(start);
    expect(left).toHaveLength(2);
  });

  test.each(['javascript:alert(1)', '//evil.example', '', 'http://localhost:7370/fp/cloud'])(
    '[S11] rejects %s as an address to go back to',
    async (back) => {
      expect(await load(page({ back_url: back }))).toMatchObject({
        problem: expect.stringContaining('back_url'),
      });
    },
  );

  test('rejects a tenant of another user, and shows the reason', async () => {
    expect(await load(page({ back_url: 'http://localhost:3/', tenant: 't3' }))).toEqual({
      problem: 'You aren’t a member of the tenant that the app asks for. Choose another tenant in the app.',
    });
  });
});

describe('the hand-off to an app that waits under its own id', () => {
  const withLedgers = (...ledgers: ReturnType<typeof ledgerCalled>[]) => withRoom({}, ...ledgers);
  const withRoom = (acme: Partial<UserTenant['tenant']>, ...ledgers: ReturnType<typeof ledgerCalled>[]) =>
    appWith({
      api: {
        listTenantsByUser: () => {
          const first = tenantCalled('t1', 'Acme');
          return done([
            { ...first, tenant: { ...first.tenant, ...acme } },
            { ...tenantCalled('t2', 'Beta'), role: 'member' as const },
          ]);
        },
        listLedgersByUser: () => done(ledgers),
        cloudSessionToken: () => Promise.reject(new Error('nobody said yes')),
      },
    });
  const both = withLedgers(ledgerCalled('t1', 'l1', 'notes'), ledgerCalled('t2', 'l2', 'todo'));
  const labels = async (parts: typeof both, query: Record<string, string>) => {
    const loaded = await loader(callOf(parts, page({ result_id: 'z12345678', ...query })));
    if (!('choose' in loaded)) throw new Error(JSON.stringify(loaded));
    return loaded.choose.places.map(({ label }) => label);
  };

  test('[S11] sends a token only after the user agreed, even if the address names an app on this device', async () => {
    for (const back_url of ['http://localhost:7370/', 'http://127.0.0.1:5173/app', 'https://app.example/'])
      expect(await loader(callOf(both, page({ result_id: 'z12345678', back_url })))).toMatchObject({
        choose: { resultId: 'z12345678', places: [{ ledgerId: 'l1' }, { ledgerId: 'l2' }] },
      });
    expect(left).toEqual([]);
  });

  test('lists first the database that the app requests by id, by name or by its local name', async () => {
    expect(await labels(both, {})).toEqual(['notes in Acme', 'todo in Beta']);
    expect((await labels(both, { ledger: 'l2' }))[0]).toBe('todo in Beta');
    expect((await labels(both, { ledger: 'todo' }))[0]).toBe('todo in Beta');
    expect((await labels(both, { local_ledger_name: 'todo' }))[0]).toBe('todo in Beta');
    expect((await labels(both, { tenant: 't2' }))[0]).toBe('todo in Beta');
    expect((await labels(both, { tenant: 'gone', ledger: 'todo' }))[0]).toBe('todo in Beta');
  });

  test('offers a new database if the name is valid and the user may create databases', async () => {
    expect(await labels(both, { local_ledger_name: 'films' })).toEqual([
      'films in Acme (new)',
      'notes in Acme',
      'todo in Beta',
    ]);
    expect(await labels(both, { local_ledger_name: 'ab' })).toEqual(['notes in Acme', 'todo in Beta']);
    expect(await labels(both, { local_ledger_name: 'todo' })).toContain('todo in Acme (new)');
  });

  test('offers no new database if the tenant has reached its limit', async () => {
    const offered = (maxLedgers: number) => {
      const limits = { maxAdminUsers: 5, maxMemberUsers: 5, maxInvites: 10, maxLedgers };
      return labels(withRoom({ limits }, ledgerCalled('t1', 'l1', 'notes')), { local_ledger_name: 'films' });
    };
    expect(await offered(2)).toEqual(['films in Acme (new)', 'notes in Acme']);
    expect(await offered(1)).toEqual(['notes in Acme']);
  });

  test('shows a text if the id is invalid or the user has no databases', async () => {
    for (const result_id of ['', 'short', 'x'.repeat(129)])
      expect(await loader(callOf(both, page({ result_id })))).toEqual({ problem: 'Invalid result_id' });
    expect(await loader(callOf(withLedgers(), page({ result_id: 'z12345678' })))).toEqual({
      problem: expect.stringContaining('You have no database yet.'),
    });
  });
});
