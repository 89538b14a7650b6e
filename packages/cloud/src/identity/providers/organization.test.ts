import { describe, expect, test } from 'vitest';
import { readOrganization } from './organization.ts';

describe('readOrganization', () => {
  test('reads the long and the short form of the claims', () => {
    const acme = { id: 'org_1', name: 'Acme', role: 'admin' };
    expect(readOrganization({ org_id: 'org_1', org_name: 'Acme', org_role: 'org:admin' })).toEqual(acme);
    expect(readOrganization({ org_id: 'org_1', org_slug: 'Acme', org_role: 'owner' })).toEqual(acme);
    expect(readOrganization({ o: { id: 'org_1', slg: 'Acme', rol: 'admin' } })).toEqual(acme);
  });

  test('returns undefined for people who act for themselves', () => {
    for (const claims of [
      {},
      { org_id: '' },
      { org_id: 3 },
      { o: null },
      { o: 'org_1' },
      { org_id: 'x'.repeat(201) },
    ])
      expect(readOrganization(claims)).toBeUndefined();
  });

  test("doesn't treat an unknown role as admin", () => {
    for (const role of ['member', 'org:member', 'ADMIN', 'administrator', undefined, 1])
      expect(readOrganization({ org_id: 'org_1', org_role: role })?.role).toBe('member');
  });

  test('omits a name that has no visible characters', () => {
    expect(readOrganization({ org_id: 'org_1', org_name: ' Ac\u0000me ' })?.name).toBe('Acme');
    for (const name of ['', ' \n', 7])
      expect(readOrganization({ org_id: 'o', org_name: name })).not.toHaveProperty('name');
  });
});
