import type { AdminClient, ServerTenant } from '@fixpoint/protocol/admin';
import { act, fireEvent, screen, within } from '@testing-library/react';
import { describe, expect, test, vi } from 'vitest';
import { done, refusedWith, signedIn } from '../../cloud/app.fixture.ts';
import { drawPart, press } from '../../cloud/part.fixture.tsx';
import { withPages } from '../../ui/pages.fixture.tsx';
import { TenantPanel } from './tenant-panel.tsx';

withPages();

const AT = '2026-11-20T12:00:00.000Z';
const TENANT: ServerTenant = {
  tenantId: 't1',
  name: 'Hopper Logistics',
  status: 'active',
  ownerUserId: 'u1',
  ownerEmail: 'grace@example.com',
  createdAt: AT,
  maxAdminUsers: 5,
  maxMemberUsers: 5,
  maxInvites: 10,
  maxLedgers: 5,
  maxShares: 5,
  admins: 4,
  members: 5,
  ledgers: 5,
  bytes: 912_000_000,
  maxBytes: 1e9,
  traffic: [
    { day: '2026-11-19', uploaded: 1500, downloaded: 500 },
    { day: '2026-11-20', uploaded: 500, downloaded: 500 },
  ],
};
const record = (seq: number, tenantId: string) => ({
  ...{ seq, at: AT, userId: 'u1', email: 'grace@example.com', action: 'reqCreateLedger', tenantId },
  detail: '{"ledger":{"name":"orders"}}',
});

async function draw(more: Partial<ServerTenant> = {}, api: Partial<AdminClient> = {}) {
  const closed = vi.fn();
  const sent: unknown[] = [];
  const parts = signedIn({
    api: {
      listServerAudit: () => done({ records: [] }),
      setTenantLimits: (limits) => {
        sent.push(limits);
        return done({ tenantId: 't1' });
      },
      ...api,
    },
  });
  await drawPart(() => <TenantPanel tenant={{ ...TENANT, ...more }} onClose={closed} />, parts);
  return { closed, sent, shown: within(screen.getByRole('complementary', { name: /^Tenant / })) };
}

describe('the panel of a tenant', () => {
  test('says who owns the tenant, what it stores and what it moved', async () => {
    const { shown } = await draw();
    expect(shown.getByRole('heading', { name: 'Hopper Logistics', level: 2 })).toBeDefined();
    expect(shown.getByText(/owned by grace@example\.com$/)).toBeDefined();
    expect(shown.getByRole('heading', { name: /^Storage/ }).textContent).toBe('Storage 912 MB of 1 GB');
    const moved = (name: string) => shown.getByText(name).nextElementSibling?.textContent;
    expect([moved('Sent to the server'), moved('Fetched from it')]).toEqual(['2 kB', '1 kB']);
    expect(shown.getByText('912 MB used')).toBeDefined();
    expect(shown.getByText('4 used')).toBeDefined();
  });

  test('names an owner without an address, a tenant without a quota, and a status', async () => {
    const { shown } = await draw({ ownerEmail: undefined, maxBytes: undefined, status: 'banned' });
    expect(shown.getByText(/owned by u1$/)).toBeDefined();
    expect(shown.getByText('banned')).toBeDefined();
    expect(shown.getByRole('heading', { name: /^Storage/ }).textContent).toBe(
      'Storage 912 MB without a quota',
    );
    expect(shown.queryByText(/^Devices keep what exceeds/)).toBeNull();
  });

  test('shows the newest events of this tenant only', async () => {
    const records = [
      record(1, 't2'),
      ...Array.from({ length: 7 }, (_, at) => record(at + 2, 't1')),
      record(9, 'server'),
    ];
    const { shown } = await draw({}, { listServerAudit: () => done({ records }) });
    const list = await shown.findByRole('list', { name: 'Last events' });
    const events = within(list).getAllByRole('listitem');
    expect(events).toHaveLength(5);
    expect(events[0]?.textContent).toMatch(/^grace@example\.com created the database orders/);
    expect(shown.getByRole('link', { name: 'Audit log' }).getAttribute('href')).toBe(
      '/fp/cloud/operator/audit',
    );
  });

  test('says among how many events there is none, and why events are missing', async () => {
    const { shown } = await draw({}, { listServerAudit: () => done({ records: [record(1, 't2')] }) });
    expect(await shown.findByText('None among the last 1 events of the server.')).toBeDefined();
  });

  test('says that the events couldn’t be loaded', async () => {
    const { shown } = await draw({}, { listServerAudit: () => refusedWith('tired') });
    expect(await shown.findByText('Couldn’t load the events.')).toBeDefined();
  });

  test('sends only limits that changed, and always the quota', async () => {
    const { sent, shown } = await draw();
    const field = (name: string) => shown.getByLabelText<HTMLInputElement>(name);
    expect(field('Storage').value).toBe('1 GB');
    fireEvent.change(field('Pending invites'), { target: { value: '12' } });
    fireEvent.change(field('Storage'), { target: { value: '' } });
    await press('Save limits');
    await screen.findByText('The limits of Hopper Logistics are saved.');
    expect(sent).toEqual([{ tenantId: 't1', maxInvites: 12, maxBytes: null }]);
  });

  test('marks a size that it can’t read, and sends nothing', async () => {
    const { sent, shown } = await draw();
    const storage = shown.getByLabelText<HTMLInputElement>('Storage');
    fireEvent.change(storage, { target: { value: 'plenty' } });
    await press('Save limits');
    expect((await shown.findByRole('alert')).textContent).toMatch(/^Enter a size/);
    expect(storage.getAttribute('aria-invalid')).toBe('true');
    expect(sent).toEqual([]);
  });

  test('closes', async () => {
    const { closed, shown } = await draw();
    await act(async () => shown.getByRole('button', { name: 'Close' }).click());
    expect(closed).toHaveBeenCalledTimes(1);
  });
});
