import { FixpointError } from '@fixpoint/protocol';
import type { AdminClient } from '@fixpoint/protocol/admin';
import { expect, test } from 'vitest';
import { appWith, callOf, done, locationOf, refused } from '../cloud/app.fixture.ts';
import { action } from './cloud.tenants.new.tsx';

const made = {
  tenantId: 't9',
  name: 'Acme',
  ownerUserId: 'u1',
  status: 'active',
  createdAt: '',
  updatedAt: '',
};

function submit(name: string, api: Partial<AdminClient>) {
  return action(callOf(appWith({ api }), '/fp/cloud/tenants/new', { form: { name } }));
}

test('[8.3] shows a rejection by the cloud, with status 400', async () => {
  const api = { createTenant: () => refused(new FixpointError('CONFLICT')) };
  expect(await submit('Acme', api)).toMatchObject({
    data: { error: 'conflict' },
    init: { status: 400 },
  });
});

test.each(['', '   '])('[5.1] rejects "%s" as the name of a tenant', async (name) => {
  expect(await submit(name, {})).toMatchObject({
    data: { error: 'Name is required' },
    init: { status: 400 },
  });
});

test('opens the overview of a new tenant', async () => {
  const names: string[] = [];
  const createTenant = (name: string) => {
    names.push(name);
    return done(made);
  };
  expect(locationOf(await submit('  Acme ', { createTenant }))).toBe('/fp/cloud/tenants/t9/overview');
  expect(names).toEqual(['Acme']);
});
