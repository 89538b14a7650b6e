import { act, fireEvent, screen, within } from '@testing-library/react';
import type { Database } from 'fixpoint';
import { useState } from 'react';
import { expect, onTestFinished, test, vi } from 'vitest';
import { freshDatabase } from '../../../local/fresh-database.fixture.ts';
import { drawPages, withPages } from '../../../ui/pages.fixture.tsx';
import { UndoBar } from '../../../undo/undo-bar.tsx';
import { forgetSteps } from '../../../undo/undo-stack.ts';
import { withConflict } from '../../history/conflicts/real-conflict.fixture.ts';
import { fieldPlaces } from './field-order.ts';
import { ImportDialog, speedText } from './import-dialog.tsx';

withPages();

type Doc = Readonly<Record<string, unknown>>;

/** Returns a database with these documents. Each write waits until the test settles it. */
function databaseWith(...there: Doc[]) {
  const written: Doc[] = [];
  let settle: ((error?: Error) => Promise<void>) | undefined;
  const rowsOf = (keys: readonly string[] | undefined) =>
    there
      .filter(({ _id }) => keys === undefined || keys.includes(String(_id)))
      .map((value) => ({ key: value['_id'], value }));
  const database = {
    name: 'pantry',
    allDocs: ({ keys }: { keys?: string[] } = {}) => Promise.resolve({ rows: rowsOf(keys) }),
    head: () => Promise.resolve([]),
    bulk: (docs: Doc[]) => {
      written.push(...docs);
      const ids = docs.map(({ _id }) => _id ?? 'new');
      return new Promise<object>((resolve, reject) => {
        settle = (error) => act(async () => (error === undefined ? resolve({ ids }) : reject(error)));
      });
    },
  } as unknown as Database;
  /** Settles the next write, which starts only after parts of a file were read. */
  const end = async (error?: Error) => {
    await vi.waitFor(() => expect(settle).toBeDefined());
    const now = settle;
    settle = undefined;
    await now?.(error);
  };
  return { database, written, end };
}

async function dialog(files?: readonly File[], opened?: Database) {
  const { database: fake, ...rest } = databaseWith({ _id: 'milk', litres: 1 });
  const database = opened ?? fake;
  onTestFinished(() => {
    forgetSteps('pantry');
    localStorage.removeItem('fixpoint:fields:pantry');
  });
  let closed = 0;
  function Page() {
    const [isOpen, setOpen] = useState(true);
    const close = () => {
      closed += 1;
      setOpen(false);
    };
    return (
      <>
        <UndoBar database={database} />
        {isOpen && <ImportDialog database={database} onClose={close} {...(files && { files })} />}
      </>
    );
  }
  await drawPages([{ path: '/', Component: Page }], '/');
  const press = (name: string | RegExp) => act(async () => screen.getByRole('button', { name }).click());
  const choose = (text: string, name = 'pantry.json') =>
    act(async () => {
      const input = screen.getByLabelText('Choose files to import');
      fireEvent.change(input, { target: { files: [new File([text], name)] } });
    });
  const change = (label: string, value: string) =>
    act(async () => void fireEvent.change(screen.getByLabelText(label), { target: { value } }));
  return { ...rest, press, choose, change, closed: () => closed };
}

const button = (name: string) => screen.findByRole<HTMLButtonElement>('button', { name });
const FILE = '[{"_id": "milk", "litres": 2}, {"_id": "rice"}, 7]';

test('shows what the import would change before any write, and writes exactly these changes', async () => {
  const { written, end, press, choose, closed } = await dialog();
  await choose(FILE);
  await button('Import 1 document');
  const counts = within(screen.getByLabelText('What the import does'));
  const numbers = () => counts.getAllByRole('definition').map(({ textContent }) => textContent);
  expect(numbers()).toEqual(['1', '0', '1', '1']);
  expect(screen.getByText('Not a document')).toBeDefined();
  expect(written).toEqual([]);
  await press('Import 1 document');
  await vi.waitFor(() => expect([written, closed()]).toEqual([[{ _id: 'rice' }], 0]));
  await end();
  expect(await screen.findByText('Imported 1 document.')).toBeDefined();
  expect(closed()).toBe(1);
});

test('remembers the order of the columns for the table, also of one that is empty in the first row', async () => {
  const { end, press, choose } = await dialog();
  await choose('name;price;amount\nrice;;1\nsalt;2,5;3\n', 'prices.csv');
  await button('Import 2 documents');
  expect(fieldPlaces('pantry').size).toBe(0);
  await press('Import 2 documents');
  await end();
  expect([...fieldPlaces('pantry').keys()]).toEqual(['name', 'price', 'amount']);
});

test('replaces existing documents on request', async () => {
  const { written, end, press, choose } = await dialog();
  await choose(FILE);
  await button('Import 1 document');
  await act(async () => screen.getByLabelText('Replace').click());
  await press('Import 2 documents');
  await end();
  expect(written).toEqual([{ _id: 'milk', litres: 2 }, { _id: 'rice' }]);
});

test('disables the import while it would write nothing', async () => {
  const { choose } = await dialog();
  await choose('{"_id": "milk"}');
  expect((await button('Import 0 documents')).disabled).toBe(true);
  await act(async () => screen.getByLabelText('Add with new ids').click());
  expect((await button('Import 1 document')).disabled).toBe(false);
});

test('skips or fixes all problems with one button each', async () => {
  const { press, choose } = await dialog();
  await choose('{"_id":"Zürich"}\n{"_id":"b","n":-0}\n{"_id":"c","n":12345678901234567890}\n', 'a.ndjson');
  await button('Import 3 documents');
  expect(screen.getByText('3 problems in 3 rows')).toBeDefined();
  expect(screen.getByLabelText<HTMLInputElement>('Zurich').checked).toBe(true);
  await press('Skip these');
  expect((await button('Import 0 documents')).disabled).toBe(true);
  await press('Fix these');
  await button('Import 3 documents');
  await act(async () =>
    within(screen.getByText('Negative zero').closest('li') as HTMLElement)
      .getByLabelText('Skip')
      .click(),
  );
  await button('Import 2 documents');
});

test('moves between the cells with problems by key', async () => {
  const { choose } = await dialog();
  await choose('{"_id":"a","n":-0}\n{"_id":"b","n":1}\n{"_id":"c","n":-0}\n', 'a.ndjson');
  await button('Import 3 documents');
  const next = () => act(async () => void fireEvent.keyDown(document.body, { key: 'n' }));
  const focused = () => document.activeElement?.closest('tr')?.textContent;
  await next();
  expect(focused()).toMatch(/^1a/);
  await next();
  expect(focused()).toMatch(/^3c/);
  await next();
  expect(focused()).toMatch(/^1a/);
});

test('changes the type of a column, and the field that becomes the id', async () => {
  const { written, choose, change, press, end } = await dialog();
  await choose('code,zip\n7,1234\n8,5678\n', 'a.csv');
  await button('Import 2 documents');
  expect(screen.getByLabelText<HTMLSelectElement>('Type of zip').value).toBe('number');
  await change('Type of zip', 'text');
  await change('Document id', '"code"');
  await vi.waitFor(() => expect(screen.queryByLabelText('Type of code')).toBe(null));
  await press('Import 2 documents');
  await end();
  expect(written).toEqual([
    { _id: '7', zip: '1234' },
    { _id: '8', zip: '5678' },
  ]);
});

test('offers the list inside an object, or the whole file', async () => {
  const { choose, change } = await dialog();
  await choose('{"639-3": [{"name": "Ghotuo"}, {"name": "Alumu"}]}', 'iso_639-3.json');
  await button('Import 2 documents');
  expect(screen.getByLabelText<HTMLSelectElement>('Rows').selectedOptions[0]?.textContent).toBe(
    '2 items of "639-3"',
  );
  await change('Rows', 'whole');
  await button('Import 1 document');
});

test('takes dropped files, more files, and pasted text', async () => {
  const { press } = await dialog([new File(['[{"_id":"a"}]'], 'a.json')]);
  await button('Import 1 document');
  const popup = screen.getByRole('dialog');
  await act(
    async () =>
      void fireEvent.paste(popup, {
        clipboardData: { files: [], getData: () => '{"_id":"b"}\n{"_id":"c"}' },
      }),
  );
  await button('Import 3 documents');
  await act(async () => {
    const event = new Event('drop', { cancelable: true });
    Object.assign(event, { dataTransfer: { types: ['Files'], files: [new File(['n\n1\n'], 'b.csv')] } });
    window.dispatchEvent(event);
  });
  await button('Import 4 documents');
  expect(within(screen.getByLabelText('Files')).getAllByRole('listitem')).toHaveLength(4);
  await press('Remove Pasted text');
  await button('Import 2 documents');
});

test('reports documents that couldn’t be written, and keeps the preview', async () => {
  vi.spyOn(console, 'error').mockReturnValue(undefined);
  const { end, press, choose, closed } = await dialog();
  await choose(FILE);
  await button('Import 1 document');
  await press('Import 1 document');
  await end(new Error('the disk is full'));
  expect((await screen.findByRole('alert')).textContent).toMatch(/the disk is full/);
  expect([(await button('Import 1 document')).disabled, closed()]).toEqual([false, 0]);
});

test('writes nothing for a file without documents, and accepts another file', async () => {
  const { written, press, choose } = await dialog();
  await choose('', 'empty.csv');
  expect(await screen.findByText('This file contains no documents.')).toBeDefined();
  await press('Remove empty.csv');
  expect([screen.getByLabelText('Choose files to import').isConnected, written]).toEqual([true, []]);
});

test('reports how many documents were written when the user cancels, and closes only once', async () => {
  const { written, end, press, choose, closed } = await dialog();
  await choose(`[${Array.from({ length: 600 }, (_, n) => `{"_id": "n${n}"}`).join(',')}]`);
  await button('Import 600 documents');
  await press('Import 600 documents');
  await press('Cancel');
  await end();
  expect(await screen.findByText('Imported 500 of 600 documents.')).toBeDefined();
  expect([written.length, closed(), await button('Undo')]).toMatchObject([500, 1, {}]);
});

test('undoes and redoes an import from the undo bar as one step', async () => {
  const mine = { _id: 'milk', litres: 1 };
  const database = await freshDatabase([mine]);
  const { choose, press } = await dialog(undefined, database);
  const ids = async () => (await database.allDocs()).rows.map(({ key }) => key);
  await choose(FILE);
  await button('Import 1 document');
  await act(async () => screen.getByLabelText('Replace').click());
  await press('Import 2 documents');
  expect(await screen.findByText('Imported 2 documents.')).toBeDefined();
  await press('Undo');
  expect(await screen.findByText('Undid “Imported 2 documents”.')).toBeDefined();
  expect([await ids(), await database.get('milk')]).toEqual([['milk'], mine]);
  await press('Redo');
  expect(await screen.findByText('Redid “Imported 2 documents”.')).toBeDefined();
  expect([await ids(), await database.get('milk')]).toEqual([['milk', 'rice'], { _id: 'milk', litres: 2 }]);
});

test('records the documents that were written before a failure as a step, and says how many', async () => {
  vi.spyOn(console, 'error').mockReturnValue(undefined);
  const { end, press, choose, closed } = await dialog();
  await choose(`[${Array.from({ length: 600 }, (_, n) => `{"_id": "n${n}"}`).join(',')}]`);
  await button('Import 600 documents');
  await press('Import 600 documents');
  await end();
  await end(new Error('the disk is full'));
  expect((await screen.findByRole('alert')).textContent).toMatch(
    /Imported 500 of 600 documents, but not the rest: .*the disk is full/,
  );
  expect([closed(), screen.getByText('Imported 500 of 600 documents.')]).toMatchObject([0, {}]);
});

test('imports rows without ids only once if the import is repeated after a failure', async () => {
  vi.spyOn(console, 'error').mockReturnValue(undefined);
  const database = await freshDatabase();
  const write = database.bulk;
  const bulk = vi.spyOn(database, 'bulk');
  const { choose, press, change } = await dialog(undefined, database);
  await choose('n\n1\n2\n', 'a.csv');
  await button('Import 2 documents');
  // The documents are stored, but the answer gets lost.
  bulk.mockImplementationOnce(async (...given) => {
    await write(...given);
    throw new Error('the worker was lost');
  });
  await press('Import 2 documents');
  expect((await screen.findByRole('alert')).textContent).toContain('the worker was lost');
  await button('Import 0 documents');
  await change('Type of n', 'text');
  await act(async () => screen.getByLabelText('Replace').click());
  await button('Import 2 documents');
  await press('Import 2 documents');
  expect(await screen.findByText('Imported 2 documents.')).toBeDefined();
  expect((await database.allDocs()).rows.map(({ value }) => value['n'])).toEqual(['1', '2']);
});

test('imports all rows again if another choice has changed which rows there are', async () => {
  vi.spyOn(console, 'error').mockReturnValue(undefined);
  const database = await freshDatabase();
  const { choose, press } = await dialog(undefined, database);
  await choose('a\nb\n', 'a.csv');
  await button('Import 1 document');
  vi.spyOn(database, 'bulk').mockRejectedValueOnce(new Error('the disk is full'));
  await press('Import 1 document');
  await screen.findByRole('alert');
  await press('Change');
  await act(async () => screen.getByLabelText('First line has the field names').click());
  await button('Import 2 documents');
});

test('says before and after an import that is too large that Undo isn’t offered', async () => {
  const { end, press, choose } = await dialog();
  const rows = Array.from({ length: 3200 }, (_, n) => `{"_id":"${`${n}`.padEnd(4000, '-')}"}\n`);
  await choose(rows.slice(0, 3).join(''), 'a.ndjson');
  await button('Import 3 documents');
  expect(screen.queryByText(/too large to undo/)).toBe(null);
  await press('Remove a.ndjson');
  await choose(rows.join(''), 'a.ndjson');
  await button('Import 3,200 documents');
  expect(screen.getByText(/^This import is too large to undo\. .* export the documents/)).toBeDefined();
  await press('Import 3,200 documents');
  for (let batch = 0; batch < 7; batch += 1) await end();
  expect(await screen.findByText('Imported 3,200 documents. The import is too large to undo.')).toBeDefined();
  expect(screen.queryByRole('button', { name: 'Undo' })).toBe(null);
});

test('keeps the apostrophes of a spreadsheet export when the user asks for it', async () => {
  const { written, end, press, choose } = await dialog();
  await choose("_id,price\r\nrice,'=1+1\r\n", 'pantry.csv');
  const option = await screen.findByLabelText<HTMLInputElement>(/^Remove the apostrophe .* in 1 cell /);
  expect(option.checked).toBe(true);
  await act(async () => option.click());
  await vi.waitFor(async () => expect((await button('Import 1 document')).disabled).toBe(false));
  await press('Import 1 document');
  await end();
  expect(written).toEqual([{ _id: 'rice', price: "'=1+1" }]);
});

test('says why a file can’t be read, and accepts another one', async () => {
  const { choose, press } = await dialog();
  const broken = new File(['{}'], 'pantry.ndjson');
  vi.spyOn(broken, 'stream').mockImplementation(() => {
    throw new Error('the file was moved');
  });
  const input = screen.getByLabelText('Choose files to import');
  await act(async () => void fireEvent.change(input, { target: { files: [broken] } }));
  expect((await screen.findByRole('alert')).textContent).toContain('the file was moved');
  await press('Remove pantry.ndjson');
  await choose(FILE);
  expect(await button('Import 1 document')).toBeDefined();
});

test.each([
  [{ done: 500, of: 1000, since: 0 }, 900, ''],
  [{ done: 500, of: 2000, since: 0 }, 1000, '500 per second, 3 s left'],
  [{ done: 10_000, of: 4_000_000, since: 0 }, 2000, '5,000 per second, 14 min left'],
])('says how fast %j is', (progress, now, expected) => {
  expect(speedText(progress, now)).toBe(expected);
});

test('leaves documents with a conflict as they are, and says how many', async () => {
  const { database, seen } = await withConflict();
  const { press, choose, closed } = await dialog(undefined, database);
  await choose(FILE);
  await button('Import 1 document');
  await act(async () => screen.getByLabelText('Replace').click());
  await press('Import 2 documents');
  await screen.findByText('Left out 1 document with a conflict. Open it to merge the versions.');
  await screen.findByText('Imported 1 of 2 documents.');
  expect([closed(), await database.conflicts('milk')]).toEqual([1, seen]);
});
