import { FixpointError } from '@fixpoint/protocol';
import { screen } from '@testing-library/react';
import type { BridgedDatabase } from 'fixpoint/bridge';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { appWith } from '../../cloud/app.fixture.ts';
import { drawPart, isDisabled, press } from '../../cloud/part.fixture.tsx';
import { waiting, withPages } from '../../ui/pages.fixture.tsx';
import { dayOf } from '../../ui/text/moment.ts';
import { LedgerList } from './ledger-list.tsx';
import { ledgerNameProblem } from './ledger-name.ts';
import { LostLedger } from './lost-ledger.tsx';

withPages();

const UNSENT_SINCE = 'fixpoint:unsent-since:ledger-z1';
beforeEach(() => {
  vi.useFakeTimers({ now: new Date('2026-11-25T12:00:00Z'), shouldAdvanceTime: true });
  localStorage.clear();
});
afterEach(() => void vi.useRealTimers());

async function lost() {
  let resets = 0;
  const destroyed = waiting<Error | undefined>();
  const destroy = async () => {
    const failure = await destroyed.promise;
    if (failure !== undefined) throw failure;
  };
  const database = { name: 'ledger-z1', destroy } as unknown as BridgedDatabase;
  const onReset = () => {
    resets += 1;
  };
  await drawPart(() => <LostLedger ledgerId="z1" database={database} onReset={onReset} />, appWith({}));
  return { destroyed, resets: () => resets };
}

describe('a copy that the browser removed', () => {
  test('says that everything sent is safe, and mentions no unsent changes if there were none', async () => {
    await lost();
    expect(screen.getByRole('alert', { name: 'Documents removed' }).textContent).toContain(
      'The server still has everything that was sent.',
    );
    expect(screen.queryByText(/Unsent changes are lost/)).toBeNull();
  });

  test('says that unsent changes are lost, and how old the oldest of them was', async () => {
    localStorage.setItem(UNSENT_SINCE, '2026-11-25T10:00:00Z');
    await lost();
    await screen.findByText(/Unsent changes are lost\. The oldest of them was 2 hours old\./);
  });

  test('restores the copy from the server when the user asks, only once', async () => {
    localStorage.setItem(UNSENT_SINCE, '2026-11-25T10:00:00Z');
    const { destroyed, resets } = await lost();
    await press('Restore from the server');
    expect([isDisabled('Restore from the server'), resets()]).toEqual([true, 0]);
    await destroyed.come(undefined);
    expect([resets(), localStorage.getItem(UNSENT_SINCE)]).toEqual([1, null]);
  });

  test('says why the copy couldn’t be restored, and allows another attempt', async () => {
    const { destroyed, resets } = await lost();
    await press('Restore from the server');
    await destroyed.come(new FixpointError('STORE_LOCKED'));
    await screen.findByText(/Close other pages that use this database, then try again\./);
    expect([isDisabled('Restore from the server'), resets()]).toEqual([false, 0]);
  });
});

describe('the list of a tenant’s databases', () => {
  test('links each database by its name, with its kind and the day it was created', async () => {
    const of = {
      tenantId: 't1',
      ownerId: 'u1',
      maxShares: 5,
      createdAt: '2026-11-20T12:00:00Z',
      updatedAt: '',
    };
    const ledgers = [
      { ...of, ledgerId: 'z1', name: '<b>Notes</b>', kind: 'sealed' as const },
      { ...of, ledgerId: 'z2', name: 'Drafts' },
    ];
    await drawPart(() => <LedgerList tenantId="t1" ledgers={ledgers} />, appWith({}));
    const links = screen.getAllByRole('link');
    const day = `created ${dayOf(of.createdAt)}`;
    expect(links.map((link) => [link.textContent, link.getAttribute('href')])).toEqual([
      [`<b>Notes</b>${day} End-to-end encrypted`, '/fp/cloud/tenants/t1/ledgers/z1'],
      [`Drafts${day}`, '/fp/cloud/tenants/t1/ledgers/z2'],
    ]);
  });
});

describe('the name of a database', () => {
  test.each([
    ['', 'Name is required'],
    ['ab', 'Name must be at least 3 characters'],
    ['🙂🙂', 'Name must be at least 3 characters'],
    ['abc', undefined],
    ['🙂🙂🙂', undefined],
    ['constructor', undefined],
  ])('counts characters as people do: "%s"', (name, problem) => {
    expect(ledgerNameProblem(name)).toBe(problem);
  });
});
