import { act, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { useState } from 'react';
import { describe, expect, test } from 'vitest';
import { withPages } from '../pages.fixture.tsx';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { Dialog } from './dialog.tsx';

withPages();

/** Two dialogs with fields that take the focus by themselves. */
function TwoDialogs() {
  const [isOpen, setOpen] = useState<string>();
  return ['Filter', 'Columns'].map((name) => (
    <div key={name}>
      <button type="button" onClick={() => setOpen(name)}>{`${name}...`}</button>
      {isOpen === name && (
        <Dialog open onClose={() => setOpen(undefined)} title={name} actions={null}>
          <input aria-label={`Text of ${name}`} autoFocus />
        </Dialog>
      )}
    </div>
  ));
}

function Page({ isBusy = false }: { isBusy?: boolean }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <main>
      <button type="button" onClick={() => setOpen(true)}>
        Rename...
      </button>
      <Dialog
        open={isOpen}
        onClose={() => setOpen(false)}
        isBusy={isBusy}
        title="Rename"
        description="Everybody sees the new name."
        actions={
          <button type="button" onClick={() => setOpen(false)}>
            Cancel
          </button>
        }
      >
        <input aria-label="Name" />
      </Dialog>
    </main>
  );
}

const dialog = () => screen.queryByRole('dialog', { name: 'Rename' });
const pressEscape = () =>
  act(async () => void fireEvent.keyDown(document.activeElement as Element, { key: 'Escape' }));
async function open(isBusy = false) {
  render(<Page isBusy={isBusy} />);
  const opener = screen.getByRole('button', { name: 'Rename...' });
  opener.focus();
  await act(async () => opener.click());
  await waitFor(() => expect(dialog()?.contains(document.activeElement)).toBe(true));
  return opener;
}

describe('a dialog', () => {
  test('receives the focus, and has its visible title and description as accessible name and description', async () => {
    await open();
    const described = dialog()?.getAttribute('aria-describedby') ?? '';
    expect(document.getElementById(described)?.textContent).toBe('Everybody sees the new name.');
  });

  test('returns the focus to its own opener, even if a field took the focus at once', async () => {
    render(<TwoDialogs />);
    for (const name of ['Columns', 'Filter']) {
      const opener = screen.getByRole('button', { name: `${name}...` });
      opener.focus();
      await act(async () => opener.click());
      const field = await screen.findByRole('textbox', { name: `Text of ${name}` });
      await waitFor(() => expect(document.activeElement).toBe(field));
      await pressEscape();
      await waitFor(() => expect(document.activeElement).toBe(opener));
    }
  });

  test('closes with Escape, and returns the focus to its opener', async () => {
    const opener = await open();
    await pressEscape();
    await waitFor(() => expect(dialog()).toBe(null));
    await waitFor(() => expect(document.activeElement).toBe(opener));
  });

  test('returns the focus to the page if its opener is gone', async () => {
    const opener = await open();
    opener.closest('main')?.setAttribute('tabindex', '-1');
    opener.remove();
    await pressEscape();
    await waitFor(() => expect(document.activeElement?.tagName).toBe('MAIN'));
  });

  test('doesn’t close with Escape while its action is pending', async () => {
    await open(true);
    await pressEscape();
    expect(screen.queryByRole('button', { name: 'Rename...' })).toBe(null);
    expect(dialog()?.contains(document.activeElement)).toBe(true);
    expect(dialog()?.hasAttribute('data-open')).toBe(true);
  });

  test('hides the page behind it from screen readers', async () => {
    await open();
    expect(screen.queryByRole('button', { name: 'Rename...' })).toBe(null);
    await act(async () => screen.getByRole('button', { name: 'Cancel' }).click());
    await waitFor(() => expect(screen.queryByRole('button', { name: 'Rename...' })).not.toBe(null));
  });
});

describe('the question before a destructive action', () => {
  function ask(busy = false) {
    const done: string[] = [];
    render(
      <ConfirmDialog
        title="Delete 3 documents?"
        action="Delete"
        busy={busy}
        fields={<input type="checkbox" aria-label="Also elsewhere" />}
        onConfirm={() => done.push('confirmed')}
        onClose={() => done.push('closed')}
      >
        They stay in the history.
      </ConfirmDialog>,
    );
    const press = (name: string) => act(async () => screen.getByRole('button', { name }).click());
    return { done, press };
  }

  test('does nothing until the user confirms', async () => {
    const { done, press } = ask();
    expect(done).toEqual([]);
    await press('Delete');
    expect(done).toEqual(['confirmed']);
  });

  test.each([
    ['the button Cancel', (press: (name: string) => Promise<void>) => press('Cancel')],
    ['Escape', () => pressEscape()],
  ])('is declined by %s', async (_name, decline) => {
    const { done, press } = ask();
    await waitFor(() => expect(screen.getByRole('dialog').contains(document.activeElement)).toBe(true));
    await decline(press);
    expect(done).toEqual(['closed']);
  });

  test('accepts no second confirmation while the action is pending', async () => {
    const { done, press } = ask(true);
    await press('Delete');
    expect(done).toEqual([]);
  });

  test('shows further choices that belong to the action', async () => {
    ask();
    expect(screen.getByRole('checkbox', { name: 'Also elsewhere' })).toBeDefined();
  });
});
