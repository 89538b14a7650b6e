import { act, fireEvent, screen } from '@testing-library/react';
import { StrictMode, useState } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { drawPages, withPages } from '../../../ui/pages.fixture.tsx';
import { CellEditor } from './cell-editor.tsx';

withPages();
beforeEach(() => void vi.stubGlobal('matchMedia', () => ({ matches: false })));
afterEach(() => void vi.unstubAllGlobals());

/** Renders a cell in edit mode until its editor closes, or its row unmounts. */
async function cell() {
  const written: unknown[] = [];
  let end: () => void = () => undefined;
  function Page() {
    const [isThere, setThere] = useState(true);
    end = () => setThere(false);
    return isThere ? (
      <CellEditor
        id="milk"
        field="litres"
        read={() => Promise.resolve({ _id: 'milk', litres: 1 })}
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

const WRITE = ['milk', { field: 'litres', value: 2 }, 1];

test('writes the typed value once, on Enter and on blur', async () => {
  const { written, type, press } = await cell();
  await type('2');
  await press('Enter');
  expect(written).toEqual([WRITE]);
});

test('writes the typed value once when the row unmounts during editing', async () => {
  const { written, type, rowGoes } = await cell();
  await type('2');
  await rowGoes();
  expect(written).toEqual([WRITE]);
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
