import { FixpointError } from '@fixpoint/protocol';
import type { UserTenant } from '@fixpoint/protocol/admin';
import { act, screen, waitFor, within } from '@testing-library/react';
import type { Attached, SyncStatus, WithheldEntry } from 'fixpoint';
import { expect, test } from 'vitest';
import { ada, appWith, done, tenantCalled, userWith } from '../../cloud/app.fixture.ts';
import { drawPages, withPages } from '../../ui/pages.fixture.tsx';
import { WithheldPart } from './withheld-part.tsx';

withPages();

const TITLE = 'Entries that don’t sync';
const BAD: readonly WithheldEntry[] = [
  { cid: 'bafyrei12345678', why: 'malformed', author: 'u7', since: Date.UTC(2026, 0, 2) },
  { cid: 'bafyrei87654321', why: 'absent', objects: ['car/a'] },
];

async function drawn(role: UserTenant['role'], given: Partial<Attached> = {}) {
  let left = BAD;
  const removed: (readonly string[])[] = [];
  const status: SyncStatus = { state: 'in-sync', toSend: 0, toFetch: 0, rejected: 2 };
  const attached = {
    status: () => status,
    onStatus: () => () => undefined,
    withheld: async () => left,
    removeEntries: async (cids: readonly string[]) => {
      removed.push(cids);
      left = left.filter(({ cid }) => !cids.includes(cid));
    },
    ...given,
  } as unknown as Attached;
  const tenant = { ...tenantCalled('t1', 'Engines'), role };
  const members = [{ userId: 'u7', email: 'eve@example.com', role: 'member' as const }];
  const parts = appWith({
    user: ada,
    api: {
      ensureUser: () => done({ user: userWith('active'), tenants: [] }),
      listTenantsByUser: () => done([{ ...tenant, members }]),
    },
  });
  const Component = () => <WithheldPart attached={attached} tenantId="t1" />;
  await drawPages([{ path: '/', Component }], '/', parts);
  return removed;
}

const rows = async () => within(await screen.findByRole('list', { name: TITLE })).getAllByRole('listitem');

test('[R20] shows admins each entry with its author, and removes an entry after a confirmation', async () => {
  const removed = await drawn('admin');
  await screen.findByText(/Author: eve@example\.com, received/);
  expect((await rows()).map((row) => row.textContent)).toEqual([
    expect.stringContaining('no device can read this entry'),
    expect.stringContaining('The server lost 1 object'),
  ]);
  await act(async () => screen.getByRole('button', { name: 'Remove entry …12345678' }).click());
  expect(removed).toEqual([]);
  await act(async () => screen.getByRole('button', { name: 'Remove entry' }).click());
  await screen.findByText('Entry removed.');
  expect(removed).toEqual([['bafyrei12345678']]);
  await waitFor(async () => expect(await rows()).toHaveLength(1));
});

test('[R20] shows members the list and who can remove entries, but no button', async () => {
  await drawn('member');
  expect(await rows()).toHaveLength(2);
  await screen.findByText('An admin of the tenant can see who wrote these entries, and remove them.');
  expect(screen.queryByRole('button')).toBeNull();
  expect(screen.queryByText(/Author/)).toBeNull();
});

test('says why an entry could not be removed, and keeps it in the list', async () => {
  await drawn('admin', { removeEntries: () => Promise.reject(new FixpointError('FORBIDDEN')) });
  await act(async () => (await screen.findByRole('button', { name: 'Remove entry …12345678' })).click());
  await act(async () => screen.getByRole('button', { name: 'Remove entry' }).click());
  await screen.findByText(/Couldn’t remove the entry/);
  expect(await rows()).toHaveLength(2);
});

test('says when the list could not be fetched, and offers another attempt', async () => {
  let isDown = true;
  const withheld = async () => {
    if (isDown) throw new FixpointError('FETCH', 'away');
    return BAD;
  };
  await drawn('member', { withheld });
  await screen.findByText(/Couldn’t load the entries/);
  isDown = false;
  await act(async () => screen.getByRole('button', { name: 'Try again' }).click());
  expect(await rows()).toHaveLength(2);
});
