import { act, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { useState } from 'react';
import { describe, expect, test } from 'vitest';
import { withPages } from '../pages.fixture.tsx';
import { Picker } from './picker.tsx';

withPages();

const GROUPS = [
  {
    label: 'Pages',
    items: [
      { id: 'p1', label: 'Cloud' },
      { id: 'p2', label: 'Query', detail: 'pantry' },
    ],
  },
  { label: 'Actions', items: [{ id: 'a1', label: 'Sign out' }] },
];

function Page({ done }: { done: string[] }) {
  const [text, setText] = useState('');
  const groups = GROUPS.map(({ label, items }) => ({
    label,
    items: items.filter((item) => item.label.toLowerCase().includes(text)),
  })).filter(({ items }) => items.length > 0);
  return (
    <Picker
      label="Search and commands"
      placeholder="Page or command"
      text={text}
      onText={setText}
      groups={groups}
      aside={({ id }) => <kbd>{id}</kbd>}
      onPick={({ id }) => done.push(id)}
      onClose={() => done.push('closed')}
      footer="choose"
    />
  );
}

function picker() {
  const done: string[] = [];
  render(<Page done={done} />);
  const field = () => screen.getByRole<HTMLInputElement>('combobox', { name: 'Search and commands' });
  const key = (name: string) => act(async () => void fireEvent.keyDown(field(), { key: name }));
  const type = (value: string) => act(async () => void fireEvent.change(field(), { target: { value } }));
  return { done, field, key, type };
}

const options = () => screen.getAllByRole('option').map((one) => one.querySelector('span')?.textContent);
const marked = () => {
  const { id } = screen.getAllByRole('option').find((one) => one.hasAttribute('data-highlighted')) ?? {
    id: '',
  };
  return document.getElementById(id)?.querySelector('span')?.textContent;
};

describe('a list that filters as the user types', () => {
  test('shows every group, with the number of items for screen readers', () => {
    picker();
    expect(options()).toEqual(['Cloud', 'Query', 'Sign out']);
    expect(screen.getAllByRole('group').map((one) => one.getAttribute('aria-labelledby') !== null)).toEqual([
      true,
      true,
    ]);
    expect(screen.getByRole('status').textContent).toBe('3 found');
    expect(screen.getByTitle('pantry')).toBeDefined();
  });

  test('picks the first match with Enter', async () => {
    const { type, key, done } = picker();
    await type('s');
    expect(options()).toEqual(['Sign out']);
    await waitFor(() => expect(marked()).toBe('Sign out'));
    await key('Enter');
    expect(done).toEqual(['a1']);
  });

  test('moves between groups with the arrow keys', async () => {
    const { key, done } = picker();
    await waitFor(() => expect(marked()).toBe('Cloud'));
    await key('ArrowDown');
    await key('ArrowDown');
    expect(marked()).toBe('Sign out');
    await key('Enter');
    expect(done).toEqual(['a1']);
  });

  test('says that nothing matches, and picks nothing', async () => {
    const { type, key, done } = picker();
    await type('zebra');
    expect(screen.getByRole('status').textContent).toBe('No matches.');
    await key('Enter');
    expect(done).toEqual([]);
  });

  test('picks the item that is clicked', async () => {
    const { done } = picker();
    await act(async () => screen.getByText('Query').click());
    expect(done).toEqual(['p2']);
  });

  test('closes with its button', async () => {
    const { done } = picker();
    await act(async () => screen.getByRole('button', { name: 'Close' }).click());
    expect(done).toEqual(['closed']);
  });

  test('closes with Escape', async () => {
    const { key, done } = picker();
    await key('Escape');
    expect(done).toContain('closed');
  });
});
