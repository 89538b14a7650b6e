import { FixpointError } from '@fixpoint/protocol';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { SITE_FACTOR } from './network.ts';
import {
  createAddressThrottle,
  createGuesses,
  createThrottle,
  RateLimited,
  retryHeaders,
} from './rate-limiter.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
});

const pass = (ms: number) => vi.setSystemTime(Date.now() + ms);
const secondsOf = (call: Promise<void>): Promise<number> =>
  call.then(
    () => 0,
    (cause: unknown) => (cause instanceof RateLimited ? cause.retryAfterSeconds : Promise.reject(cause)),
  );

describe('a refusal', () => {
  test('contains the seconds until a retry, rounded up to at least one', () => {
    expect(new RateLimited(1)).toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: 1 });
    expect(new RateLimited(0).retryAfterSeconds).toBe(1);
    expect(new RateLimited(1001).message).toContain('again in 2 s');
  });

  test('becomes a Retry-After header, but other errors become no header', () => {
    expect(retryHeaders(new RateLimited(2500))).toEqual({ 'retry-after': '3' });
    for (const cause of [new FixpointError('NOT_FOUND'), new Error('x'), undefined])
      expect(retryHeaders(cause)).toEqual({});
  });
});

describe('a throttle', () => {
  test('[S7] rejects events above the limit, and reports when the window ends', async () => {
    const throttle = createThrottle(2, 60);
    expect(await secondsOf(throttle.count('ada'))).toBe(0);
    pass(20_000);
    expect(await secondsOf(throttle.count('ada'))).toBe(0);
    expect(await secondsOf(throttle.count('ada'))).toBe(40);
    pass(39_999);
    expect(await secondsOf(throttle.count('ada'))).toBe(1);
    pass(1);
    expect(await secondsOf(throttle.count('ada'))).toBe(0);
  });

  test('counts each key separately', async () => {
    const throttle = createThrottle(1, 60);
    await throttle.count('ada');
    expect(await secondsOf(throttle.count('bob'))).toBe(0);
    expect(await secondsOf(throttle.count('ada'))).toBe(60);
  });

  test('allows another event after one was forgiven', async () => {
    const throttle = createThrottle(1, 60);
    await throttle.count('ada');
    await throttle.forgive('ada');
    expect(await secondsOf(throttle.count('ada'))).toBe(0);
    expect(await secondsOf(throttle.count('ada'))).toBe(60);
  });
});

describe('a throttle of addresses', () => {
  const addressIn = (network: number, host = 1) => `2001:db8:1:${network}::${host}`;

  test('counts all addresses of a network as one', async () => {
    const throttle = createAddressThrottle(2, 60);
    await throttle.count(addressIn(1, 1));
    await throttle.count(addressIn(1, 2));
    expect(await secondsOf(throttle.count(addressIn(1, 3)))).toBe(60);
    expect(await secondsOf(throttle.count('192.0.2.1'))).toBe(0);
  });

  test('allows a site eight times as many events as one network', async () => {
    const throttle = createAddressThrottle(1, 60);
    for (let network = 0; network < SITE_FACTOR; network += 1) await throttle.count(addressIn(network));
    expect(await secondsOf(throttle.count(addressIn(99)))).toBe(60);
    expect(await secondsOf(throttle.count('2001:db8:2:99::1'))).toBe(0);
  });

  test('subtracts a forgiven event from the network and its site', async () => {
    const throttle = createAddressThrottle(1, 60);
    for (let at = 0; at < 2 * SITE_FACTOR; at += 1) {
      await throttle.count(addressIn(1));
      await throttle.forgive(addressIn(1));
    }
    expect(await secondsOf(throttle.count(addressIn(2)))).toBe(0);
  });
});

describe('guesses of a secret', () => {
  test('[S7] allows a network a limited number of different secrets in a window', async () => {
    const guesses = createGuesses(2, 60);
    await guesses.allow('2001:db8:1:2::1', 'a');
    await guesses.allow('2001:db8:1:2::2', 'b');
    pass(15_000);
    expect(await secondsOf(guesses.allow('2001:db8:1:2::3', 'c'))).toBe(45);
    expect(await secondsOf(guesses.allow('192.0.2.1', 'c'))).toBe(0);
    pass(45_000);
    expect(await secondsOf(guesses.allow('2001:db8:1:2::3', 'c'))).toBe(0);
  });

  test('allows a network to repeat a secret, even at the limit', async () => {
    const guesses = createGuesses(1, 60);
    for (let times = 0; times < 3; times += 1) await guesses.allow('192.0.2.1', 'a');
    expect(await secondsOf(guesses.allow('192.0.2.1', 'b'))).toBe(60);
    expect(await secondsOf(guesses.allow('192.0.2.1', 'a'))).toBe(0);
  });

  test('keeps rejecting a secret above the limit when it is tried again', async () => {
    const guesses = createGuesses(1, 60);
    await guesses.allow('192.0.2.1', 'a');
    for (let times = 0; times < 3; times += 1)
      expect(await secondsOf(guesses.allow('192.0.2.1', 'b'))).toBe(60);
  });

  test('rejects a secret above the limit, even if it is tried several times in parallel', async () => {
    const guesses = createGuesses(1, 60);
    await guesses.allow('192.0.2.1', 'a');
    const tries = [1, 2, 3].map(() => secondsOf(guesses.allow('192.0.2.1', 'b')));
    expect(await Promise.all(tries)).toEqual([60, 60, 60]);
  });

  test('counts all secrets of a network again after its window ends', async () => {
    const guesses = createGuesses(2, 60);
    await guesses.allow('192.0.2.1', 'a');
    pass(50_000);
    await guesses.allow('192.0.2.1', 'b');
    pass(10_000);
    await guesses.allow('192.0.2.1', 'c');
    await guesses.allow('192.0.2.1', 'b');
    expect(await secondsOf(guesses.allow('192.0.2.1', 'a'))).toBe(60);
  });
});
