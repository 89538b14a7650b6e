import { afterEach, describe, expect, test, vi } from 'vitest';
import { endWithPage } from './page-engine.ts';

afterEach(() => void vi.restoreAllMocks());

const send = (type: 'pagehide' | 'pageshow', persisted: boolean) =>
  window.dispatchEvent(Object.assign(new Event(type), { persisted }));

describe('the worker of a page that the user leaves', () => {
  test('ends if the browser keeps the page, which loads again when it comes back', () => {
    const terminate = vi.fn();
    const reload = vi.spyOn(location, 'reload').mockReturnValue();
    endWithPage({ terminate });
    send('pagehide', true);
    expect(terminate).toHaveBeenCalledTimes(1);
    expect(reload).not.toHaveBeenCalled();
    send('pageshow', true);
    expect(reload).toHaveBeenCalled();
  });

  test('is left to the browser if the page ends', () => {
    const terminate = vi.fn();
    const reload = vi.spyOn(location, 'reload').mockReturnValue();
    endWithPage({ terminate });
    send('pagehide', false);
    send('pageshow', false);
    expect([terminate.mock.calls, reload.mock.calls]).toEqual([[], []]);
  });
});
