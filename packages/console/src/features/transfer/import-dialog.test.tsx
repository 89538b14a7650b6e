import { act, fireEvent, screen } from '@testing-library/react';
import type { Database } from 'fixpoint';
import { useState } from 'react';
import { expect, test, vi } from 'vitest';
import { drawPages, withPages } from '../../ui/pages.fixture.tsx';
import { ImportDialog } from './import-dialog.tsx';

withPages();

/** Returns a database with one document. Each write waits until the test settles it. */
function databaseWith(there: string) {
  const written: unknown[] = [];
  let end: (error?: Error) => Promise<void> = async () => undefined;
  const database = {
    allDocs: ({ keys }: { keys: string[] }) =>
      Promise.resolve({ rows: keys.filter((key) => key === there).map((key) => ({ key })) }),
    bulk: (docs: unknown[]) => {
      written.push(...docs);
      return new Promise<void>((resolve, reject) => {
        end = (error) => act(async () => (error === undefined ? resolve() : reject(error)));
      });
    },
  } as unknown as Database;
  return { database, written, end: (error?: Error) => end(error) };
}

async function dialog() {
  const { database, ...rest } = databaseWith('milk');
  let closed = 0;
  function Page() {
    const [isOpen, setOpen] = useState(true);
    const close = () => {
      closed += 1;
      setOpen(false);
    };
    return isOpen && <ImportDialog database={database} onClose={close} />;
  }
  await drawPages([{ path: '/', Component: Page }], '/');
  const press = (name: string) => act(async () => screen.getByRole('button', { name }).click());
  const choose = (text: string, name = 'pantry.json') =>
    act(async () => {
      const input = screen.getByLabelText('File to import');
      fireEvent.change(input, { target: { files: [new File([text], name)] } });
    });
  return { ...rest, press, choose, closed: () => closed };
}

const FILE = '[{"_id": "milk", "litres": 2}, {"_id": "rice"}, 7]';

test('says what the import would change before any write, and writes exactly these changes', async () => {
  const { written, end, press, choose, closed } = await dialog();
  await choose(FILE);
  const button = await screen.findByRole('button', { name: 'Import 1 document' });
  expect(button).toBeDefined();
  expect(screen.getByText('1 new document.')).toBeDefined();
  expect(screen.getByText(/1 part of the file is/).parentElement?.textContent).toMatch(/3: /);
  expect(written).toEqual([]);
  await press('Import 1 document');
  expect([written, closed()]).toEqual([[{ _id: 'rice' }], 0]);
  await end();
  expect(await screen.findByText('Imported 1 document.')).toBeDefined();
  expect(closed()).toBe(1);
});

test('replaces existing documents on request', async () => {
  const { written, end, press, choose } = await dialog();
  await choose(FILE);
  const replace = await screen.findByLabelText('Replace 1 document that already exists');
  await act(async () => replace.click());
  await press('Import 2 documents');
  await end();
  expect(written).toEqual([{ _id: 'rice' }, { _id: 'milk', litres: 2 }]);
});

test('reports documents that couldn’t be written, and accepts another file', async () => {
  vi.spyOn(console, 'error').mockReturnValue(undefined);
  const { end, press, choose, closed } = await dialog();
  await choose(FILE);
  await screen.findByRole('button', { name: 'Import 1 document' });
  await press('Import 1 document');
  await end(new Error('the disk is full'));
  expect((await screen.findByRole('alert')).textContent).toMatch(/the disk is full/);
  expect([screen.queryByLabelText('File to import') === null, closed()]).toEqual([false, 0]);
});

test('writes nothing for a file without documents', async () => {
  const { written, press, choose } = await dialog();
  await choose('', 'empty.csv');
  expect(await screen.findByText('This file contains no documents.')).toBeDefined();
  await press('Choose another file');
  expect([screen.getByLabelText('File to import').isConnected, written]).toEqual([true, []]);
});

test('reports how many documents were written when the user cancels, and closes only once', async () => {
  const { written, end, press, choose, closed } = await dialog();
  await choose(`[${Array.from({ length: 600 }, (_, n) => `{"_id": "n${n}"}`).join(',')}]`);
  await screen.findByRole('button', { name: 'Import 600 documents' });
  await press('Import 600 documents');
  await press('Cancel');
  await end();
  expect(await screen.findByText('Imported 500 documents. 100 were not imported.')).toBeDefined();
  expect([written.length, closed()]).toEqual([500, 1]);
});

test('keeps the apostrophes of a spreadsheet export when the user asks for it', async () => {
  const { written, end, press, choose } = await dialog();
  await choose("_id,price\r\nrice,'=1+1\r\n", 'pantry.csv');
  const option = await screen.findByLabelText<HTMLInputElement>(/^Remove the apostrophe .* in 1 cell /);
  expect(option.checked).toBe(true);
  await act(async () => option.click());
  await screen.findByRole('button', { name: 'Import 1 document' });
  await press('Import 1 document');
  await end();
  expect(written).toEqual([{ _id: 'rice', price: "'=1+1" }]);
});

test('disables the import when all documents exist, until they may be replaced', async () => {
  const { press, choose, written, end } = await dialog();
  await choose('{"_id": "milk"}');
  const button = await screen.findByRole<HTMLButtonElement>('button', { name: 'Import 0 documents' });
  expect(button.disabled).toBe(true);
  await act(async () => screen.getByLabelText('Replace 1 document that already exists').click());
  await press('Import 1 document');
  await end();
  expect(written).toEqual([{ _id: 'milk' }]);
});

test('lists the first problems of a file, and says that there are more', async () => {
  const { choose } = await dialog();
  await choose(`[${Array.from({ length: 8 }, (_, n) => n).join(',')},{"_id":"rice"}]`);
  await screen.findByRole('button', { name: 'Import 1 document' });
  const lines = screen.getAllByRole('listitem').map(({ textContent }) => textContent);
  expect(lines.length).toBe(6);
  expect(lines[0]).toBe('1: This isn’t a JSON object.');
  expect(lines.at(-1)).toBe('and more');
});

test('says why a file can’t be read, and accepts another one', async () => {
  const { choose } = await dialog();
  const broken = new File(['{}'], 'pantry.ndjson');
  vi.spyOn(broken, 'stream').mockImplementation(() => {
    throw new Error('the file was moved');
  });
  const input = screen.getByLabelText('File to import');
  await act(async () => void fireEvent.change(input, { target: { files: [broken] } }));
  expect((await screen.findByRole('alert')).textContent).toContain('the file was moved');
  await choose(FILE);
  expect(await screen.findByRole('button', { name: 'Import 1 document' })).toBeDefined();
});
