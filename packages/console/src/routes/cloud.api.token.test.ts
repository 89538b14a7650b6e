import type { UserTenant } from '@fixpoint/protocol/admin';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { appWith, callOf, done, locationOf, tenantCalled } from '../cloud/app.fixture.ts';
import { loader } from './cloud.api.token.tsx';

const left: string[] = [];
const asked: unknown[] = [];

beforeEach(() => {
  left.length = 0;
  asked.length = 0;
  const location = { origin: 'http://localhost:7370', replace: (url: unknown) => left.push(String(url)) };
  vi.stubGlobal('location', location);
});
afterEach(() => vi.unstubAllGlobals());

const parts = appWith({
  api: {
    listTenantsByUser: () => done([tenantCalled('t1', 'Acme'), tenantCalled('t2', 'Beta')]),
    cloudSessionToken: (choice) => {
      asked.push(choice);
      return done('secret');
    },
  },
});
const page = (query: Record<string, string>) => `/fp/cloud/api/token?${new URLSearchParams(query)}`;
const load = (path: string) => loader(callOf(parts, path));

describe('the hand-off of a token', () => {
  test('goes by token=ready and back to the same path, and then to an address on this machine', async () => {
    const start = page({ back_url: 'http://127.0.0.1:5173/app?x=1', tenant: 't2', ledger: 'l7' });
    const ready = locationOf(await load(start)) ?? '';
    expect(new URL(ready, 'http://x').searchParams.get('token')).toBe('ready');
    const again = locationOf(await load(ready)) ?? '';
    expect(again).toBe(start);
    expect(await load(again)).toEqual({ leaving: 'http://127.0.0.1:5173' });
    expect(left).toEqual(['http://127.0.0.1:5173/app?x=1&fpToken=secret']);
    expect(asked).toEqual([{ selected: { tenant: 't2', ledger: 'l7' } }]);
  });

  test('[S11] the token stands in no address of the console', async () => {
    const ready = locationOf(await load(page({ back_url: 'http://localhost:1/' }))) ?? '';
    const again = locationOf(await load(ready)) ?? '';
    expect(ready + again).not.toContain('secret');
    await load(again);
  });

  test('[S11] another origin gets none before the user confirms it, whatever the address says', async () => {
    const back = { back_url: 'https://app.example/cb' };
    expect(await load(page(back))).toMatchObject({
      confirm: { back: 'https://app.example/cb', tenantName: 'Acme' },
    });
    const skipped = locationOf(await load(page({ ...back, token: 'ready' }))) ?? '';
    expect(await load(skipped)).toHaveProperty('confirm');
    expect([left, asked]).toEqual([[], []]);
  });

  test('[S11] a token is handed over once', async () => {
    const start = page({ back_url: 'http://localhost:2/' });
    await load(start);
    await load(start);
    expect(left).toHaveLength(1);
    expect(locationOf(await load(start))).toContain('token=ready');
    await load(start);
    expect(left).toHaveLength(2);
  });

  test.each(['javascript:alert(1)', '//evil.example', ''])('[S11] %s is refused in words', async (back) => {
    expect(await load(page({ back_url: back }))).toMatchObject({
      problem: expect.stringContaining('back_url'),
    });
  });

  test('a tenant that is not the user’s is refused in words', async () => {
    expect(await load(page({ back_url: 'http://localhost:3/', tenant: 't3' }))).toEqual({
      problem: 'You are in no tenant with this id.',
    });
  });
});

describe('an application that waits under an id of its own', () => {
  const dates = { createdAt: '', updatedAt: '' };
  const ledgerCalled = (tenantId: string, ledgerId: string, name: string) => ({
    ledgerId,
    tenantId,
    name,
    ownerId: 'u1',
    maxShares: 5,
    ...dates,
  });
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

  test('[S11] is asked for, whatever the address says of it, and gets nothing before', async () => {
    for (const back_url of ['http://localhost:7370/', 'http://127.0.0.1:5173/app', 'https://app.example/'])
      expect(await loader(callOf(both, page({ result_id: 'z12345678', back_url })))).toMatchObject({
        choose: { resultId: 'z12345678', from: new URL(back_url).origin },
      });
    expect(left).toEqual([]);
  });

  test('the database that it means comes first: by id, by name, or by what it is called at home', async () => {
    expect(await labels(both, {})).toEqual(['notes in Acme', 'todo in Beta']);
    expect((await labels(both, { ledger: 'l2' }))[0]).toBe('todo in Beta');
    expect((await labels(both, { ledger: 'todo' }))[0]).toBe('todo in Beta');
    expect((await labels(both, { local_ledger_name: 'todo' }))[0]).toBe('todo in Beta');
    expect((await labels(both, { tenant: 't2' }))[0]).toBe('todo in Beta');
    expect((await labels(both, { tenant: 'gone', ledger: 'todo' }))[0]).toBe('todo in Beta');
  });

  test('a new one is offered where the user may make it, under a name that can be one', async () => {
    expect(await labels(both, { local_ledger_name: 'films' })).toEqual([
      'films in Acme (new)',
      'notes in Acme',
      'todo in Beta',
    ]);
    expect(await labels(both, { local_ledger_name: 'ab' })).toEqual(['notes in Acme', 'todo in Beta']);
    expect(await labels(both, { local_ledger_name: 'todo' })).toContain('todo in Acme (new)');
  });

  test('no new one is offered where the tenant has as many as it may', async () => {
    const offered = (maxLedgers: number) => {
      const limits = { maxAdminUsers: 5, maxMemberUsers: 5, maxInvites: 10, maxLedgers };
      return labels(withRoom({ limits }, ledgerCalled('t1', 'l1', 'notes')), { local_ledger_name: 'films' });
    };
    expect(await offered(2)).toEqual(['films in Acme (new)', 'notes in Acme']);
    expect(await offered(1)).toEqual(['notes in Acme']);
  });

  test('an id that is none is refused in words, and so is who has no database', async () => {
    for (const result_id of ['', 'short', 'x'.repeat(129)])
      expect(await loader(callOf(both, page({ result_id })))).toEqual({ problem: 'Invalid result_id' });
    expect(await loader(callOf(withLedgers(), page({ result_id: 'z12345678' })))).toEqual({
      problem: expect.stringContaining('You have no database yet.'),
    });
  });
});
