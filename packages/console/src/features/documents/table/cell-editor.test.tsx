import { act, fireEvent, screen, within } from '@testing-library/react';
import type { Stored } from 'fixpoint';
import { StrictMode, useState } from 'react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { drawPages, withPages } from '../../../ui/pages.fixture.tsx';
import { CellEditor } from './cell-editor.tsx';

withPages();
beforeEach(() => void vi.stubGlobal('matchMedia', () => ({ matches: false })));
afterEach(() => void vi.unstubAllGlobals());

/** Renders a cell in edit mode until its editor closes, or its row unmounts. */
async function cell(
  read: () => Promise<Stored> = () => Promise.resolve({ _id: 'milk', litres: 1 }),
  hasConflict: (id: string, signal: AbortSignal) => Promise<boolean> = async () => false,
) {
  const written: unknown[] = [];
  let end: () => void = () => undefined;
  function Page() {
    const [isThere, setThere] = useState(true);
    end = () => setThere(false);
    return isThere ? (
      <CellEditor
        id="milk"
        field="litres"
        read={read}
        hasConflict={hasConflict}
        path="/docs/milk"
        write={(...write) => written.push(write)}
        onClose={end}
      />
    ) : null;
  }
  const Strict = () => (
    <StrictMode>
      <Page />
    </StrictMode>
  );
  await drawPages([{ path: '/', Component: Strict }], '/');
  const field = () => screen.getByRole<HTMLInputElement>('textbox', { name: 'litres of milk' });
  return {
    written,
    type: (value: string) => act(async () => void fireEvent.change(field(), { target: { value } })),
    press: (key: string) => act(async () => void fireEvent.keyDown(field(), { key })),
    rowGoes: () => act(async () => end()),
  };
}

const isOpen = () => screen.queryByLabelText('litres of milk') !== null;
const WRITE = ['milk', { field: 'litres', value: 2 }, 1];

test('writes the typed value only once when Enter closes the editor', async () => {
  const { written, type, press } = await cell();
  await type('2');
  await press('Enter');
  expect(written).toEqual([WRITE]);
});

test('writes the typed value when the row unmounts during editing', async () => {
  const { written, type, rowGoes } = await cell();
  await type('2');
  await rowGoes();
  expect(written).toEqual([WRITE]);
});

const conflictDialog = () => screen.queryByRole('dialog', { name: 'This document has a conflict' });

test.each([
  ['in the cell', false],
  ['on a phone', true],
])('says that the document has a conflict, and leads to the merge, %s', async (_where, matches) => {
  vi.stubGlobal('matchMedia', () => ({ matches }));
  const { written } = await cell(undefined, async (id) => id === 'milk');
  const dialog = conflictDialog() as HTMLElement;
  // Screen readers announce the reason as soon as the dialog has the focus.
  const reason = document.getElementById(dialog.getAttribute('aria-describedby') as string);
  expect(reason?.textContent).toMatch(/^Several devices changed milk at the same time/);
  await vi.waitFor(() => expect(dialog.contains(document.activeElement)).toBe(true));
  const link = within(dialog).getByRole('link', { name: 'Merge...' });
  expect(link.getAttribute('href')).toBe('/docs/milk?merge=');
  expect(isOpen()).toBe(false);
  await act(async () => void fireEvent.click(within(dialog).getByRole('button', { name: 'Cancel' })));
  expect([conflictDialog(), written]).toEqual([null, []]);
});

test('lets the user type while conflicts are looked for, and writes nothing once one is found', async () => {
  let found: (has: boolean) => void = () => undefined;
  const { written, type } = await cell(undefined, () => new Promise((resolve) => (found = resolve)));
  await type('2');
  await act(async () => found(true));
  expect([isOpen(), conflictDialog() === null, written]).toEqual([false, false, []]);
});

test('cancels the search for conflicts when the editor closes, and edits if the search fails', async () => {
  const signals: AbortSignal[] = [];
  const { written, type, press } = await cell(undefined, async (_id, signal) => {
    signals.push(signal);
    throw new Error('failed');
  });
  expect(signals.at(-1)?.aborted).toBe(false);
  await type('2');
  await press('Enter');
  expect([signals.at(-1)?.aborted, written]).toEqual([true, [WRITE]]);
});

test('writes nothing after Escape, or when nothing was typed', async () => {
  const first = await cell();
  await first.type('2');
  await first.press('Escape');
  expect(first.written).toEqual([]);
  const second = await cell();
  await second.rowGoes();
  expect(second.written).toEqual([]);
});

const choose = (label: string, value: string) =>
  act(async () => void fireEvent.change(screen.getByLabelText(label), { target: { value } }));

test('stays open while the value is invalid for its kind, and writes nothing', async () => {
  const { written, type, press } = await cell();
  await type('two');
  await press('Enter');
  const field = screen.getByLabelText('litres of milk');
  expect([written, field.getAttribute('aria-invalid'), field.title]).toEqual([
    [],
    'true',
    'This isn’t a number.',
  ]);
});

test('writes a value of another kind, or removes the field', async () => {
  const first = await cell();
  await choose('Type of litres of milk', 'text');
  await first.press('Enter');
  expect(first.written).toEqual([['milk', { field: 'litres', value: '1' }, 1]]);
  const second = await cell();
  await choose('Type of litres of milk', 'none');
  await act(async () => void fireEvent.keyDown(screen.getByLabelText('litres of milk'), { key: 'Enter' }));
  expect(second.written).toEqual([['milk', { field: 'litres', value: undefined }, 1]]);
});

test('doesn’t trigger shortcuts of the table when the user types their keys into the value', async () => {
  const onKey = vi.fn();
  window.addEventListener('keydown', onKey);
  const { press } = await cell();
  await press('Delete');
  await press('a');
  window.removeEventListener('keydown', onKey);
  expect(onKey).not.toHaveBeenCalled();
});

test('stays open while the focus moves between the value and its kind', async () => {
  const { written, type } = await cell();
  await type('2');
  const kind = screen.getByLabelText('Type of litres of milk');
  await act(
    async () => void fireEvent.blur(screen.getByLabelText('litres of milk'), { relatedTarget: kind }),
  );
  expect([written, isOpen()]).toEqual([[], true]);
  await act(async () => void fireEvent.blur(kind, { relatedTarget: document.body }));
  expect([written, isOpen()]).toEqual([[WRITE], false]);
});

test.each([
  ['a text of several lines', 'one\ntwo'],
  ['bytes', Uint8Array.of(1)],
  ['a very long text', 'x'.repeat(10_001)],
])('closes for %s, with a message that refers to the page of the document', async (_what, litres) => {
  await cell(() => Promise.resolve({ _id: 'milk', litres }));
  expect((await screen.findByRole('alert')).textContent).toContain(
    'Couldn’t edit the cell: its value doesn’t fit on one line. Open the document to edit it.',
  );
  expect(isOpen()).toBe(false);
});

test('closes with a message when the document can’t be read', async () => {
  await cell(() => Promise.reject(new Error('it was deleted')));
  expect((await screen.findByRole('alert')).textContent).toContain('Couldn’t edit the cell: it was deleted');
});

describe('on a narrow screen', () => {
  beforeEach(() => void vi.stubGlobal('matchMedia', () => ({ matches: true })));

  test('edits in a dialog, and writes on Save', async () => {
    const { written, type } = await cell();
    expect(screen.getByRole('dialog', { name: 'Edit litres' }).textContent).toContain('milk');
    await type('2');
    await act(async () => screen.getByRole('button', { name: 'Save' }).click());
    expect([written, isOpen()]).toEqual([[WRITE], false]);
  });

  test('says why a value can’t be saved', async () => {
    const { type } = await cell();
    await type('two');
    expect(screen.getByText('This isn’t a number.')).toBeDefined();
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Save' }).disabled).toBe(true);
  });

  test('writes nothing on Cancel', async () => {
    const { written, type } = await cell();
    await type('2');
    await act(async () => screen.getByRole('button', { name: 'Cancel' }).click());
    expect([written, isOpen()]).toEqual([[], false]);
  });
});

test('shows the text that a conflict interrupts, and no key that follows presses a button', async () => {
  let found: (has: boolean) => void = () => undefined;
  const { type } = await cell(undefined, () => new Promise((resolve) => (found = resolve)));
  await type('2');
  await act(async () => found(true));
  const dialog = conflictDialog() as HTMLElement;
  await vi.waitFor(() => expect(document.activeElement).toBe(dialog));
  expect(dialog.textContent).toContain('Your text wasn’t saved: 2');
});
