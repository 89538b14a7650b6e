import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { keepForOffline } from './register.ts';

const idle = vi.fn<(run: () => void) => number>();

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(document, 'readyState', 'get').mockReturnValue('complete');
  idle.mockReset().mockReturnValue(7);
  vi.stubGlobal('requestIdleCallback', idle);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  delete document.documentElement.dataset['mounted'];
  delete document.documentElement.dataset['offline'];
});
/** Lets the browser become idle. */
const becomeIdle = () => idle.mock.calls.at(-1)?.[0]();

describe('keeping the console for offline use', () => {
  const register = vi.fn<(path: string) => Promise<unknown>>();
  beforeEach(() => {
    register.mockReset().mockResolvedValue(undefined);
    vi.stubEnv('PROD', true);
    vi.stubGlobal('navigator', { serviceWorker: { register } });
  });
  const quiet = async () => {
    await vi.advanceTimersByTimeAsync(1000);
    becomeIdle();
    await vi.advanceTimersByTimeAsync(0);
  };

  test('registers the service worker once the page is quiet', async () => {
    keepForOffline();
    expect(register).not.toHaveBeenCalled();
    await quiet();
    expect(register.mock.calls).toEqual([['/sw.js']]);
  });

  test('continues without a service worker when the browser refuses, and notes the reason', async () => {
    register.mockRejectedValue(new Error('not in a private window'));
    keepForOffline();
    await quiet();
    expect(document.documentElement.dataset['offline']).toBe('not in a private window');
  });

  test('registers no service worker in development', async () => {
    vi.stubEnv('PROD', false);
    keepForOffline();
    await quiet();
    expect(register).not.toHaveBeenCalled();
  });

  test('registers no service worker under an app’s dev server, because the origin belongs to the app', async () => {
    document.documentElement.dataset['mounted'] = '';
    keepForOffline();
    await quiet();
    expect(register).not.toHaveBeenCalled();
  });

  test('continues in a browser without service workers', async () => {
    vi.stubGlobal('navigator', {});
    keepForOffline();
    await quiet();
    expect(idle).not.toHaveBeenCalled();
  });
});
