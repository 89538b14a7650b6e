import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { useState } from 'react';
import { describe, expect, test } from 'vitest';
import { drawPages, pageCalled, withPages } from '../pages.fixture.tsx';
import {
  createSharedMenu,
  Menu,
  MenuCheckbox,
  MenuItem,
  MenuLink,
  MenuNote,
  MenuSeparator,
  SharedMenuItems,
  SharedMenuTrigger,
} from './menu.tsx';

withPages();

const key = (name: string) =>
  act(async () => void fireEvent.keyDown(document.activeElement as Element, { key: name }));
const open = async (name: string) => {
  const trigger = screen.getByRole('button', { name });
  trigger.focus();
  await act(async () => void fireEvent.click(trigger, { detail: 0 }));
  await screen.findByRole('menu');
  return trigger;
};
const isOpen = () => screen.queryByRole('menu') !== null;

function Page({ done }: { done: string[] }) {
  const [isChecked, check] = useState(false);
  return (
    <Menu trigger={<button type="button">Actions</button>}>
      <MenuNote>3 documents</MenuNote>
      <MenuItem onClick={() => done.push('copied')}>Copy</MenuItem>
      <MenuSeparator />
      <MenuCheckbox checked={isChecked} onChange={check} title="Of every document">
        All fields
      </MenuCheckbox>
      <MenuLink to="/history">History</MenuLink>
      <MenuItem onClick={() => done.push('deleted')}>
        <svg aria-hidden /> Delete
      </MenuItem>
    </Menu>
  );
}

async function menu() {
  const done: string[] = [];
  const { path } = await drawPages(
    [
      { path: '/', element: <Page done={done} /> },
      { path: '/history', Component: pageCalled('History') },
    ],
    '/',
  );
  return { done, path, trigger: await open('Actions') };
}

describe('a menu', () => {
  test('is closed at first, also for screen readers', async () => {
    await drawPages([{ path: '/', element: <Page done={[]} /> }], '/');
    expect(isOpen()).toBe(false);
    const trigger = screen.getByRole('button', { name: 'Actions' });
    expect([trigger.getAttribute('aria-haspopup'), trigger.getAttribute('aria-expanded')]).toEqual([
      'menu',
      'false',
    ]);
  });

  test('runs the chosen item once, and closes', async () => {
    const { done } = await menu();
    await act(async () => screen.getByRole('menuitem', { name: 'Delete' }).click());
    await waitFor(() => expect(isOpen()).toBe(false));
    expect(done).toEqual(['deleted']);
  });

  test('closes with Escape without running anything, and returns the focus to its button', async () => {
    const { done, trigger } = await menu();
    await key('Escape');
    await waitFor(() => expect(isOpen()).toBe(false));
    await waitFor(() => expect(document.activeElement).toBe(trigger));
    expect(done).toEqual([]);
  });

  test('moves to the item that begins with a typed letter', async () => {
    await menu();
    await key('d');
    await waitFor(() => expect(document.activeElement?.textContent).toBe('Delete'));
  });

  test('stays open when an option is toggled, because options change what other items do', async () => {
    await menu();
    const option = () => screen.getByRole('menuitemcheckbox', { name: 'All fields' });
    expect(option().getAttribute('aria-checked')).toBe('false');
    await act(async () => option().click());
    expect([isOpen(), option().getAttribute('aria-checked')]).toEqual([true, 'true']);
  });

  test('opens the page of a link', async () => {
    const { path } = await menu();
    await act(async () => screen.getByRole('menuitem', { name: 'History' }).click());
    expect(path()).toBe('/history');
  });
});

describe('a menu that many buttons share', () => {
  async function shared() {
    const done: string[] = [];
    const all = createSharedMenu();
    const element = (
      <>
        {['milk', 'rice'].map((id) => (
          <SharedMenuTrigger
            key={id}
            menu={all}
            about={id}
            trigger={<button type="button">{`Actions of ${id}`}</button>}
          />
        ))}
        <SharedMenuItems
          menu={all}
          items={(id) => <MenuItem onClick={() => done.push(id)}>{`Delete ${id}`}</MenuItem>}
        />
      </>
    );
    await drawPages([{ path: '/', element }], '/');
    return done;
  }

  test('shows the items for the button that opened the menu', async () => {
    const done = await shared();
    await open('Actions of rice');
    expect(screen.queryByRole('menuitem', { name: 'Delete milk' })).toBe(null);
    await act(async () => screen.getByRole('menuitem', { name: 'Delete rice' }).click());
    expect(done).toEqual(['rice']);
  });

  test('shows the items for the next button that opens the menu', async () => {
    const done = await shared();
    await open('Actions of rice');
    await key('Escape');
    await waitFor(() => expect(isOpen()).toBe(false));
    await open('Actions of milk');
    await act(async () => screen.getByRole('menuitem', { name: 'Delete milk' }).click());
    expect(done).toEqual(['milk']);
  });
});
