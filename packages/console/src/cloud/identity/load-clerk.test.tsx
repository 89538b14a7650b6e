import { parsePublishableKey } from '@fixpoint/protocol';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { loadClerk } from './load-clerk.ts';
import type { ClerkConfig } from './read-provider.ts';

const HOST = 'clerk.example.com';
const PUBLISHABLE = `pk_test_${btoa(`${HOST}$`)}`;

const configOf = (proxyUrl?: string): ClerkConfig => ({
  kind: 'clerk',
  publishableKey: PUBLISHABLE,
  key: parsePublishableKey(PUBLISHABLE) as ClerkConfig['key'],
  proxyUrl,
  template: 'fixpoint',
});

const scripts: HTMLScriptElement[] = [];
let loaded: unknown[] = [];
/** Settles a script that was added to the page. */
let settle: (script: HTMLScriptElement) => void;

beforeEach(() => {
  vi.useFakeTimers();
  scripts.length = 0;
  loaded = [];
  settle = (script) => void script.dispatchEvent(new Event('load'));
  vi.spyOn(document.head, 'append').mockImplementation((script) => {
    scripts.push(script as HTMLScriptElement);
    queueMicrotask(() => settle(script as HTMLScriptElement));
  });
  vi.stubGlobal('Clerk', {
    load: async (options: unknown) => void loaded.push(options),
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Longer than all waits between attempts. */
const WAITS_MS = 10_000;

describe('loading the script of the sign-in provider', () => {
  test('uses the host in the publishable key, and sends no telemetry', async () => {
    expect(await loadClerk(configOf())).toBe((window as { Clerk?: unknown }).Clerk);
    expect(scripts.map(({ src }) => new URL(src).host)).toEqual([HOST]);
    expect(scripts[0]?.dataset).toMatchObject({ clerkPublishableKey: PUBLISHABLE });
    expect(scripts[0]?.dataset['clerkProxyUrl']).toBeUndefined();
    expect(loaded).toEqual([{ polling: false, telemetry: false }]);
  });

  test('uses the proxy in front of the provider, if there is one', async () => {
    await loadClerk(configOf('https://fixpoint.example/clerk'));
    expect(scripts[0]?.src).toMatch(/^https:\/\/fixpoint\.example\/clerk\//);
    expect(scripts[0]?.dataset['clerkProxyUrl']).toBe('https://fixpoint.example/clerk');
  });

  test('retries after failures, with doubling waits, and leaves no failed script behind', async () => {
    const removed: HTMLScriptElement[] = [];
    settle = (script) => {
      script.remove = () => void removed.push(script);
      script.dispatchEvent(new Event(scripts.length < 4 ? 'error' : 'load'));
    };
    const started = Date.now();
    const loading = loadClerk(configOf()).then(() => Date.now() - started);
    await vi.advanceTimersByTimeAsync(WAITS_MS);
    expect([scripts.length, removed.length, await loading]).toEqual([4, 3, 125 + 250 + 500]);
  });

  test('reports a provider that can’t be reached as a network failure', async () => {
    settle = (script) => void script.dispatchEvent(new Event('error'));
    const loading = loadClerk(configOf()).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(WAITS_MS);
    expect(await loading).toMatchObject({
      code: 'FETCH',
      message: expect.stringContaining('its script could not be loaded'),
    });
    expect(scripts).toHaveLength(6);
  });

  test('rejects a script that isn’t the provider’s', async () => {
    vi.stubGlobal('Clerk', undefined);
    await expect(loadClerk(configOf())).rejects.toMatchObject({
      code: 'FETCH',
      message: expect.stringContaining('its script doesn’t define Clerk'),
    });
  });

  test('reports a provider that fails when it starts', async () => {
    vi.stubGlobal('Clerk', { load: () => Promise.reject(new Error('no connection')) });
    await expect(loadClerk(configOf())).rejects.toMatchObject({
      code: 'FETCH',
      message: expect.stringContaining('no connection'),
    });
  });
});
