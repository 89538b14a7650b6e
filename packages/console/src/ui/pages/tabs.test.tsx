import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { useState } from 'react';
import { describe, expect, test } from 'vitest';
import { drawPages, withPages } from '../pages.fixture.tsx';
import { Tabs, ViewTabs } from './tabs.tsx';

withPages();

const VIEWS = [
  { id: 'a', text: 'Changes' },
  { id: 'b', text: 'Commits' },
  { id: 'c', text: 'Check' },
] as const;

function Views({ onShow }: { onShow: (id: string) => void }) {
  const [shown, show] = useState<'a' | 'b' | 'c'>('a');
  const change = (id: 'a' | 'b' | 'c') => {
    onShow(id);
    show(id);
  };
  return (
    <ViewTabs label="History" views={VIEWS} shown={shown} onShow={change}>
      content of {shown}
    </ViewTabs>
  );
}

function views() {
  const seen: string[] = [];
  render(<Views onShow={(id) => seen.push(id)} />);
  const tab = (name: string) => screen.getByRole('tab', { name });
  const key = (name: string) => fireEvent.keyDown(document.activeElement as Element, { key: name });
  act(() => tab('Changes').focus());
  return { seen, tab, key, focused: () => document.activeElement?.textContent };
}

describe('a row of tabs for the views of one page', () => {
  test.each([
    ['ArrowRight', ['ArrowRight'], 'Commits'],
    ['ArrowRight on the last tab', ['End', 'ArrowRight'], 'Changes'],
    ['ArrowLeft on the first tab', ['ArrowLeft'], 'Check'],
    ['End', ['End'], 'Check'],
    ['Home', ['End', 'Home'], 'Changes'],
  ])('moves the view and the focus with %s', (_name, keys, expected) => {
    const { key, focused, tab } = views();
    for (const name of keys) key(name);
    expect(focused()).toBe(expected);
    expect(tab(expected).getAttribute('aria-selected')).toBe('true');
    expect(screen.getByRole('tabpanel', { name: expected })).toBeDefined();
  });

  test.each(['a', 'Enter', 'ArrowDown', 'Tab'])('ignores the key %s', (name) => {
    const { key, seen, focused } = views();
    // The handler doesn't prevent the browser's own action for these keys.
    expect(key(name)).toBe(true);
    expect([seen, focused()]).toEqual([[], 'Changes']);
  });

  test('ignores Home on the first tab', () => {
    const { key, seen } = views();
    key('Home');
    expect(seen).toEqual([]);
  });

  test('shows the view that is clicked, and its content', () => {
    const { tab } = views();
    fireEvent.click(tab('Check'));
    expect(screen.getByRole('tabpanel', { name: 'Check' }).textContent).toBe('content of c');
  });

  test('is a single stop for the Tab key', () => {
    const { key } = views();
    key('ArrowRight');
    expect(screen.getAllByRole('tab').map(({ tabIndex }) => tabIndex)).toEqual([-1, 0, -1]);
    cleanup();
  });
});

test('marks the open page in a row of links to pages', async () => {
  const tabs = [
    { to: '/members', text: 'Members' },
    { to: '/settings', text: 'Settings' },
  ];
  const element = <Tabs label="Tenant" tabs={tabs} />;
  const { path } = await drawPages(
    [
      { path: '/members', element },
      { path: '/settings', element },
    ],
    '/members',
  );
  const current = () =>
    screen
      .getAllByRole('link')
      .flatMap((one) => (one.getAttribute('aria-current') === 'page' ? [one.textContent] : []));
  expect(current()).toEqual(['Members']);
  await act(async () => screen.getByRole('link', { name: 'Settings' }).click());
  expect([current(), path()]).toEqual([['Settings'], '/settings']);
});
