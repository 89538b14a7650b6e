import type { Database, Stored } from 'fixpoint';
import { afterEach, expect, test, vi } from 'vitest';
import { beginDraft, takeBegun, whileNothingOpens } from './begun-draft.ts';

/** Returns a database with one document, and counts its reads and listeners. */
function oneDocument() {
  const stored: Stored = { _id: 'a', x: 1 };
  const counts = { read: 0, listening: 0 };
  const database = {
    get: () => {
      counts.read += 1;
      return Promise.resolve(stored);
    },
    subscribe: () => {
      counts.listening += 1;
      return () => {
        counts.listening -= 1;
      };
    },
  } as unknown as Database;
  return { database, counts };
}

afterEach(() => {
  vi.useRealTimers();
});

test('reads a prefetched document only once, and gives its draft to the page', async () => {
  vi.useFakeTimers();
  const { database, counts } = oneDocument();
  beginDraft(database, 'a');
  beginDraft(database, 'a');
  const live = takeBegun(database, 'a');
  const stop = live!.subscribe(() => undefined);
  await vi.advanceTimersByTimeAsync(0);
  expect(live?.current()).toMatchObject({ state: 'there', draft: { id: 'a' } });
  expect(takeBegun(database, 'a')).toBeUndefined();
  vi.runOnlyPendingTimers();
  expect(counts).toEqual({ read: 1, listening: 1 });
  stop();
  expect(counts.listening).toBe(0);
});

test('returns a draft only for its own document and database', () => {
  const { database } = oneDocument();
  beginDraft(database, 'a');
  expect(takeBegun(database, 'b')).toBeUndefined();
  expect(takeBegun(database, undefined)).toBeUndefined();
  expect(takeBegun(oneDocument().database, 'a')).toBeUndefined();
  expect(takeBegun(database, 'a')).toBeDefined();
});

test('stops following a document that nobody opens, when another is prefetched or after a timeout', () => {
  vi.useFakeTimers();
  const { database, counts } = oneDocument();
  beginDraft(database, 'a');
  beginDraft(database, 'b');
  expect(counts).toEqual({ read: 2, listening: 1 });
  vi.runOnlyPendingTimers();
  expect(counts.listening).toBe(0);
  expect(takeBegun(database, 'b')).toBeUndefined();
});

test('pauses background work while a document opens, and resumes it if nobody opens the document', () => {
  vi.useFakeTimers();
  const { database } = oneDocument();
  let going = 0;
  let times = 0;
  const stop = whileNothingOpens(() => {
    going += 1;
    times += 1;
    return () => {
      going -= 1;
    };
  });
  expect(going).toBe(1);
  beginDraft(database, 'a');
  beginDraft(database, 'b');
  expect([going, times]).toEqual([0, 1]);
  vi.runOnlyPendingTimers();
  expect([going, times]).toEqual([1, 2]);
  beginDraft(database, 'a');
  // The page that opens the document replaces the one with the background work.
  takeBegun(database, 'a');
  stop();
  vi.runOnlyPendingTimers();
  expect([going, times]).toEqual([0, 2]);
});
