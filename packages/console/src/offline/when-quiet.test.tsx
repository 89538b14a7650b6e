import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { keepForOffline } from './register.ts';
import { whenQuiet } from './when-quiet.ts';

let readyState: DocumentReadyState = 'complete';
const idle = vi.fn<(run: () => void, options: { timeout: number }) => number>();
const cancelIdle = vi.fn<(asked: number) => void>();

beforeEach(() => {
  vi.useFakeTimers();
  readyState = 'complete';
  vi.spyOn(document, 'readyState', 'get').mockImplementation(() => readyState);
  idle.mockReset().mockReturnValue(7);
  cancelIdle.mockReset();
  vi.stubGlobal('requestIdleCallback', idle);
  vi.stubGlobal('cancelIdleCallback', cancelIdle);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  delete document.documentElement.dataset['mounted'];
  delete document.documentElement.dataset['offline'];
});
/** Lets the browser become idle. */
const becomeIdle = () => idle.mock.calls.at(-1)?.[0]();

describe('work that waits until the page is quiet', () => {
  test('runs a second after the page has loaded, once the browser is idle', () => {
    const run = vi.fn();
    whenQuiet(run);
    vi.advanceTimersByTime(999);
    expect(idle).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(run).not.toHaveBeenCalled();
    becomeIdle();
    expect(run).toHaveBeenCalledTimes(1);
  });

  test('waits at most four seconds for a page that is always busy', () => {
    whenQuiet(() => undefined);
    vi.advanceTimersByTime(1000);
    expect(idle.mock.calls[0]?.[1]).toEqual({ timeout: 4000 });
  });

  test('starts to wait when the page has loaded', () => {
    readyState = 'loading';
    whenQuiet(() => undefined);
    vi.advanceTimersByTime(60_000);
    expect(idle).not.toHaveBeenCalled();
    window.dispatchEvent(new Event('load'));
    vi.advanceTimersByTime(1000);
    expect(idle).toHaveBeenCalledTimes(1);
  });

  test('runs in a browser that can’t tell when it is idle', () => {
    Reflect.deleteProperty(window, 'requestIdleCallback');
    const run = vi.fn();
    whenQuiet(run);
    vi.advanceTimersByTime(1000);
    expect(run).toHaveBeenCalledTimes(1);
  });

  test('can be cancelled before the page has loaded', () => {
    readyState = 'loading';
    const end = whenQuiet(() => undefined);
    end();
    window.dispatchEvent(new Event('load'));
    vi.advanceTimersByTime(60_000);
    expect(idle).not.toHaveBeenCalled();
  });

  test('can be cancelled during the second after loading', () => {
    const end = whenQuiet(() => undefined);
    vi.advanceTimersByTime(500);
    end();
    vi.advanceTimersByTime(60_000);
    expect(idle).not.toHaveBeenCalled();
  });

  test('can be cancelled while it waits for an idle browser', () => {
    const end = whenQuiet(() => undefined);
    vi.advanceTimersByTime(1000);
    end();
    expect(cancelIdle).toHaveBeenCalledWith(7);
  });
});

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
