import { FixpointError } from '@fixpoint/protocol';
import type { AdminClient } from '@fixpoint/protocol/admin';
import { expect, test } from 'vitest';
import { appWith, callOf, refused } from '../cloud/app.fixture.ts';
import { action } from './cloud.tenants.$tenant.admin.tsx';

const submit = (name: string, api: Partial<AdminClient>) =>
  action(callOf(appWith({ api }), '/fp/cloud/tenants/t1/admin', { form: { name } }));

test.each(['', '   '])('[5.1] rejects an update with the name "%s", without a message', async (name) => {
  expect(await submit(name, {})).toMatchObject({
    data: { error: undefined, done: false },
    init: { status: 400 },
  });
});

test('[8] shows a rejection by the cloud', async () => {
  const api = { updateTenant: () => refused(new FixpointError('CONFLICT')) };
  expect(await submit('Acme', api)).toMatchObject({ data: { error: 'conflict', done: false } });
});
