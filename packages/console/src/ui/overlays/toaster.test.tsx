import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { showToast, Toaster } from './toaster.tsx';

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
  ['20 seconds where it can be taken back', 20, () => undefined],
] as const)('hides a message after %s', (_name, life, undo) => {
  message(undo);
  pass(life - 1);
  expect(isShown()).toBe(true);
  pass(1);
  expect(isShown()).toBe(false);
});

test('stays while the pointer or the focus is on it', () => {
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
