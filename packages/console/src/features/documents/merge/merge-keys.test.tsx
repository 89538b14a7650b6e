import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { useRef, useState } from 'react';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { focusNext, useMergeKeys } from './merge-keys.ts';

afterEach(() => {
  cleanup();
  localStorage.clear();
});

const FIELDS = ['a', 'b', 'c'];
const HOWS = ['mine', 'theirs', 'both'];

/** Three conflicts with three choices each; only `b` can't have both. */
function Conflicts({ next }: { next?: () => void }) {
  const part = useRef<HTMLDivElement>(null);
  const [chosen, setChosen] = useState<Record<string, string>>({});
  useMergeKeys(part, next ?? (() => focusNext(part.current)));
  return (
    <div ref={part}>
      {FIELDS.map((field) => (
        <div key={field} data-conflict={field}>
          {HOWS.filter((how) => field !== 'b' || how !== 'both').map((how) => (
            <input
              key={how}
              type="radio"
              aria-label={`${field} ${how}`}
              data-how={how}
              checked={chosen[field] === how}
              onChange={() => setChosen({ ...chosen, [field]: how })}
            />
          ))}
        </div>
      ))}
      <textarea aria-label="Own" />
      <div role="dialog">
        <button type="button">Close</button>
      </div>
    </div>
  );
}

/** Returns whether the page handled the key. */
const press = (key: string, more: object = {}) =>
  !fireEvent.keyDown(document.activeElement ?? document.body, { key, ...more });
const checked = () =>
  screen
    .getAllByRole<HTMLInputElement>('radio')
    .filter((one) => one.checked)
    .map((one) => one.getAttribute('aria-label'));
const focused = () => document.activeElement?.getAttribute('aria-label');

describe('the keys of a merge', () => {
  test('chooses in the first open conflict if the focus is elsewhere', () => {
    render(<Conflicts />);
    expect(press('1')).toBe(true);
    expect([checked(), focused()]).toEqual([['a mine'], 'a mine']);
    (document.activeElement as HTMLElement).blur();
    press('2');
    expect(checked()).toEqual(['a mine', 'b theirs']);
  });

  test('changes the choice of the conflict with the focus', () => {
    render(<Conflicts />);
    press('1');
    press('3');
    expect(checked()).toEqual(['a both']);
  });

  test('goes from each open conflict to the next, and from the last to the first', () => {
    render(<Conflicts />);
    const way = Array.from({ length: 4 }, () => {
      press('n');
      return focused();
    });
    expect(way).toEqual(['a mine', 'b mine', 'c mine', 'a mine']);
  });

  test('skips conflicts that are decided', () => {
    render(<Conflicts />);
    fireEvent.click(screen.getByLabelText('b theirs'));
    press('n');
    press('n');
    expect(focused()).toBe('c mine');
    fireEvent.click(screen.getByLabelText('a mine'));
    fireEvent.click(screen.getByLabelText('c mine'));
    press('n');
    expect(focused()).toBe('c mine');
  });

  test('handles N in upper case, too', () => {
    const next = vi.fn();
    render(<Conflicts next={next} />);
    press('N');
    expect(next).toHaveBeenCalledTimes(1);
  });

  test('does nothing for both edits where they exclude each other', () => {
    render(<Conflicts />);
    screen.getByLabelText('b mine').focus();
    press('3');
    expect(checked()).toEqual([]);
  });

  test.each([
    ['with Ctrl', { ctrlKey: true }],
    ['with Alt', { altKey: true }],
    ['with Cmd', { metaKey: true }],
    ['while it is held down', { repeat: true }],
  ])('ignores a key %s', (_what, more) => {
    render(<Conflicts />);
    expect([press('1', more), press('n', more), checked()]).toEqual([false, false, []]);
  });

  test.each(['Own', 'Close'])('leaves keys to a text and to a dialog: %s', (name) => {
    render(<Conflicts />);
    (screen.queryByLabelText(name) ?? screen.getByText(name)).focus();
    expect([press('1'), press('n'), checked()]).toEqual([false, false, []]);
  });

  test.each(['x', '4', 'Enter', ' '])('leaves other keys to the browser: %j', (key) => {
    render(<Conflicts />);
    expect(press(key)).toBe(false);
  });

  test('ignores keys when single keys are off', () => {
    localStorage.setItem('singleKeyShortcuts', 'off');
    render(<Conflicts />);
    expect([press('1'), checked()]).toEqual([false, []]);
  });

  test('handles a key before other listeners of the window, and ends with the page', () => {
    const handled: boolean[] = [];
    const listen = (event: KeyboardEvent) => void handled.push(event.defaultPrevented);
    window.addEventListener('keydown', listen);
    const { unmount } = render(<Conflicts />);
    press('n');
    unmount();
    press('n');
    window.removeEventListener('keydown', listen);
    expect(handled).toEqual([true, false]);
  });
});

test('focuses nothing in a part without conflicts', () => {
  const before = document.activeElement;
  focusNext(null);
  focusNext(document.createElement('div'));
  expect(document.activeElement).toBe(before);
});
