import { FixpointError, type Result } from '@fixpoint/protocol';
import type { AdminClient, Answer, AuditRecord, Ledger } from '@fixpoint/protocol/admin';
import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { done, refused, signedIn } from '../../cloud/app.fixture.ts';
import { drawPart, hasButton, press } from '../../cloud/part.fixture.tsx';
import { waiting, withPages } from '../../ui/pages.fixture.tsx';
import { timeOf } from '../../ui/text/moment.ts';
import { ActivityCard } from './activity-card.tsx';

withPages();

type Page = Answer<'reqListAudit'>;
const AT = '2026-11-24T12:00:00Z';
const recordWith = (seq: number, given: Partial<AuditRecord> = {}): AuditRecord => ({
  seq,
  at: AT,
  userId: 'u2',
  action: 'reqInviteUser',
  tenantId: 't1',
  detail: '{}',
  ...given,
});
const pageOf = (records: readonly AuditRecord[], next?: number): Page =>
  ({ records: [...records], ...(next !== undefined && { next }) }) as Page;

async function card(listAudit: AdminClient['listAudit'], api: Partial<AdminClient> = {}, latest?: number) {
  const parts = signedIn({
    api: { listAudit, listLedgersByUser: () => done([]), listInvites: () => done([]), ...api },
  });
  const members = [{ userId: 'u2', name: 'Grace', email: 'grace@example.com', role: 'admin' as const }];
  await drawPart(() => <ActivityCard tenantId="t1" {...{ members, ...(latest && { latest }) }} />, parts);
}
const rows = async () =>
  within(await screen.findByRole('list', { name: 'Activity' }))
    .getAllByRole('listitem')
    .map(({ textContent }) => textContent);

describe('the activity of a tenant', () => {
  test('says who did what, when, and from where', async () => {
    await card(() =>
      done(pageOf([recordWith(1, { detail: '{"byEmail":"bob@example.com"}', from: '10.0.0.1' })])),
    );
    expect((await rows())[0]).toMatch(/^grace@example\.com invited bob@example\.com/);
    expect((await rows())[0]).toMatch(`${timeOf(AT)} from 10.0.0.1`);
  });

  test('replaces ids of members, databases and invitees by the names that are known', async () => {
    const detail = JSON.stringify({ ledgerId: 'z1', userId: 'u2', invitedUserId: 'u3', otherId: 'u9' });
    await card(() => done(pageOf([recordWith(1, { userId: 'u9', action: 'reqShareLedger', detail })])), {
      listLedgersByUser: () => done([{ ledgerId: 'z1', name: 'Notes' }] as never),
      listInvites: () => done([{ invitedUserId: 'u3', invitee: 'bob@example.com' }] as never),
    });
    await waitFor(async () =>
      expect((await rows())[0]).toMatch(/^u9 shared Notes with grace@example\.com: bob@example\.com/),
    );
  });

  test('waits for the names before it shows a record', async () => {
    const ledgers = waiting<Result<Ledger[]>>();
    const detail = JSON.stringify({ ledgerId: 'z1', userId: 'u2' });
    await card(() => done(pageOf([recordWith(1, { action: 'reqShareLedger', detail })])), {
      listLedgersByUser: () => ledgers.promise,
    });
    await screen.findByText('Loading...');
    expect(screen.queryByText(/shared/)).toBeNull();
    await ledgers.come({ ok: true, value: [{ ledgerId: 'z1', name: 'Notes' } as Ledger] });
    expect((await rows())[0]).toMatch(/shared Notes with/);
  });

  test('calls members by their names in the short list', async () => {
    await card(() => done(pageOf([recordWith(1, { detail: '{"byEmail":"bob@example.com"}' })])), {}, 3);
    expect((await rows())[0]).toMatch(/^Grace invited bob@example\.com/);
  });

  test('shows actions of a newer server as they are, and markup as text', async () => {
    await card(() => done(pageOf([recordWith(1, { action: 'reqPaint', detail: '<img src=x>' })])));
    expect((await rows())[0]).toBe(`grace@example.com reqPaint: <img src=x>${timeOf(AT)}`);
    expect(document.querySelector('img')).toBeNull();
  });

  test('loads older records when the user asks, and shows them after the newer ones', async () => {
    const asked: unknown[] = [];
    await card((request) => {
      asked.push(request.before);
      return done(request.before === undefined ? pageOf([recordWith(9)], 9) : pageOf([recordWith(8)]));
    });
    expect(await rows()).toHaveLength(1);
    await press('Show older activity');
    await waitFor(async () => expect(await rows()).toHaveLength(2));
    expect([asked, hasButton('Show older activity')]).toEqual([[undefined, 9], false]);
  });

  test('keeps the records when older ones fail to load, and asks for the same page again', async () => {
    const asked: unknown[] = [];
    let isDown = true;
    await card((request) => {
      asked.push(request.before);
      if (request.before === undefined) return done(pageOf([recordWith(9)], 9));
      return isDown ? refused(new FixpointError('FETCH', 'reset')) : done(pageOf([recordWith(8)]));
    });
    await press('Show older activity');
    expect((await screen.findByRole('alert')).textContent).toContain('Couldn’t reach the server.');
    expect([(await rows()).length, hasButton('Show older activity')]).toEqual([1, false]);
    isDown = false;
    await press('Try again');
    await waitFor(async () => expect(await rows()).toHaveLength(2));
    expect(asked).toEqual([undefined, 9, 9]);
  });

  test('shows that it is loading, then why that failed, and offers another attempt', async () => {
    const first = waiting<Awaited<ReturnType<AdminClient['listAudit']>>>();
    let asked = 0;
    await card(() => {
      asked += 1;
      return asked === 1 ? first.promise : done(pageOf([recordWith(1)]));
    });
    await screen.findByText('Loading...');
    await first.come({ ok: false, error: new FixpointError('FORBIDDEN', 'Only for admins.') });
    expect((await screen.findByRole('alert')).textContent).toContain('Only for admins.');
    expect(screen.queryByText('Loading...')).toBeNull();
    await press('Try again');
    expect(await rows()).toHaveLength(1);
  });
});
