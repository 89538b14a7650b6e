import { describe, expect, test, vi } from 'vitest';
import { endWithPage } from './page-engine.ts';

/** Opens a page of its own with two workers: workers of other tests listen to the window. */
function openPage() {
  const target = new EventTarget();
  const [terminate, reload] = [vi.fn(), vi.fn()];
  const page = Object.assign(target, { location: { reload } }) as unknown as Window;
  endWithPage([{ terminate }, { terminate }], page);
  const send = (type: 'pagehide' | 'pageshow', persisted: boolean) =>
    target.dispatchEvent(Object.assign(new Event(type), { persisted }));
  return { terminate, reload, send };
}

describe('the workers of a page that the user leaves', () => {
  test('ends them if the browser keeps the page, which loads again when it comes back', () => {
    const { terminate, reload, send } = openPage();
    send('pagehide', true);
    expect(terminate).toHaveBeenCalledTimes(2);
    expect(reload).not.toHaveBeenCalled();
    send('pageshow', true);
    expect(reload).toHaveBeenCalled();
  });

  test('leaves them to the browser if the page ends', () => {
    const { terminate, reload, send } = openPage();
    send('pagehide', false);
    send('pageshow', false);
    expect([terminate.mock.calls, reload.mock.calls]).toEqual([[], []]);
  });
});
