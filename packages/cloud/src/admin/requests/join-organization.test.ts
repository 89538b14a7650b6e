import { describe, expect, test } from 'vitest';
import type { Organization } from '../../identity/providers/organization.ts';
import { readOrganization } from '../../identity/providers/organization.ts';
import { bringIn, makeTenant, openAdmin, personNamed } from '../admin.fixture.ts';

const acme = (role: 'admin' | 'member' = 'member'): Organization => ({ id: 'org_1', name: 'Acme', role });

async function open() {
  const parts = await openAdmin();
  /** Signs a person in, for an organisation or for themselves. */
  const signIn = async (name: string, organization?: Organization) => {
    const caller = parts.callerFor(personNamed(name, organization && { organization }));
    const { tenants, user } = await caller.ask('reqEnsureUser', {});
    return { ...caller, userId: user.userId, tenants };
  };
  return { ...parts, signIn };
}

describe('an organisation of the provider', () => {
  test('gets a tenant when its first admin signs in, and people who sign in for it later join this tenant', async () => {
    const { signIn } = await open();
    expect((await signIn('max', acme())).tenants).toEqual([]);
    const ada = await signIn('ada', acme('admin'));
    expect(ada.tenants).toMatchObject([{ role: 'admin', tenant: { name: 'Acme' } }]);
    const max = await signIn('max', acme());
    expect(max.tenants).toMatchObject([{ tenantId: ada.tenants[0]?.tenantId, role: 'member' }]);
    expect((await signIn('ada', acme('admin'))).tenants).toHaveLength(1);
    expect((await signIn('eve')).tenants).toEqual([]);
    expect((await signIn('eve', { ...acme('admin'), id: 'org_2' })).tenants).toMatchObject([
      { role: 'admin' },
    ]);
    const [{ tenantId } = { tenantId: '' }] = ada.tenants;
    const { records } = await ada.ask('reqListAudit', { tenantId });
    expect(records.map(({ action }) => action)).toEqual(['reqUpdateUserTenant', 'reqCreateTenant']);
  });

  test('decides who is an admin, except that the last admin remains an admin', async () => {
    const { signIn } = await open();
    await signIn('ada', acme('admin'));
    expect((await signIn('ada', acme())).tenants).toMatchObject([{ role: 'admin' }]);
    expect((await signIn('max', acme('admin'))).tenants).toMatchObject([{ role: 'admin' }]);
    expect((await signIn('ada', acme())).tenants).toMatchObject([{ role: 'member' }]);
  });

  test("doesn't change a role that an invite gave, or the role of a user who signs in for themselves", async () => {
    const { signIn, signUp } = await open();
    const ada = await signIn('ada', acme('admin'));
    const tenantId = ada.tenants[0]?.tenantId ?? '';
    const bob = await signUp('bob');
    await bringIn(ada, tenantId, bob, 'admin');
    expect((await signIn('bob', acme())).tenants).toMatchObject([{ role: 'admin' }]);
    await signIn('max', acme());
    expect((await signIn('max')).tenants).toMatchObject([{ role: 'member' }]);
  });

  test("[S6] adds nobody to a full tenant, and doesn't create a tenant for a user at their limit of tenants", async () => {
    const { signIn, signUp } = await open();
    await signIn('ada', acme('admin'));
    for (let i = 0; i < 5; i += 1) expect((await signIn(`m${i}`, acme())).tenants).toHaveLength(1);
    expect((await signIn('late', acme())).tenants).toEqual([]);
    const full = await signUp('full');
    for (let i = 0; i < 5; i += 1) await makeTenant(full, `own ${i}`);
    expect((await signIn('full', { id: 'org_3', role: 'admin' })).tenants).toHaveLength(5);
  });

  test('[S6] gets only one tenant when several admins sign in at once', async () => {
    const { signIn, db } = await open();
    const people = Array.from({ length: 5 }, (_, at) => signIn(`a${at}`, acme('admin')));
    const ids = (await Promise.all(people)).map(({ tenants }) => tenants[0]?.tenantId);
    expect(new Set(ids).size).toBe(1);
    expect(await db.selectFrom('Tenants').selectAll().execute()).toHaveLength(1);
  });

  test('gets a new tenant from the next admin after its tenant was deleted', async () => {
    const { signIn } = await open();
    const ada = await signIn('ada', acme('admin'));
    const tenantId = ada.tenants[0]?.tenantId ?? '';
    await ada.ask('reqDeleteTenant', { tenantId });
    const [made] = (await signIn('ada', acme('admin'))).tenants;
    expect(made?.tenantId).not.toBe(tenantId);
  });
});

test.each([
  [
    { org_id: 'o1', org_name: 'Acme', org_role: 'org:admin' },
    { id: 'o1', name: 'Acme', role: 'admin' },
  ],
  [{ o: { id: 'o1', slg: 'acme', rol: 'member' } }, { id: 'o1', name: 'acme', role: 'member' }],
  [{ org_id: 'o1' }, { id: 'o1', role: 'member' }],
  [{ org_id: 7, o: null }, undefined],
  [{ org_id: ' ' }, undefined],
  [{ org_id: 'x'.repeat(300) }, undefined],
  [{}, undefined],
])('reads the organisation in the claims %j as %j', (claims, organization) => {
  expect(readOrganization(claims)).toEqual(organization);
});
