import type { Ledger, UserTenant } from '@fixpoint/protocol/admin';
import { describe, expect, test } from 'vitest';
import { tenantCalled } from '../../cloud/app.fixture.ts';
import { isPlace, placesFor, type Wish } from './places.ts';

const NOTHING: Wish = { tenant: null, ledger: null, localName: null };
const tenants = [tenantCalled('t1', 'Physics'), tenantCalled('t2', 'Maths')];
const ledgers = [
  { tenantId: 't1', ledgerId: 'l1', name: 'notes' },
  { tenantId: 't1', ledgerId: 'l2', name: 'todo' },
  { tenantId: 't2', ledgerId: 'l3', name: 'notes' },
] as Ledger[];

const labels = (wish: Partial<Wish>, all: readonly UserTenant[] = tenants) =>
  placesFor(all, ledgers, { ...NOTHING, ...wish }).map(({ label }) => label);

describe('the list of databases that an app may get a token for', () => {
  test('lists all databases of all tenants', () => {
    expect(labels({})).toEqual(['notes in Physics', 'todo in Physics', 'notes in Maths']);
  });

  test.each([
    ['its id', { ledger: 'l2' }, 'todo in Physics'],
    ['its name', { ledger: 'todo' }, 'todo in Physics'],
    ['the app’s own name for it', { localName: 'todo' }, 'todo in Physics'],
    ['its tenant', { tenant: 't2' }, 'notes in Maths'],
    ['its tenant and name', { tenant: 't2', ledger: 'notes' }, 'notes in Maths'],
  ])('starts with the database that the app requests by %s', (_by, wish, label) => {
    expect(labels(wish)[0]).toBe(label);
  });

  test('prefers the requested id over the app’s own name', () => {
    expect(labels({ ledger: 'l1', localName: 'todo' })[0]).toBe('notes in Physics');
  });

  test('ignores a tenant that the user isn’t in', () => {
    expect(labels({ tenant: 't9', ledger: 'todo' })[0]).toBe('todo in Physics');
  });

  test('includes a new database per tenant under a name that the tenant doesn’t have', () => {
    expect(labels({ localName: 'todo' })).toContain('todo in Maths (new)');
    expect(labels({ localName: 'todo' })).not.toContain('todo in Physics (new)');
  });

  test('offers a new database first only when no database has the requested name', () => {
    expect(labels({ localName: 'recipes' }).slice(0, 2)).toEqual([
      'recipes in Physics (new)',
      'recipes in Maths (new)',
    ]);
  });

  test.each([
    ['with a name that is too short', 'ab', tenants],
    ['with a name of only spaces', '    ', tenants],
    [
      'for a member, who can’t create one',
      'recipes',
      [{ ...tenantCalled('t1', 'P'), role: 'member' as const }],
    ],
    [
      'beyond the limit of the tenant',
      'recipes',
      [{ ...tenantCalled('t1', 'P'), tenant: { name: 'P', status: 'active', limits: { maxLedgers: 2 } } }],
    ],
  ])('includes no new database %s', (_why, localName, all) => {
    expect(labels({ localName }, all as UserTenant[]).some((label) => label.endsWith('(new)'))).toBe(false);
  });
});

describe('a database that the user agreed to before', () => {
  const place = { tenantId: 't1', ledgerId: 'l1', name: 'notes', label: '' };

  test.each([
    ['any database', {}, true],
    ['its tenant', { tenant: 't1' }, true],
    ['another tenant', { tenant: 't2' }, false],
    ['its id', { ledger: 'l1' }, true],
    ['its name', { ledger: 'notes' }, true],
    ['another database', { ledger: 'l2' }, false],
    ['its name as the app’s local name', { localName: 'notes' }, true],
    ['another local name of the app', { localName: 'todo' }, false],
    ['its id with another local name of the app', { ledger: 'l1', localName: 'todo' }, true],
  ])('is compared with a request for %s', (_what, wish, isSame) => {
    expect(isPlace(place, { ...NOTHING, ...wish })).toBe(isSame);
  });
});
