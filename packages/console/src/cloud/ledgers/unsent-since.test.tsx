import type { SyncStatus } from 'fixpoint';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { attachedWith } from '../../features/keys/attached.fixture.ts';
import { ageText, followUnsent, forgetUnsent, unsentSince } from './unsent-since.ts';

const NOW = '2026-11-25T12:00:00.000Z';
const LATER = '2026-11-25T13:00:00.000Z';

beforeEach(() => {
  vi.useFakeTimers({ now: new Date(NOW) });
  localStorage.clear();
});
afterEach(() => void vi.useRealTimers());

/** Follows a ledger with this first status; returns a function that changes it. */
function followed(first: Partial<SyncStatus> = {}) {
  const { attached, become } = attachedWith({ first });
  followUnsent('notes', attached);
  return become;
}

describe('the time of the first unsent change', () => {
  test('is set by the first unsent change, and doesn’t change with further unsent changes', async () => {
    const become = followed();
    expect(unsentSince('notes')).toBeUndefined();
    await become({ state: 'offline', toSend: 1 });
    expect(unsentSince('notes')).toBe(NOW);
    vi.setSystemTime(new Date(LATER));
    await become({ toSend: 2 });
    expect(unsentSince('notes')).toBe(NOW);
  });

  test('is deleted once all changes are sent, and set again by the next unsent change', async () => {
    const become = followed({ state: 'offline', toSend: 1 });
    await become({ state: 'in-sync', toSend: 0 });
    expect(unsentSince('notes')).toBeUndefined();
    vi.setSystemTime(new Date(LATER));
    await become({ toSend: 1 });
    expect(unsentSince('notes')).toBe(LATER);
  });

  test('survives a reload of the page, and differs for each database', () => {
    localStorage.setItem('fixpoint:unsent-since:notes', NOW);
    vi.setSystemTime(new Date(LATER));
    followed({ state: 'connecting', toSend: 3 });
    expect([unsentSince('notes'), unsentSince('drafts')]).toEqual([NOW, undefined]);
  });

  test('is kept when the browser removed the documents, until the copy is reset', async () => {
    const become = followed({ state: 'offline', toSend: 1 });
    await become({ state: 'store-lost', toSend: 0 });
    expect(unsentSince('notes')).toBe(NOW);
    forgetUnsent('notes');
    expect(unsentSince('notes')).toBeUndefined();
  });

  test('stays undefined in a browser without storage', () => {
    const blocked = () => {
      throw new Error('blocked');
    };
    vi.stubGlobal('localStorage', { getItem: blocked, setItem: blocked, removeItem: blocked });
    followed({ state: 'offline', toSend: 1 });
    forgetUnsent('notes');
    expect(unsentSince('notes')).toBeUndefined();
  });
});

describe('the age of unsent changes', () => {
  test.each([
    [0, 'less than a minute'],
    [-5000, 'less than a minute'],
    [60_000, '1 minute'],
    [7_199_000, '1 hour'],
    [3 * 86_400_000, '3 days'],
  ])('shows %d ms as %s', (ms, text) => {
    const since = new Date(1_000_000_000_000).toISOString();
    expect(ageText(since, 1_000_000_000_000 + ms)).toBe(text);
  });
});
