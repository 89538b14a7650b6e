import { FixpointError } from '@fixpoint/protocol';
import { act, screen, waitFor } from '@testing-library/react';
import type { SyncStatus } from 'fixpoint';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { appWith } from '../../cloud/app.fixture.ts';
import { drawPart, isDisabled, press } from '../../cloud/part.fixture.tsx';
import { waiting, withPages } from '../../ui/pages.fixture.tsx';
import { timeOf } from '../../ui/text/moment.ts';
import { type AttachedGiven, attachedWith } from '../keys/attached.fixture.ts';
import { SyncPart } from './sync-part.tsx';

withPages();

const NOW = '2026-11-25T12:00:00Z';
const UNSENT_SINCE = 'fixpoint:unsent-since:notes';

beforeEach(() => {
  vi.useFakeTimers({ now: new Date(NOW), shouldAdvanceTime: true });
  localStorage.clear();
});
afterEach(() => void vi.useRealTimers());

async function part(first: Partial<SyncStatus> = {}, given: AttachedGiven = {}) {
  const ledger = attachedWith({ first, ...given });
  await drawPart(() => <SyncPart database="notes" attached={ledger.attached} />, appWith({}));
  return ledger;
}
/** Returns the value of a fact; undefined when it isn't shown. */
const fact = (name: string) => screen.queryByText(name)?.nextElementSibling?.textContent ?? undefined;

describe('the state of the sync', () => {
  test('follows the ledger live, with what is pending', async () => {
    const { become } = await part();
    expect([fact('Status'), fact('To send'), fact('To fetch')]).toEqual(['In sync', 'Nothing', 'Nothing']);
    await become({ state: 'catching-up', toSend: 1, toFetch: 1200 });
    expect([fact('Status'), fact('To send'), fact('To fetch')]).toEqual([
      '1 to send',
      '1 archive',
      '1,200 archives',
    ]);
  });

  test('shows how many entries are unreadable, once there are some', async () => {
    const { become } = await part();
    expect(fact('Unreadable entries')).toBeUndefined();
    await become({ rejected: 3 });
    expect(fact('Unreadable entries')).toBe('3');
  });

  test('shows the error’s message as the reason, except for a network error', async () => {
    const { become } = await part({ state: 'offline', error: new FixpointError('FETCH', 'ECONNRESET') });
    expect(fact('Reason')).toBe('Couldn’t reach the server. Check your connection, then try again.');
    await become({ state: 'refused', error: new FixpointError('FORBIDDEN', 'You were removed.') });
    expect(fact('Reason')).toContain('You were removed.');
    await become({ state: 'in-sync', error: undefined } as object);
    expect(fact('Reason')).toBeUndefined();
  });
});

describe('the age of unsent changes', () => {
  test('is the time that the oldest change has waited, and keeps counting', async () => {
    localStorage.setItem(UNSENT_SINCE, '2026-11-25T11:01:00Z');
    await part({ state: 'offline', toSend: 2 });
    expect(fact('Oldest unsent change')).toBe('59 minutes');
    await act(async () => vi.advanceTimersByTime(60_000));
    expect(fact('Oldest unsent change')).toBe('1 hour');
    expect(screen.getByText('1 hour').title).toBe(timeOf('2026-11-25T11:01:00Z'));
  });

  test('is hidden when all changes are sent, or when the time is unknown', async () => {
    const { become } = await part({ state: 'offline', toSend: 2 });
    expect(fact('Oldest unsent change')).toBeUndefined();
    localStorage.setItem(UNSENT_SINCE, NOW);
    await become({ state: 'in-sync', toSend: 0 });
    expect(fact('Oldest unsent change')).toBeUndefined();
  });
});

describe('the time when the ledger was last in sync', () => {
  test('stays unknown until the ledger is in sync while the page is open', async () => {
    const { become } = await part({ state: 'connecting' });
    expect(fact('Last in sync')).toBe('Not since you opened this page');
    await become({ state: 'in-sync' });
    expect(fact('Last in sync')).toBe(timeOf(NOW));
  });

  test('is the moment at which the sync fell behind', async () => {
    const { become } = await part();
    vi.setSystemTime(new Date('2026-11-25T12:30:00Z'));
    await become({ state: 'offline' });
    vi.setSystemTime(new Date('2026-11-25T13:30:00Z'));
    await become({ toSend: 1 });
    expect(fact('Last in sync')).toBe(timeOf('2026-11-25T12:30:00Z'));
  });
});

describe('syncing on demand', () => {
  test('waits until everything is in sync, one attempt at a time', async () => {
    const answer = waiting<void>();
    let asked = 0;
    await part(
      { toSend: 1 },
      {
        synced: () => {
          asked += 1;
          return answer.promise;
        },
      },
    );
    await press('Sync now');
    expect(isDisabled('Syncing...')).toBe(true);
    await press('Syncing...');
    expect(asked).toBe(1);
    await answer.come();
    await screen.findByText('Everything is in sync.');
    expect(isDisabled('Sync now')).toBe(false);
  });

  test('says why the sync is incomplete, and allows another attempt', async () => {
    await part({}, { synced: () => Promise.reject(new FixpointError('FORBIDDEN', 'You were removed.')) });
    await press('Sync now');
    const alert = await screen.findByRole('alert');
    expect(alert.textContent).toMatch(/Sync is incomplete: .*You were removed\./);
    await waitFor(() => expect(isDisabled('Sync now')).toBe(false));
  });
});
