import { expect, test } from 'vitest';
import { bringIn, makeLedger, makeTenant, openAdmin } from './admin.fixture.ts';
import { type Page, pageOf } from './parts/page-of.ts';

const idOf = (id: string) => id;

test('keeps the order of a list that fits on one page, and returns a cursor for a longer list', () => {
  expect(pageOf(['b', 'a'], idOf, {})).toEqual({ items: ['b', 'a'] });
  const many = Array.from({ length: 2500 }, (_, at) => `id${String(at).padStart(5, '0')}`).reverse();
  const seen: string[] = [];
  let after: string | undefined;
  do {
    const { items, next } = pageOf(many, idOf, { after });
    seen.push(...items);
    after = next;
  } while (after !== undefined);
  expect(seen).toEqual([...many].reverse());
});

test("doesn't skip or repeat items when other items are added or removed between two pages", () => {
  const { next } = pageOf(['c', 'a', 'd', 'b'], idOf, { limit: 2 });
  expect(next).toBe('b');
  expect(pageOf(['c', 'd', 'aa', 'e'], idOf, { limit: 2, after: next })).toEqual({
    items: ['c', 'd'],
    next: 'd',
  });
  expect(pageOf(['c', 'd'], idOf, { limit: 2, after: 'd' })).toEqual({ items: [] });
});

test('reads every list of the admin API in pages, without repeating or missing items', async () => {
  const { signUp } = await openAdmin();
  const ada = await signUp('ada');
  const tenants = [
    await makeTenant(ada, 'One'),
    await makeTenant(ada, 'Two'),
    await makeTenant(ada, 'Three'),
  ];
  const [tenantId = ''] = tenants;
  const ledgers = [await makeLedger(ada, tenantId, 'first'), await makeLedger(ada, tenantId, 'second')];
  const [ledgerId = ''] = ledgers;
  const ledger = { tenantId, ledgerId };
  for (const name of ['bob', 'eve', 'max']) {
    const other = await signUp(name);
    await bringIn(ada, tenantId, other);
    await ada.ask('reqShareLedger', { ledger, userId: other.userId, right: 'read' });
    await ada.ask('reqCreateApiToken', { tenantId, name });
    const query = { byEmail: `${name}@elsewhere.example` };
    await ada.ask('reqInviteUser', { ticket: { query, invitedParams: { tenant: { id: tenantId } } } });
  }
  const lists: Record<string, (page: Page) => Promise<{ ids: string[]; next?: string | undefined }>> = {
    tenants: async (page) => {
      const { tenants: found, next } = await ada.ask('reqListTenantsByUser', page);
      return { ids: found.map((one) => one.tenantId), next };
    },
    ledgers: async (page) => {
      const { ledgers: found, next } = await ada.ask('reqListLedgersByUser', page);
      return { ids: found.map((one) => one.ledgerId), next };
    },
    invites: async (page) => {
      const { tickets, next } = await ada.ask('reqListInvites', { tenantIds: [tenantId], ...page });
      return { ids: tickets.map(({ inviteId }) => inviteId), next };
    },
    shares: async (page) => {
      const { shares, next } = await ada.ask('reqListShares', { ledger, ...page });
      return { ids: shares.map(({ userId }) => userId), next };
    },
    'API tokens': async (page) => {
      const { apiTokens, next } = await ada.ask('reqListApiTokens', { tenantId, ...page });
      return { ids: apiTokens.map(({ tokenId }) => tokenId), next };
    },
  };
  for (const [name, list] of Object.entries(lists)) {
    const { ids, next } = await list({});
    expect(next, name).toBeUndefined();
    expect(ids.length, name).toBeGreaterThan(1);
    const seen: string[] = [];
    for (let after: string | undefined, pages = 0; pages === 0 || after !== undefined; pages += 1) {
      const page = await list({ limit: 1, ...(after !== undefined && { after }) });
      expect(page.ids, name).toHaveLength(1);
      seen.push(...page.ids);
      after = page.next;
    }
    expect(seen, name).toEqual(ids.toSorted());
  }
});
