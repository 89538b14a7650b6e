import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
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
