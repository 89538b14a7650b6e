import { FixpointError } from '@fixpoint/protocol';
import type { AdminClient } from '@fixpoint/protocol/admin';
import { expect, test, vi } from 'vitest';
import { appWith, callOf, done, locationOf, refused } from '../cloud/app.fixture.ts';
import { action } from './cloud.tenants.$tenant.ledgers.new.tsx';

const made = {
  ledgerId: 'l9',
  tenantId: 't1',
  name: 'notes',
  ownerId: 'u1',
  maxShares: 5,
  createdAt: '',
  updatedAt: '',
};

function submit(name: string, api: Partial<AdminClient>, more = {}) {
  const call = callOf(appWith({ api }), '/fp/cloud/tenants/t1/ledgers/new', {
    form: { name, ...more },
    params: { tenantId: 't1' },
  });
  return action(call);
}

test.each([
  ['', 'Name is required'],
  ['  ', 'Name is required'],
  ['ab', 'Name must be at least 3 characters'],
  ['🦊🦊', 'Name must be at least 3 characters'],
])('[5.2] rejects "%s" as the name of a ledger', async (name, error) => {
  expect(await submit(name, {})).toMatchObject({ data: { error }, init: { status: 400 } });
});

test('[8.4] shows a rejection by the cloud, with status 400', async () => {
  const api = { createLedger: () => refused(new FixpointError('CONFLICT', 'notes')) };
  expect(await submit('notes', api)).toMatchObject({
    data: { error: 'conflict: notes' },
    init: { status: 400 },
  });
});

test.each([
  ['sealed', { kind: 'sealed' }],
  ['open-key', { kind: 'open-key' }],
  ['', {}],
  ['secret', {}],
])('turns the kind "%s" of a form into the request %o', async (kind, asked) => {
  const createLedger = vi.fn(() => done(made));
  await submit('notes', { createLedger }, { kind });
  expect(createLedger).toHaveBeenCalledExactlyOnceWith({ tenantId: 't1', name: 'notes', ...asked });
});

test('opens the ledger that the user created', async () => {
  expect(locationOf(await submit('notes', { createLedger: () => done(made) }))).toBe(
    '/fp/cloud/tenants/t1/ledgers/l9',
  );
});
