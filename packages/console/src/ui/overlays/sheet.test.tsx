import { act, cleanup, render, screen, waitFor } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, describe, expect, test } from 'vitest';
import { Sheet } from './sheet.tsx';

afterEach(cleanup);

function Page() {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Show
      </button>
      {isOpen && (
        <Sheet title="Change" onClose={() => setOpen(false)}>
          <p>Details</p>
          <a href="/history">Show change</a>
        </Sheet>
      )}
    </>
  );
}

/** Opens the sheet with the focus on the button that opens it. */
async function opened() {
  render(<Page />);
  const button = screen.getByRole('button', { name: 'Show' });
  button.focus();
  await act(async () => button.click());
  return screen.findByRole('dialog', { name: 'Change' });
}

const isGone = () => waitFor(() => expect(screen.queryByRole('dialog')).toBe(null));

describe('a sheet', () => {
  test('is a dialog with a title and its content', async () => {
    const sheet = await opened();
    expect(sheet.textContent).toContain('Details');
    expect(screen.getByRole('heading', { name: 'Change' })).toBeDefined();
  });

  test('takes the focus', async () => {
    const sheet = await opened();
    await waitFor(() => expect(sheet.contains(document.activeElement)).toBe(true));
  });

  test('closes with its button', async () => {
    await opened();
    await act(async () => screen.getByRole('button', { name: 'Close' }).click());
    await isGone();
  });

  test('closes with Escape', async () => {
    await opened();
    await act(async () => {
      document.activeElement?.dispatchEvent(
        new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, cancelable: true }),
      );
    });
    await isGone();
  });
});
