import { act, cleanup, render, screen } from '@testing-library/react';
import { type ReactNode, useEffect, useRef } from 'react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { keepFocus } from './keep-focus.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout'] }));
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

/** The part of the console whose focus is kept. */
function Console({ children }: { children: ReactNode }) {
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => (root.current === null ? undefined : keepFocus(root.current)), []);
  return <div ref={root}>{children}</div>;
}

const draw = (children: ReactNode) => {
  const { rerender } = render(<Console>{children}</Console>);
  return (next: ReactNode) => rerender(<Console>{next}</Console>);
};
const focus = (name: string) => screen.getByRole('button', { name }).focus();
/**
 * Returns the focused element, after `keepFocus` noticed the removal and handled it in a separate
 * task. Runs only pending timers, because other files of the same process may have left timers that
 * repeat.
 */
const focused = async () => {
  await act(async () => void vi.runOnlyPendingTimers());
  await act(async () => void vi.runOnlyPendingTimers());
  return document.activeElement;
};
const hasFocus = async (name: string) => expect((await focused())?.textContent).toBe(name);

const list = (...names: string[]) => (
  <main>
    <h1>Members</h1>
    <ul>
      {names.map((name) => (
        <li key={name}>
          <span>{name}</span>
          <button type="button">{`Remove ${name}`}</button>
        </li>
      ))}
    </ul>
    <button type="button">Invite</button>
  </main>
);

describe('the focus of a removed element', () => {
  test('moves to the row that takes the place of the removed row', async () => {
    const become = draw(list('Ada', 'Bob', 'Cyd'));
    focus('Remove Bob');
    become(list('Ada', 'Cyd'));
    await hasFocus('Remove Cyd');
  });

  test('moves to the previous row if the removed row was the last one', async () => {
    const become = draw(list('Ada', 'Bob', 'Cyd'));
    focus('Remove Cyd');
    become(list('Ada', 'Bob'));
    await hasFocus('Remove Bob');
  });

  test('moves to the part of the page when its list is empty, so that the Tab key continues from there', async () => {
    const become = draw(list('Ada'));
    focus('Remove Ada');
    become(list());
    expect(await focused()).toBe(screen.getByRole('main'));
    expect(screen.getByRole('main').getAttribute('tabindex')).toBe('-1');
  });

  test('moves to the new page after a navigation, not to the first button of this page', async () => {
    const page = (name: string) => (
      <main>
        <div key={name}>
          <button type="button">{name}</button>
        </div>
      </main>
    );
    const become = draw(page('Open'));
    focus('Open');
    history.pushState({}, '', '/document');
    become(page('Copy id'));
    expect(await focused()).toBe(screen.getByRole('main'));
    history.pushState({}, '', '/');
  });

  test('moves to the new page if the removed field had the focus from the start', async () => {
    const become = draw(
      <main>
        {/* biome-ignore lint/a11y/noAutofocus: this is what the test is about */}
        <input autoFocus />
      </main>,
    );
    expect(document.activeElement?.tagName).toBe('INPUT');
    become(<main>Created</main>);
    expect(await focused()).toBe(screen.getByRole('main'));
  });

  test('makes the part of the page focusable only until the focus leaves this part', async () => {
    const become = draw(list('Ada'));
    focus('Remove Ada');
    become(list());
    expect(await focused()).toBe(screen.getByRole('main'));
    focus('Invite');
    expect(screen.getByRole('main').hasAttribute('tabindex')).toBe(false);
  });

  test('skips elements that can’t have the focus', async () => {
    const buttons = (...names: string[]) => (
      <section aria-label="Actions">
        {names.map((name) => (
          <button key={name} type="button" disabled={name === 'Disabled'}>
            {name}
          </button>
        ))}
      </section>
    );
    const become = draw(<main>{buttons('First', 'Gone', 'Disabled', 'Last')}</main>);
    focus('Gone');
    become(<main>{buttons('First', 'Disabled', 'Last')}</main>);
    await hasFocus('Last');
  });

  test('stays within the same form', async () => {
    const page = (...names: string[]) => (
      <main>
        <section aria-label="Around">
          <form>
            {names.map((name) => (
              <button key={name} type="button">
                {name}
              </button>
            ))}
          </form>
          <button type="button">Outside</button>
        </section>
      </main>
    );
    const become = draw(page('Only'));
    focus('Only');
    become(page());
    expect((await focused())?.getAttribute('aria-label')).toBe('Around');
  });

  test('moves to the new page after navigation', async () => {
    const become = draw(
      <main key="first">
        <button type="button">Open</button>
      </main>,
    );
    focus('Open');
    become(
      <main key="second">
        <button type="button">Close</button>
      </main>,
    );
    expect(await focused()).toBe(screen.getByRole('main'));
  });

  test('returns from a message to the previously focused element', async () => {
    const page = (message: boolean) => (
      <>
        <main>
          <button type="button">Delete</button>
          <button type="button">Other</button>
        </main>
        <section aria-live="polite">{message && <button type="button">Undo</button>}</section>
      </>
    );
    const become = draw(page(true));
    focus('Other');
    focus('Undo');
    become(page(false));
    await hasFocus('Other');
  });

  test('stays on the element that a component focused itself', async () => {
    const become = draw(list('Ada', 'Bob'));
    focus('Remove Ada');
    become(list('Bob'));
    focus('Invite');
    await hasFocus('Invite');
  });

  test('is not moved while the focused element still exists', async () => {
    const become = draw(list('Ada', 'Bob'));
    focus('Remove Ada');
    become(list('Ada'));
    await hasFocus('Remove Ada');
  });
});

test('doesn’t move the focus after keepFocus was stopped', async () => {
  const root = document.createElement('div');
  root.innerHTML = '<main><ul><li><button>One</button></li><li><button>Two</button></li></ul></main>';
  document.body.append(root);
  const stop = keepFocus(root);
  const [one] = root.querySelectorAll('button');
  one?.focus();
  stop();
  one?.parentElement?.remove();
  expect(await focused()).toBe(document.body);
  root.remove();
});
