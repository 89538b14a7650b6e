import { FixpointError } from '@fixpoint/protocol';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createApp, SESSION_KEY, tellSignedOut } from './app.ts';
import type { SessionUser } from './identity/session-port.ts';

const connection = { effectiveType: '4g' };

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('navigator', { connection });
});

afterEach(() => {
  connection.effectiveType = '4g';
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const onUser = { startAnew: vi.fn(), goOn: vi.fn() };
const appOf = () => createApp(() => Promise.reject(new Error('nobody asks the server')), onUser);

/**
 * Makes a call that always fails with this error. Returns the times of all attempts, in seconds
 * after the first attempt.
 */
async function timesOf(error: Error): Promise<readonly number[]> {
  const began = Date.now();
  const times: number[] = [];
  const queryFn = () => {
    times.push((Date.now() - began) / 1000);
    return Promise.reject(error);
  };
  const failed = expect(appOf().queries.fetchQuery({ queryKey: ['x'], queryFn })).rejects.toBe(error);
  await vi.advanceTimersByTimeAsync(300_000);
  await failed;
  return times;
}

test('[spec 9] retries a failed call three times, every five seconds, or every ten on a slow connection', async () => {
  expect(await timesOf(new FixpointError('FETCH'))).toEqual([0, 5, 10, 15]);
  connection.effectiveType = '2g';
  expect(await timesOf(new FixpointError('FETCH'))).toEqual([0, 10, 20, 30]);
  expect(await timesOf(new FixpointError('LIMIT_REACHED'))).toEqual([0]);
});

test('[spec 9] keeps an answer for five minutes after the user left the last page that shows the answer', async () => {
  const { queries } = appOf();
  await queries.fetchQuery({ queryKey: ['x'], queryFn: () => 'answer' });
  await vi.advanceTimersByTimeAsync(299_000);
  expect(queries.getQueryData(['x'])).toBe('answer');
  await vi.advanceTimersByTimeAsync(2000);
  expect(queries.getQueryData(['x'])).toBeUndefined();
});

describe('a change of the signed-in user', () => {
  const ada = { name: 'Ada', email: 'ada@example.com', emailVerified: true };
  const bob = { ...ada, name: 'Bob', email: 'bob@example.com' };
  const { startAnew, goOn } = onUser;
  const seen = (...users: readonly (SessionUser | null)[]) => {
    startAnew.mockClear();
    goOn.mockClear();
    const { queries } = appOf();
    for (const user of users) queries.setQueryData(SESSION_KEY, user);
    return queries;
  };

  test('reloads the page when another user signs in from another tab', () => {
    seen(ada, bob);
    expect(startAnew).toHaveBeenCalledTimes(1);
    // `goOn` isn't called for Bob. When this page unloads, it still saves Ada's notes, so only the
    // reloaded page can check who owns the notes.
    expect(goOn.mock.calls).toEqual([[ada.email]]);
  });

  test('reloads the page when another user signs in after the previous user signed out', () => {
    seen(ada, null, bob);
    expect(startAnew).toHaveBeenCalledTimes(1);
  });

  test('keeps the page when the same user signs in', () => {
    seen(ada, ada, null, ada);
    expect(startAnew).not.toHaveBeenCalled();
  });

  test('keeps the page after a sign-in on this page, because all data of the previous user was dropped', () => {
    const queries = seen(ada, null);
    queries.clear();
    queries.setQueryData(SESSION_KEY, bob);
    expect(startAnew).not.toHaveBeenCalled();
    expect(goOn.mock.calls).toEqual([[ada.email], [bob.email]]);
  });
});

describe('a message from another tab that the session ended', () => {
  const ada = { name: 'Ada', email: 'ada@example.com', emailVerified: true };
  /** Sends a message as another tab does, and waits until this tab has received it. */
  async function tell() {
    const [sent, received] = [
      new BroadcastChannel('fixpoint:session'),
      new BroadcastChannel('fixpoint:session'),
    ];
    const arrived = new Promise((resolve) => received.addEventListener('message', resolve, { once: true }));
    sent.postMessage('ended');
    await arrived;
    sent.close();
    received.close();
  }
  beforeEach(() => void vi.useRealTimers());

  test('makes this tab check the session, and nothing else', async () => {
    const { queries, session } = appOf();
    const forget = vi.spyOn(session, 'forgetToken');
    queries.setQueryData(SESSION_KEY, ada);
    queries.setQueryData(['x'], 'answer');
    await tell();
    await expect.poll(() => queries.getQueryState(SESSION_KEY)?.isInvalidated).toBe(true);
    expect(forget).toHaveBeenCalled();
    expect([queries.getQueryState(['x'])?.isInvalidated, queries.getQueryData(['x'])]).toEqual([
      false,
      'answer',
    ]);
  });

  test('keeps the user until the server confirms it, because any page of the origin can send it', async () => {
    const { queries } = appOf();
    queries.setQueryData(SESSION_KEY, ada);
    onUser.startAnew.mockClear();
    await tell();
    await expect.poll(() => queries.getQueryState(SESSION_KEY)?.isInvalidated).toBe(true);
    expect([queries.getQueryData(SESSION_KEY), onUser.startAnew.mock.calls]).toEqual([ada, []]);
  });

  test('is sent when the user signs out here', async () => {
    const received = new BroadcastChannel('fixpoint:session');
    const arrived = new Promise((resolve) => received.addEventListener('message', resolve, { once: true }));
    tellSignedOut();
    await arrived;
    received.close();
  });
});
