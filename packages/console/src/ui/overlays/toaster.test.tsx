import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { showToast, Toaster, useToast, useUndoLatest } from './toaster.tsx';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

const TEXT = 'Deleted document milk.';

function message(undo?: () => void): HTMLElement {
  render(<Toaster>{undefined}</Toaster>);
  act(() => showToast(TEXT, undo && { undo }));
  return screen.getByRole('status');
}

const pass = (seconds: number) => act(() => vi.advanceTimersByTime(seconds * 1000));
const isShown = () => screen.queryByText(TEXT) !== null;

test.each([
  ['8 seconds', 8, undefined],
  ['20 seconds if it can be undone', 20, () => undefined],
] as const)('hides a message after %s', (_name, life, undo) => {
  message(undo);
  pass(life - 1);
  expect(isShown()).toBe(true);
  pass(1);
  expect(isShown()).toBe(false);
});

test('keeps a message while the pointer or the focus is on it', () => {
  const one = message();
  const dismiss = screen.getByRole('button', { name: 'Dismiss' });
  fireEvent.mouseEnter(one);
  act(() => dismiss.focus());
  pass(60);
  act(() => dismiss.blur());
  pass(60);
  expect(isShown()).toBe(true);
  act(() => dismiss.focus());
  fireEvent.mouseLeave(one);
  pass(60);
  expect(isShown()).toBe(true);
  act(() => dismiss.blur());
  pass(8);
  expect(isShown()).toBe(false);
});

test('keeps an error until it is dismissed', () => {
  render(<Toaster>{undefined}</Toaster>);
  act(() => showToast(TEXT, { tone: 'error' }));
  pass(600);
  expect(isShown()).toBe(true);
  fireEvent.click(screen.getByRole('button', { name: 'Dismiss' }));
  expect(isShown()).toBe(false);
});

test.each([
  ['a success', undefined, 'lucide-circle-check'],
  ['a warning', 'warning', 'lucide-circle-alert'],
] as const)('shows the picture of %s', (_name, tone, picture) => {
  render(<Toaster>{undefined}</Toaster>);
  act(() => showToast(TEXT, tone && { tone }));
  expect(screen.getByRole('status').querySelector('svg')?.classList).toContain(picture);
  pass(8);
  expect(isShown()).toBe(false);
});

describe('showing several messages', () => {
  let undoLatest: () => boolean = () => false;
  function Page() {
    const toast = useToast();
    undoLatest = useUndoLatest();
    return (
      <button type="button" onClick={() => toast('From the page.')}>
        Say
      </button>
    );
  }
  const texts = () =>
    screen.queryAllByRole('status').map((one) => one.querySelector('span')?.textContent ?? '');
  const say = (...all: Parameters<typeof showToast>) => act(() => showToast(...all));

  test('shows the newest message last, and at most four messages', () => {
    render(<Toaster>{undefined}</Toaster>);
    for (const n of [1, 2, 3, 4, 5]) say(`Message ${n}.`);
    expect(texts()).toEqual(['Message 2.', 'Message 3.', 'Message 4.', 'Message 5.']);
  });

  test('shows the same text only once, as the newest message', () => {
    render(<Toaster>{undefined}</Toaster>);
    for (const text of ['Saved.', 'Copied.', 'Saved.']) say(text);
    expect(texts()).toEqual(['Copied.', 'Saved.']);
  });

  test('shows messages that a page sends with the hook', () => {
    render(
      <Toaster>
        <Page />
      </Toaster>,
    );
    fireEvent.click(screen.getByRole('button', { name: 'Say' }));
    expect(texts()).toEqual(['From the page.']);
  });

  test('undoes the changes from the newest to the oldest, each only once', () => {
    const undone: string[] = [];
    render(
      <Toaster>
        <Page />
      </Toaster>,
    );
    say('Deleted milk.', { undo: () => undone.push('milk') });
    say('Deleted rice.', { undo: () => undone.push('rice') });
    say('Copied.');
    // Calls the function without a render in between, as when a key is pressed twice quickly.
    act(() => {
      expect([undoLatest(), undoLatest(), undoLatest()]).toEqual([true, true, false]);
    });
    expect(undone).toEqual(['rice', 'milk']);
    expect(texts()).toEqual(['Copied.']);
  });

  test('undoes a change only once with its button, and removes the message', () => {
    let undone = 0;
    message(() => {
      undone += 1;
    });
    fireEvent.click(screen.getByRole('button', { name: 'Undo' }));
    expect([undone, isShown()]).toEqual([1, false]);
  });

  test('makes screen readers announce errors at once, and other messages when they pause', () => {
    const logged = vi.spyOn(console, 'error').mockReturnValue(undefined);
    render(<Toaster>{undefined}</Toaster>);
    say('Couldn’t save.', { tone: 'error' });
    expect(screen.getByRole('alert').textContent).toContain('Couldn’t save.');
    expect(logged).toHaveBeenCalledWith('Couldn’t save.');
    expect(screen.getByRole('region', { name: 'Messages' }).getAttribute('aria-live')).toBe('polite');
    logged.mockRestore();
  });

  test('shows messages as text, even if a name contains markup', () => {
    render(<Toaster>{undefined}</Toaster>);
    say('Deleted <b>milk</b>.');
    expect(texts()).toEqual(['Deleted <b>milk</b>.']);
  });
});
