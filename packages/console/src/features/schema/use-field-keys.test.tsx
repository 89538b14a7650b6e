import { act, cleanup, fireEvent, render, renderHook, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { setSingleKeys } from '../commands/single-keys.ts';
import { useFieldKeys } from './use-field-keys.ts';

beforeEach(() => localStorage.clear());
afterEach(cleanup);

function watch() {
  const next = vi.fn();
  const filter = vi.fn();
  return { next, filter, ...renderHook(() => useFieldKeys({ next, filter })) };
}
const key = (pressed: string, more: object = {}, target: Element = document.body) =>
  fireEvent.keyDown(target, { key: pressed, ...more });

describe('the keys of a schema', () => {
  test('acts before the keys of all pages: next outlier, and filter', () => {
    // The keys of all pages listen from the start.
    const page = vi.fn((event: KeyboardEvent) => event.defaultPrevented);
    window.addEventListener('keydown', page);
    const { next, filter } = watch();
    key('n');
    key('f');
    window.removeEventListener('keydown', page);
    expect([next, filter].map((one) => one.mock.calls.length)).toEqual([1, 1]);
    expect(page.mock.results.map(({ value }) => value)).toEqual([true, true]);
  });

  test.each(['N', 'm', 'Enter', 'ArrowDown', ' '])('leaves the key %j to the page', (pressed) => {
    const { next, filter } = watch();
    expect(key(pressed)).toBe(true);
    expect([next, filter].map((one) => one.mock.calls.length)).toEqual([0, 0]);
  });

  test.each([{ ctrlKey: true }, { metaKey: true }, { altKey: true }, { isComposing: true }])(
    'leaves keys with %j to the browser',
    (held) => {
      const { next } = watch();
      expect(key('n', held)).toBe(true);
      expect(next).not.toHaveBeenCalled();
    },
  );

  test.each(['input', 'textarea', 'select'])('ignores keys in a field: %s', (tag) => {
    const { next } = watch();
    const field = document.body.appendChild(document.createElement(tag));
    key('n', {}, field);
    field.remove();
    expect(next).not.toHaveBeenCalled();
  });

  test.each(['dialog', 'menu'])('ignores keys in a %s', (role) => {
    const { next } = watch();
    render(
      <div role={role}>
        <button type="button">inside</button>
      </div>,
    );
    key('n', {}, screen.getByText('inside'));
    expect(next).not.toHaveBeenCalled();
  });

  test('ignores keys while the user has switched single keys off', () => {
    const { next } = watch();
    act(() => setSingleKeys(false));
    key('n');
    expect(next).not.toHaveBeenCalled();
    act(() => setSingleKeys(true));
    key('n');
    expect(next).toHaveBeenCalledTimes(1);
  });

  test('stops with the page', () => {
    const { next, unmount } = watch();
    unmount();
    key('n');
    expect(next).not.toHaveBeenCalled();
  });
});
