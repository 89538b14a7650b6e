import { FixpointError } from '@fixpoint/protocol';
import { act, fireEvent, screen } from '@testing-library/react';
import type { BridgedDatabase } from 'fixpoint/bridge';
import { useState } from 'react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { WritingContext } from '../../../local/can-write.ts';
import { freshDatabase } from '../../../local/fresh-database.fixture.ts';
import { drawPages, withPages } from '../../../ui/pages.fixture.tsx';
import { UndoBar } from '../../../undo/undo-bar.tsx';
import { withConflict } from '../../history/conflicts/real-conflict.fixture.ts';
import { BulkBar } from './bulk-bar.tsx';
import type { Selection } from './use-selection.ts';

withPages();
let copied: string[] = [];
const confirm = vi.fn<(text: string) => boolean>();
beforeEach(() => {
  copied = [];
  confirm.mockReset().mockReturnValue(true);
  vi.stubGlobal('confirm', confirm);
  vi.spyOn(navigator.clipboard, 'writeText').mockImplementation(async (text) => void copied.push(text));
});
afterEach(() => void vi.restoreAllMocks());

const DOCS = ['milk', 'rice', 'salt'].map((_id, n) => ({ _id, litres: n }));

/** Renders the bar while these documents are selected. */
async function bar(
  selected: readonly string[],
  given: {
    mayWrite?: boolean;
    count?: number;
    parts?: string[][];
    all?: Selection['all'];
    database?: BridgedDatabase;
  } = {},
) {
  const database = given.database ?? (await freshDatabase(DOCS));
  function Page() {
    const [ids, setIds] = useState(selected);
    const selection = {
      count: given.count ?? ids.length,
      all: given.all ?? 'some',
      clear: () => setIds([]),
      selectAll: () => setIds(DOCS.map(({ _id }) => _id)),
      chosen: async function* chosen() {
        yield* given.parts ?? [ids];
      },
    } as unknown as Selection;
    return (
      <WritingContext value={given.mayWrite === false ? 'no right' : 'allowed'}>
        <input aria-label="A field of the page" />
        <UndoBar database={database} />
        <BulkBar database={database} selection={selection} fields={['litres']} columns={['_id', 'litres']} />
      </WritingContext>
    );
  }
  await drawPages([{ path: '/', Component: Page }], '/');
  const ids = async () => (await database.allDocs()).rows.map(({ key }) => key);
  return { database, ids };
}

const press = (name: string) => act(async () => screen.getByRole('button', { name }).click());
const copyAs = async (format: string) => {
  await press('Copy');
  const item = await screen.findByRole('menuitem', { name: `Copy as ${format}` });
  await act(async () => item.click());
};
const region = () => screen.queryByRole('region', { name: 'Selection' });

describe('the actions for selected documents', () => {
  test('shows nothing without a selection', async () => {
    await bar([]);
    expect(region()).toBeNull();
  });

  test('says how many documents are selected', async () => {
    await bar(['milk'], { count: 12_345 });
    expect(screen.getByText('12,345 selected')).toBeDefined();
  });

  test('selects all documents, for lists without a heading', async () => {
    await bar(['milk']);
    await press('Select all');
    expect(screen.getByText('3 selected')).toBeDefined();
  });

  test('doesn’t offer to select all when all are selected', async () => {
    await bar(['milk'], { all: 'all' });
    expect(screen.queryByRole('button', { name: 'Select all' })).toBeNull();
  });

  test('deletes the documents when the user confirms, and restores them on Undo', async () => {
    const { ids } = await bar(['milk', 'salt']);
    await press('Delete');
    expect(await screen.findByText('Deleted 2 documents.')).toBeDefined();
    expect(confirm.mock.calls).toEqual([['Are you sure you want to delete these 2 documents?']]);
    expect([await ids(), region()]).toEqual([['rice'], null]);
    await press('Undo');
    await expect.poll(ids).toEqual(['milk', 'rice', 'salt']);
  });

  test('shows the id of a single deleted document', async () => {
    await bar(['milk']);
    await press('Delete');
    expect(await screen.findByText('Deleted document milk.')).toBeDefined();
    expect(confirm.mock.calls).toEqual([['Are you sure you want to delete this document?']]);
  });

  test('deletes nothing, and keeps the selection, when the user declines', async () => {
    confirm.mockReturnValue(false);
    const { ids } = await bar(['milk']);
    await press('Delete');
    expect([await ids(), region() === null]).toEqual([['milk', 'rice', 'salt'], false]);
  });

  test('keeps the selection when a deletion fails', async () => {
    const { database } = await bar(['milk', 'rice']);
    vi.spyOn(database, 'bulk').mockRejectedValue(new Error('the disk is full'));
    await press('Delete');
    const alert = await screen.findByRole('alert');
    expect(alert.textContent).toContain('Couldn’t delete all of the documents: the disk is full');
    expect(screen.getByText('2 selected')).toBeDefined();
  });

  test('says how many documents a failed deletion deleted, and restores them on Undo', async () => {
    const { database, ids } = await bar(['milk', 'rice'], { parts: [['milk'], ['rice']] });
    const write = database.bulk;
    vi.spyOn(database, 'bulk')
      .mockImplementationOnce(write)
      .mockRejectedValueOnce(new Error('the disk is full'));
    await press('Delete');
    const alert = await screen.findByRole('alert');
    expect(alert.textContent).toContain('Deleted 1 of 2 documents, but not the rest: the disk is full');
    expect(await ids()).toEqual(['rice', 'salt']);
    await screen.findByText('Deleted document milk.');
    await press('Undo');
    await expect.poll(ids).toEqual(['milk', 'rice', 'salt']);
  });

  test('asks before Undo overwrites a document that was created again, and can keep it', async () => {
    const { database, ids } = await bar(['milk', 'salt']);
    await press('Delete');
    await screen.findByText('Deleted 2 documents.');
    await database.put({ _id: 'milk', litres: 99 });
    await press('Undo');
    const question = await screen.findByRole('alert');
    expect(question.textContent).toContain('milk: litres is now 99');
    await press('Undo the other 1');
    await screen.findByText(/^Undid “Deleted 2 documents”, but not in 1 document that changed since\.$/);
    expect([await ids(), await database.get('milk')]).toEqual([
      ['milk', 'rice', 'salt'],
      { _id: 'milk', litres: 99 },
    ]);
  });

  test('reports an Undo that failed', async () => {
    const { database } = await bar(['milk']);
    await press('Delete');
    await screen.findByText('Deleted document milk.');
    vi.spyOn(database, 'transact').mockRejectedValue(new Error('the disk is full'));
    await press('Undo');
    const alert = await screen.findByRole('alert');
    expect(alert.textContent).toContain('Couldn’t undo “Deleted document milk”: the disk is full');
  });

  test('opens a dialog that edits all selected documents', async () => {
    await bar(['milk', 'salt']);
    await press('Edit');
    expect(await screen.findByRole('dialog', { name: 'Edit 2 documents' })).toBeDefined();
  });
});

describe('copying selected documents', () => {
  test('copies several documents as a list', async () => {
    await bar(['milk', 'salt']);
    await copyAs('JSON');
    expect(await screen.findByText('Copied 2 documents as JSON.')).toBeDefined();
    expect(JSON.parse(copied[0] ?? '')).toEqual([DOCS[0], DOCS[2]]);
  });

  test('copies the shown columns as tab-separated text', async () => {
    vi.stubGlobal('ClipboardItem', undefined);
    await bar(['milk', 'salt']);
    await copyAs('TSV');
    expect(await screen.findByText('Copied 4 cells.')).toBeDefined();
    expect(copied[0]?.split('\n').map((line) => line.split('\t')[0])).toEqual(['milk', 'salt']);
  });

  test('copies one document as an object', async () => {
    await bar(['rice']);
    await copyAs('JSON');
    expect(await screen.findByText('Copied the document as JSON.')).toBeDefined();
    expect(JSON.parse(copied[0] ?? '')).toEqual(DOCS[1]);
  });

  test('disables copying of more than 1,000 documents, and suggests an export', async () => {
    await bar(['milk'], { count: 1001 });
    const button = screen.getByRole<HTMLButtonElement>('button', { name: 'Copy' });
    expect([button.disabled, button.title]).toEqual([
      true,
      'You can copy at most 1000 documents. Export them instead.',
    ]);
  });

  test('reports that the browser denied access to the clipboard', async () => {
    vi.mocked(navigator.clipboard.writeText).mockRejectedValue(new Error('denied'));
    await bar(['rice']);
    await copyAs('JSON');
    expect((await screen.findByRole('alert')).textContent).toContain('Couldn’t copy the documents: denied');
  });
});

describe('clearing the selection', () => {
  test('clears the selection by its button and by Escape', async () => {
    await bar(['milk']);
    await press('Clear');
    expect(region()).toBeNull();
    await bar(['milk']);
    await act(async () => void fireEvent.keyDown(document.body, { key: 'Escape' }));
    expect(screen.queryAllByRole('region', { name: 'Selection' })).toEqual([]);
  });

  test('keeps the selection when Escape closed something else', async () => {
    await bar(['milk']);
    const field = screen.getByLabelText('A field of the page');
    field.addEventListener('keydown', (event) => event.preventDefault());
    await act(async () => void fireEvent.keyDown(field, { key: 'Escape' }));
    await act(async () => void fireEvent.keyDown(document.body, { key: 'a' }));
    expect(region()).not.toBeNull();
  });
});

test('offers readers only actions that change nothing', async () => {
  await bar(['milk'], { mayWrite: false });
  const names = screen.getAllByRole('button').map(({ textContent }) => textContent?.trim());
  expect(names).toEqual(['Select all', 'Export', 'Copy', 'Clear']);
});

describe('deleting documents with a conflict', () => {
  const NOTE = 'Undo brings back only the version that was shown. Other versions stay in the history.';

  test('asks again, and deletes all their versions when the user agrees', async () => {
    const { database, seen } = await withConflict([{ _id: 'rice' }]);
    const { ids } = await bar(['milk', 'rice'], { database });
    await press('Delete');
    expect(await screen.findByText(`Deleted 2 documents. ${NOTE}`)).toBeDefined();
    expect(confirm.mock.calls).toEqual([
      ['Are you sure you want to delete these 2 documents?'],
      [
        `1 of these documents has another version that nobody has merged. Do you want to delete all its versions?\n\n${NOTE}`,
      ],
    ]);
    expect([await ids(), await database.conflicts('milk')]).toEqual([[], undefined]);
    await press('Undo');
    await expect.poll(ids).toEqual(['milk', 'rice']);
    expect(await database.get('milk')).toEqual(seen.winner.value);
  });

  test('keeps them with all their versions when the user declines', async () => {
    const { database, seen } = await withConflict([{ _id: 'rice' }]);
    confirm.mockReturnValueOnce(true).mockReturnValueOnce(false);
    const { ids } = await bar(['milk', 'rice'], { database });
    await press('Delete');
    expect(await screen.findByText('Deleted document rice.')).toBeDefined();
    expect([await ids(), await database.conflicts('milk')]).toEqual([['milk'], seen]);
  });

  test('keeps a document that was changed while the question was open, and says so', async () => {
    vi.spyOn(console, 'error').mockReturnValue(undefined);
    const { database } = await withConflict();
    confirm.mockReturnValueOnce(true).mockImplementationOnce(() => {
      void database.put({ _id: 'milk', litres: 9 });
      return true;
    });
    const { ids } = await bar(['milk'], { database });
    await press('Delete');
    const text = 'The document was changed in the meantime, so it wasn’t deleted.';
    expect((await screen.findByRole('alert')).textContent).toContain(text);
    expect(confirm.mock.lastCall?.[0]).toMatch(
      /^This document has another version .* delete all its versions/,
    );
    expect([await ids(), (await database.get('milk'))['litres']]).toEqual([['milk'], 9]);
  });

  test('counts a document once that is selected twice', async () => {
    const { database } = await withConflict();
    const { ids } = await bar(['milk'], { database, parts: [['milk'], ['milk']], count: 2 });
    await press('Delete');
    expect(await screen.findByText(`Deleted document milk. ${NOTE}`)).toBeDefined();
    expect(confirm.mock.lastCall?.[0]).toMatch(/^1 of these documents has another version/);
    expect([await ids(), screen.queryByRole('alert')]).toEqual([[], null]);
  });

  test('keeps a document whose conflict ended before the question, and asks nothing', async () => {
    vi.spyOn(console, 'error').mockReturnValue(undefined);
    const { database } = await withConflict();
    const bulk = database.bulk.bind(database);
    vi.spyOn(database, 'bulk').mockImplementationOnce(async (docs, options) => {
      const result = await bulk(docs, options);
      await database.put({ _id: 'milk', litres: 9 });
      return result;
    });
    const { ids } = await bar(['milk'], { database });
    await press('Delete');
    const text = 'The document was changed in the meantime, so it wasn’t deleted.';
    expect((await screen.findByRole('alert')).textContent).toContain(text);
    expect([confirm.mock.calls.length, await ids()]).toEqual([1, ['milk']]);
  });

  test('says on a full disk what to delete first', async () => {
    vi.spyOn(console, 'error').mockReturnValue(undefined);
    const { database, seen } = await withConflict([{ _id: 'rice' }]);
    vi.spyOn(database, 'transact').mockRejectedValueOnce(new FixpointError('STORE_FULL'));
    await bar(['milk', 'rice'], { database });
    await press('Delete');
    expect((await screen.findByRole('alert')).textContent).toContain(
      'Deleted 1 of 2 documents, but not the rest: this browser’s storage is full, and deleting a document with a conflict needs some space. Delete documents without a conflict first, or free disk space, then try again.',
    );
    expect(await database.conflicts('milk')).toEqual(seen);
    // Another deletion gets the usual advice.
    vi.spyOn(database, 'bulk').mockRejectedValueOnce(new FixpointError('STORE_FULL'));
    await press('Delete');
    await expect
      .poll(() => screen.getAllByRole('alert').at(-1)?.textContent)
      .toMatch(/storage is full. Delete data you no longer need/);
  });

  test('reports a failure after the question, and keeps the selection', async () => {
    vi.spyOn(console, 'error').mockReturnValue(undefined);
    const { database, seen } = await withConflict();
    vi.spyOn(database, 'transact').mockRejectedValueOnce(new Error('the disk is full'));
    await bar(['milk'], { database });
    await press('Delete');
    expect((await screen.findByRole('alert')).textContent).toContain(
      'Couldn’t delete the document: the disk is full',
    );
    expect(await database.conflicts('milk')).toEqual(seen);
    expect(screen.getByText('1 selected')).toBeDefined();
  });
});
