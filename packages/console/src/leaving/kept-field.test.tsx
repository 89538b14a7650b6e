import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { createBrowserRouter, RouterProvider } from 'react-router';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { forgetLedgerNotes, keepLedgerNotesOf } from '../local/forget-notes.ts';
import { useKeptField } from './kept-field.ts';

const LOGIN = '/login?redirect_url=%2Fnew';
let go: (path: string) => Promise<void>;

function Page() {
  const [text = 'Acme', setText] = useKeptField('name');
  return <input aria-label="Name" value={text} onChange={({ target }) => setText(target.value)} />;
}

beforeEach(() => {
  sessionStorage.clear();
  localStorage.clear();
  history.replaceState(null, '', '/new');
  keepLedgerNotesOf('ada@example.com');
  const router = createBrowserRouter([
    { path: '/new', Component: Page },
    { path: '/other/new', Component: () => <Page /> },
    { path: '*', element: '' },
  ]);
  render(<RouterProvider router={router} />);
  go = (path) => act(async () => router.navigate(path));
});
afterEach(cleanup);

const field = () => screen.getByLabelText<HTMLInputElement>('Name');
const type = (value: string) => act(async () => void fireEvent.change(field(), { target: { value } }));

test('restores typed text once, after the user whose session ended signs in again', async () => {
  await type('Acme and friends');
  await go(LOGIN);
  keepLedgerNotesOf('ada@example.com');
  await go('/other/new');
  expect(field().value).toBe('Acme');
  await go('/new');
  expect(field().value).toBe('Acme and friends');
  await go('/other/new');
  await go('/new');
  expect(field().value).toBe('Acme');
});

test('stores no text for a field in which the user typed nothing', async () => {
  await go(LOGIN);
  await go('/new');
  expect([field().value, sessionStorage.length]).toEqual(['Acme', 1]);
});

test.each(['/elsewhere', '/login'])('stores no text when the user chooses to leave for %s', async (path) => {
  await type('Acme and friends');
  await go(path);
  await go('/new');
  expect(field().value).toBe('Acme');
});

test('[S15] hides the text from other users, and removes the text after signing out', async () => {
  for (const end of [() => keepLedgerNotesOf('bob@example.com'), forgetLedgerNotes]) {
    await type('Acme and friends');
    await go(LOGIN);
    end();
    await go('/new');
    expect(field().value).toBe('Acme');
  }
});
