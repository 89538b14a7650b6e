import type { Ledger, UserTenant } from '@fixpoint/protocol/admin';
import { describe, expect, test } from 'vitest';
import {
  type CommandGroup,
  commandGroups,
  documentCommands,
  type Known,
  searchCommands,
} from './commands.ts';
import { documentsOf, placeOf } from './place.ts';

const NOBODY: Known = { isSignedIn: false, databases: [], tenants: [], ledgers: [] };
const ADA: Known = {
  isSignedIn: true,
  databases: [
    { name: 'groceries', path: '/fp/databases/groceries', hasSavedQueries: false, connection: undefined },
  ],
  tenants: [{ tenantId: 't1', tenant: { name: 'Café Society' }, user: {}, role: 'admin' } as UserTenant],
  ledgers: [{ tenantId: 't1', ledgerId: 'l1', name: 'notes' } as Ledger],
};

const labels = (groups: readonly CommandGroup[]) =>
  groups.flatMap(({ items }) => items.map(({ label }) => label));
const found = (typed: string, known = ADA) =>
  labels(searchCommands(commandGroups({ pathname: '/' }, known), typed));

describe('the commands of the palette', () => {
  test('offers signed-out users a sign-in that returns to the same page, but no sign-out', () => {
    const groups = commandGroups({ pathname: '/fp/databases' }, NOBODY);
    expect(labels(groups)).toContain('Sign in');
    expect(labels(groups)).not.toContain('Sign out');
    expect(groups.flatMap(({ items }) => items).find(({ label }) => label === 'Sign in')?.does).toEqual({
      to: '/login?redirect_url=%2Ffp%2Fdatabases',
    });
  });

  test('lists every database, tenant and ledger, with the tenant of each ledger', () => {
    const items = commandGroups({ pathname: '/' }, ADA).flatMap((group) => group.items);
    expect(items.find(({ label }) => label === 'groceries')?.does).toEqual({ to: '/fp/databases/groceries' });
    expect(items.find(({ label }) => label === 'Café Society')?.does).toEqual({
      to: '/fp/cloud/tenants/t1/overview',
    });
    expect(items.find(({ label }) => label === 'notes')).toMatchObject({
      detail: 'Café Society',
      does: { to: '/fp/cloud/tenants/t1/ledgers/l1/documents' },
    });
  });

  test('has unique ids, so that each entry is one option', () => {
    const place = { pathname: '/', tenantId: 't1', ledgerId: 'l1' };
    const all = commandGroups(place, ADA).flatMap(({ items }) => items.map(({ id }) => id));
    expect(all.filter((id, at) => all.indexOf(id) !== at)).toEqual([]);
  });

  test('lists the pages of the open database first', () => {
    const local = { path: '/fp/databases/groceries', name: 'groceries' };
    const [first] = commandGroups({ pathname: local.path, local }, NOBODY);
    expect(first?.items.map(({ label, does }) => [label, 'to' in does && does.to])).toEqual([
      ['New document', '/fp/databases/groceries/docs/new'],
      ['All documents', '/fp/databases/groceries'],
      ['History', '/fp/databases/groceries/history'],
      ['Query', '/fp/databases/groceries/query'],
      ['Sharing', '/fp/databases/groceries/sharing'],
      ['Database settings', '/fp/databases/groceries/settings'],
    ]);
    const ledger = { pathname: '/', tenantId: 't1', ledgerId: 'l1' };
    const [here] = commandGroups(ledger, ADA);
    expect(here?.items.find(({ label }) => label === 'Sharing')?.does).toEqual({
      to: '/fp/cloud/tenants/t1/ledgers/l1/sharing',
    });
  });
});

describe('the search of the palette', () => {
  test('requires all words somewhere, in any order, ignoring case and accents', () => {
    expect(found('CAFE notes')).toEqual(['notes']);
    expect(found('cafe society')).toEqual(['Café Society', 'notes']);
    expect(found('no such thing')).toEqual([]);
  });

  test('ranks labels that start with the text first in their group', () => {
    expect(found('new').slice(0, 2)).toEqual(['New local database', 'New tenant']);
    expect(found('sign out')).toEqual(['Sign out']);
  });
});

describe('a text typed in the palette of a database', () => {
  test('offers to search the documents for the text, and to open the document with that id', () => {
    const place = { pathname: '/', local: { path: '/fp/databases/groceries', name: 'groceries' } };
    const [group] = documentCommands(place, ' a/b ');
    expect(group?.items.map(({ does }) => does)).toEqual([
      { to: '/fp/databases/groceries?find=a%2Fb' },
      { to: '/fp/databases/groceries/docs/a%2Fb' },
      { to: '/fp/databases/groceries/docs/%20a%2Fb%20' },
    ]);
    expect(documentCommands(place, ' ')[0]?.items.map(({ label }) => label)).toEqual([
      'Open the document with the id "\\u0020"',
    ]);
    expect(documentCommands(place, '')).toEqual([]);
    expect(documentCommands({ pathname: '/' }, 'a')).toEqual([]);
  });
});

describe('the place of a page', () => {
  const match = (params: Record<string, string>, loaderData?: unknown) => ({
    pathname: '/x',
    params,
    loaderData,
  });

  test('includes a local database only if it exists', () => {
    const name = 'a b';
    const there = placeOf([match({ name }, { localName: 'a-b', exists: true }), match({ name })]);
    expect(there.local).toEqual({ path: '/fp/databases/a%20b', name: 'a-b' });
    expect(documentsOf(there)?.create).toBe('/fp/databases/a%20b/docs/new');
    expect(placeOf([match({ name }, { localName: 'a-b', exists: false })]).local).toBeUndefined();
  });

  test('has no documents for a tenant without a database', () => {
    expect(documentsOf(placeOf([match({ tenantId: 't' })]))).toBeUndefined();
    expect(documentsOf(placeOf([match({ tenantId: 't', ledgerId: 'l' })]))?.all).toBe(
      '/fp/cloud/tenants/t/ledgers/l/documents',
    );
  });
});
