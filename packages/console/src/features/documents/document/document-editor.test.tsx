import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import type { BridgedDatabase } from 'fixpoint/bridge';
import type { ComponentProps } from 'react';
import { Link } from 'react-router';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Writing, WritingContext } from '../../../local/can-write.ts';
import { freshDatabase } from '../../../local/fresh-database.fixture.ts';
import { drawPages, waiting, withPages } from '../../../ui/pages.fixture.tsx';
import { editorCalled, withoutPauses } from '../../editor/drawn-editor.fixture.ts';
import { withConflict } from '../../history/conflicts/real-conflict.fixture.ts';
import { DocumentEditor } from './document-editor.tsx';

withPages();
const confirm = vi.fn<(text: string) => boolean>();
beforeEach(() => {
  sessionStorage.clear();
  withoutPauses();
  confirm.mockReset().mockReturnValue(false);
  vi.stubGlobal('confirm', confirm);
});
afterEach(() => {
  vi.restoreAllMocks();
  sessionStorage.clear();
});

interface Given extends Partial<ComponentProps<typeof DocumentEditor>> {
  readonly writing?: Writing;
  readonly database?: BridgedDatabase;
}

/** Renders the page of a document, with a link to another page. */
async function page(id: string | undefined, given: Given = {}) {
  const { writing = 'allowed', ...props } = given;
  const database = given.database ?? (await freshDatabase([{ _id: 'milk', litres: 1, shelf: 'A' }]));
  const Page = () => (
    <WritingContext value={writing}>
      <DocumentEditor basePath="/docs" {...props} database={database} documentId={id} />
      <Link to="/other">Elsewhere</Link>
    </WritingContext>
  );
  const pages = await drawPages(
    [
      { path: '/', Component: Page },
      { path: '/docs', Component: () => <h1>All documents</h1> },
      { path: '/docs/:id', Component: () => <h1>A saved document</h1> },
      { path: '/other', Component: () => <h1>Other</h1> },
    ],
    '/',
  );
  return { ...pages, database };
}

const press = (name: string) => act(async () => screen.getByRole('button', { name }).click());
const button = (name: string) => screen.queryByRole<HTMLButtonElement>('button', { name });
const says = (text: string | RegExp) => screen.findByText(text);
/** Returns the text editor after it has loaded. */
const editor = async () => {
  await waitFor(() => expect(document.querySelector('[data-editor]')?.shadowRoot).toBeTruthy());
  return editorCalled('Document as JSON');
};

/** Holds saves of stored documents until the test lets them continue. */
function holdSaves(database: BridgedDatabase) {
  const gate = waiting<void>();
  const transact = database.transact.bind(database);
  const write = vi.spyOn(database, 'transact').mockImplementation(async (work) => {
    await gate.promise;
    return transact(work);
  });
  return { write, come: () => gate.come(undefined) };
}

describe('editing a stored document', () => {
  test('shows the document as JSON, with its id above the text', async () => {
    await page('milk');
    await says('Saved in this browser.');
    expect((await editor()).text()).toBe('{\n  "shelf": "A",\n  "litres": 1\n}');
    expect(screen.getByText('milk').tagName).toBe('CODE');
    expect(button('Save')?.disabled).toBe(true);
  });

  test('saves what was typed', async () => {
    const { database } = await page('milk');
    await (await editor()).retype('{"litres": 2}');
    await says('Unsaved changes.');
    await press('Save');
    await says('Saved in this browser.');
    expect(await database.get('milk')).toEqual({ _id: 'milk', litres: 2 });
  });

  test('saves when the user presses Ctrl+S in the text', async () => {
    const { database } = await page('milk');
    const text = await editor();
    await text.retype('{"litres": 2}');
    await text.press('s', { ctrlKey: true, keyCode: 83 });
    await says('Saved in this browser.');
    expect(await database.get('milk')).toEqual({ _id: 'milk', litres: 2 });
  });

  test.each([
    ['{', /^This isn’t valid JSON yet: /],
    ['[]', 'A document is a JSON object: it begins with { and ends with }.'],
    ['', 'A document is a JSON object, such as {"name": "value"}.'],
    ['{"_id": "rice"}', 'The _id of a document can’t be changed. Remove it from the text.'],
  ])('doesn’t save the text %j, and says why', async (typed, why) => {
    const { database } = await page('milk');
    const text = await editor();
    await text.retype(typed);
    await says(why);
    expect(button('Save')?.disabled).toBe(true);
    await text.press('s', { ctrlKey: true, keyCode: 83 });
    expect(await database.get('milk')).toMatchObject({ litres: 1 });
  });

  test('says why the document couldn’t be saved, keeps the text, and saves it on the next try', async () => {
    const { database } = await page('milk');
    const text = await editor();
    await text.retype('{"litres": 2}');
    const put = vi.spyOn(database, 'transact').mockRejectedValue(new Error('the disk is full'));
    await press('Save');
    expect((await screen.findByRole('alert')).textContent).toContain(
      'Couldn’t save the document: the disk is full',
    );
    expect([text.text(), button('Save')?.disabled]).toEqual(['{"litres": 2}', false]);
    put.mockRestore();
    await press('Save');
    await says('Saved in this browser.');
    expect(screen.queryByRole('alert')).toBeNull();
  });

  test('writes only once when the user saves again during a save', async () => {
    const { database } = await page('milk');
    await (await editor()).retype('{"litres": 2}');
    const { write, come } = holdSaves(database);
    await press('Save');
    await says('Saving...');
    await (await editor()).press('s', { ctrlKey: true, keyCode: 83 });
    await come();
    await says('Saved in this browser.');
    expect(write).toHaveBeenCalledTimes(1);
  });

  test('keeps text that was typed during the save as an unsaved change', async () => {
    const { database } = await page('milk');
    const text = await editor();
    await text.retype('{"litres": 2}');
    const { come } = holdSaves(database);
    await press('Save');
    await text.retype('{"litres": 3}');
    await come();
    await says('Unsaved changes.');
    expect([text.text(), button('Save')?.disabled]).toEqual(['{"litres": 3}', false]);
  });

  test('reports a save that failed after the user went to another page', async () => {
    confirm.mockReturnValue(true);
    const { database, go } = await page('milk');
    await (await editor()).retype('{"litres": 2}');
    let fail: (error: Error) => void = () => undefined;
    const write = new Promise<never>((_resolve, reject) => {
      fail = reject;
    });
    vi.spyOn(database, 'transact').mockReturnValue(write);
    await press('Save');
    await go('/other');
    await act(async () => fail(new Error('the disk is full')));
    expect((await screen.findByRole('alert')).textContent).toContain(
      'Couldn’t save the document: the disk is full',
    );
  });

  test('compares the text with the stored document', async () => {
    await page('milk');
    expect(button('Review changes')).toBeNull();
    await (await editor()).retype('{"shelf": "A", "litres": 2}');
    await says('Unsaved changes.');
    await press('Review changes');
    expect(screen.getByRole('columnheader', { name: /After saving/ })).toBeDefined();
    expect(document.querySelector('del')?.textContent).toBe('"litres": 1');
    await press('Hide changes');
    expect(screen.queryByRole('table')).toBeNull();
  });

  test('says where to delete the document, and deletes nothing', async () => {
    const alert = vi.fn<(text: string) => void>();
    vi.stubGlobal('alert', alert);
    const { database } = await page('milk', { hasDelete: true });
    await says('Saved in this browser.');
    await press('Delete');
    expect(alert.mock.calls[0]?.[0]).toMatch(
      /^Are you sure you want to delete this document\?\n\nNothing was deleted/,
    );
    expect(await database.get('milk')).toMatchObject({ litres: 1 });
  });

  test('shows a document with values that JSON can’t express, but doesn’t let the user edit it', async () => {
    const database = await freshDatabase([{ _id: 'milk', raw: Uint8Array.of(1, 2, 3) }]);
    await page('milk', { database });
    await says('This document contains values that JSON can’t express, so you can’t edit it here.');
    const text = await editor();
    expect([text.text(), text.content.getAttribute('contenteditable'), button('Save')?.disabled]).toEqual([
      '{\n  "raw": "3 bytes"\n}',
      'false',
      true,
    ]);
  });
});

describe('a document that changes elsewhere', () => {
  test('shows the change at once if the user hasn’t typed', async () => {
    const { database } = await page('milk');
    const text = await editor();
    await act(async () => void (await database.put({ _id: 'milk', litres: 9 })));
    await waitFor(() => expect(text.text()).toBe('{\n  "litres": 9\n}'));
    expect(screen.queryByRole('alert')).toBeNull();
  });

  /** Types into the document, then changes it elsewhere. */
  async function changed() {
    const { database, ...rest } = await page('milk');
    const text = await editor();
    await text.retype('{"litres": 2, "shelf": "A"}');
    await act(async () => void (await database.put({ _id: 'milk', litres: 1, shelf: 'B' })));
    await says(/^This document was changed elsewhere while you edited it\./);
    return { database, text, ...rest };
  }

  test('keeps the typed text, and warns that saving overwrites the change', async () => {
    const { text } = await changed();
    expect(text.text()).toBe('{"litres": 2, "shelf": "A"}');
  });

  test('shows the other version on request', async () => {
    const { text } = await changed();
    await press('Use the other version');
    expect(text.text()).toBe('{\n  "shelf": "B",\n  "litres": 1\n}');
    await says('Saved in this browser.');
  });

  test('overwrites the other version when the user keeps their own', async () => {
    const { database } = await changed();
    await press('Keep my version');
    expect(screen.queryByRole('alert')).toBeNull();
    await press('Save');
    await says('Saved in this browser.');
    expect(await database.get('milk')).toEqual({ _id: 'milk', litres: 2, shelf: 'A' });
  });

  test('merges changes of different fields', async () => {
    const { database } = await changed();
    await press('Merge...');
    await screen.findByRole('region', { name: 'Merge' });
    await press('Use the merged document');
    expect(JSON.parse((await editor()).text())).toEqual({ litres: 2, shelf: 'B' });
    await press('Save');
    await says('Saved in this browser.');
    expect(await database.get('milk')).toEqual({ _id: 'milk', litres: 2, shelf: 'B' });
  });

  test('offers the choices again when the user cancels a merge', async () => {
    const { path } = await changed();
    await press('Merge...');
    await screen.findByRole('region', { name: 'Merge' });
    expect(path()).toBe('/?merge=');
    await press('Not now');
    await waitFor(() => expect(button('Keep my version')).not.toBeNull());
    expect(path()).toBe('/');
  });

  test('asks again when somebody changes the document during the merge', async () => {
    const { database } = await changed();
    await act(async () => void (await database.put({ _id: 'milk', litres: 3, shelf: 'B' })));
    await press('Merge...');
    await screen.findByRole('region', { name: 'Merge' });
    await act(async () => screen.getByRole('radio', { name: /^My version/ }).click());
    expect(button('Use the merged document')?.disabled).toBe(false);
    await act(async () => void (await database.put({ _id: 'milk', litres: 4, shelf: 'C' })));
    expect((await screen.findByRole('alert')).textContent).toMatch(/changed this document again/);
    expect(button('Use the merged document')?.disabled).toBe(true);
    await act(async () => screen.getByRole('radio', { name: /^The other version 4/ }).click());
    await press('Use the merged document');
    expect(JSON.parse((await editor()).text())).toEqual({ litres: 4, shelf: 'C' });
  });

  /** Writes the document when the next save has begun. */
  function writeDuringSave(database: BridgedDatabase, doc: { _id: string; [field: string]: unknown }) {
    const transact = database.transact.bind(database);
    vi.spyOn(database, 'transact').mockImplementationOnce(async (work) => {
      await database.put(doc);
      return transact(work);
    });
  }

  test('shows the merge if somebody changes the document during the save, and loses no write', async () => {
    const { database } = await page('milk');
    await (await editor()).retype('{"litres": 2, "shelf": "A"}');
    writeDuringSave(database, { _id: 'milk', litres: 1, shelf: 'B' });
    await press('Save');
    await screen.findByRole('region', { name: 'Merge' });
    await says(/your text isn’t saved yet\. Merge the versions, then save\.$/);
    expect(await database.get('milk')).toEqual({ _id: 'milk', litres: 1, shelf: 'B' });
    await press('Use the merged document');
    await press('Save');
    await says('Saved in this browser.');
    expect(await database.get('milk')).toEqual({ _id: 'milk', litres: 2, shelf: 'B' });
  });

  test('keeps the choices of a merge if the document changes before the save, and asks for the rest', async () => {
    const { database } = await changed();
    await act(async () => void (await database.put({ _id: 'milk', litres: 3, shelf: 'B' })));
    await press('Merge...');
    await screen.findByRole('region', { name: 'Merge' });
    await act(async () => screen.getByRole('radio', { name: 'My version 2' }).click());
    await press('Use the merged document');
    writeDuringSave(database, { _id: 'milk', litres: 3, shelf: 'C', more: true });
    await press('Save');
    await screen.findByRole('region', { name: 'Merge' });
    expect(screen.getByLabelText('Merged document as JSON').textContent).toContain('"litres": 2');
    await press('Use the merged document');
    await press('Save');
    await says('Saved in this browser.');
    expect(await database.get('milk')).toEqual({ _id: 'milk', litres: 2, shelf: 'C', more: true });
  });

  test('begins a merge without the choices of an earlier one', async () => {
    const { database } = await changed();
    const edit = async (own: number, other: number) => {
      await (await editor()).retype(`{"litres": ${own}, "shelf": "B"}`);
      await act(async () => void (await database.put({ _id: 'milk', litres: other, shelf: 'B' })));
      await says(/^This document was changed elsewhere/);
      await press('Merge...');
      await screen.findByRole('region', { name: 'Merge' });
    };
    const mine = () => screen.getByRole<HTMLInputElement>('radio', { name: /^My version/ });
    const choose = () => act(async () => mine().click());
    await edit(2, 3);
    await choose();
    await press('Not now');
    await editor();
    await press('Keep my version');
    await press('Save');
    await says('Saved in this browser.');
    for (const [own, other] of [
      [4, 5],
      [6, 7],
    ] as const) {
      await edit(own, other);
      expect([screen.queryByRole('alert'), mine().checked]).toEqual([null, false]);
      await choose();
      await press('Use the merged document');
    }
  });

  test('doesn’t save over a change that the user saw without deciding, also with Ctrl+S in the merge', async () => {
    const { database } = await changed();
    await press('Save');
    await screen.findByRole('region', { name: 'Merge' });
    await act(async () => void fireEvent.keyDown(document.body, { key: 's', ctrlKey: true }));
    expect(await database.get('milk')).toEqual({ _id: 'milk', litres: 1, shelf: 'B' });
  });

  test('doesn’t create a document again that was deleted during the save', async () => {
    const { database } = await page('milk');
    await (await editor()).retype('{"litres": 2}');
    writeDuringSave(database, { _id: 'milk', _deleted: true });
    await press('Save');
    await says(/your text isn’t saved yet\. Choose a version, then save\.$/);
    await says(/^This document was deleted elsewhere\./);
    await expect(database.get('milk')).rejects.toThrow('Not found: milk');
  });

  test('undoes a merge, and a choice of one version, until the user types again', async () => {
    await changed();
    await press('Merge...');
    await screen.findByRole('region', { name: 'Merge' });
    await press('Use the merged document');
    await editor();
    await press('Undo');
    expect(JSON.parse((await editor()).text())).toEqual({ litres: 2, shelf: 'A' });
    await press('Use the other version');
    expect(JSON.parse((await editor()).text())).toEqual({ litres: 1, shelf: 'B' });
    await (await editor()).retype('{"litres": 7}');
    await press('Undo');
    await says('Couldn’t undo this: you changed the text since.');
    expect((await editor()).text()).toBe('{"litres": 7}');
  });

  test('offers no merge while the text is invalid', async () => {
    const { text } = await changed();
    await text.retype('{');
    expect([button('Merge...'), button('Keep my version') === null]).toEqual([null, false]);
  });

  test('says that the document was deleted, and creates it again on Save', async () => {
    const { database } = await page('milk');
    await (await editor()).retype('{"litres": 2}');
    await act(async () => void (await database.del('milk')));
    await says('This document was deleted elsewhere. Saving creates it again with your text.');
    expect([button('Merge...'), button('Use the other version')]).toEqual([null, null]);
    await press('Save');
    await says('Saved in this browser.');
    expect(await database.get('milk')).toEqual({ _id: 'milk', litres: 2 });
  });
});

describe('a document with a conflict', () => {
  test('shows the merge on Save, writes nothing, and keeps the text', async () => {
    const { database, seen } = await withConflict();
    await page('milk', { database });
    await screen.findByRole('region', { name: 'Conflict' });
    await (await editor()).retype('{"litres": 9}');
    await press('Save');
    await says('This document has a conflict, so your text isn’t saved yet. Merge the versions, then save.');
    expect(document.querySelector('[role=status] .lucide-circle-check')).toBe(null);
    await screen.findByRole('radio', { name: /2$/ });
    expect(await database.conflicts('milk')).toEqual(seen);
    await act(async () => screen.getByRole('radio', { name: /^My version/ }).click());
    await press('Use the merged document');
    await waitFor(async () => expect(await database.conflicts('milk')).toBe(undefined));
    expect(JSON.parse((await editor()).text())).toEqual({ litres: 9 });
  });

  test('asks before the page is left with choices of a merge that was closed', async () => {
    const { database } = await withConflict();
    const { go, path } = await page('milk', { database });
    await act(async () => (await screen.findByRole('link', { name: 'Merge...' })).click());
    const mine = await screen.findByRole('radio', { name: /^My version/ });
    await act(async () => mine.click());
    await press('Not now');
    await screen.findByRole('region', { name: 'Conflict' });
    await go('/other');
    const question = 'Your choices in this merge aren’t saved. Leave without saving them?';
    expect([path(), confirm.mock.calls]).toEqual(['/', [[question]]]);
    await press('Keep the version shown now');
    await waitFor(() => expect(screen.queryByRole('region', { name: 'Conflict' })).toBe(null));
    await go('/other');
    expect([path(), confirm.mock.calls.length]).toEqual(['/other', 1]);
  });

  test('asks for a version if these can’t be merged', async () => {
    const { database, seen } = await withConflict();
    const conflicts = database.conflicts.bind(database);
    vi.spyOn(database, 'conflicts').mockImplementation(async (id) => {
      const found = await conflicts(id);
      return found && { ...found, losers: found.losers.map(({ value: _, ...deletion }) => deletion) };
    });
    await page('milk', { database });
    await (await editor()).retype('{"litres": 9}');
    await press('Save');
    await says('This document has a conflict, so your text isn’t saved yet. Choose a version, then save.');
    expect(await database.get('milk')).toEqual(seen.winner.value);
    await press('Keep the version shown now');
    await waitFor(() => expect(screen.queryByRole('region', { name: 'Conflict' })).toBe(null));
    await press('Save');
    await says('Saved in this browser.');
    expect(await database.get('milk')).toEqual({ _id: 'milk', litres: 9 });
  });
});

describe('text that isn’t valid JSON', () => {
  const problem = () => screen.findByRole('region', { name: 'Problem in the JSON' });

  test('is explained with line and column, and can’t be saved', async () => {
    await page('milk');
    await (await editor()).retype('{\n  "scope": M,\n  "n": 1\n}');
    expect((await problem()).textContent).toContain('Can’t save yet: line 2, column 12. Text needs quotes.');
    expect(button('Save')?.disabled).toBe(true);
  });

  test('is corrected with one button, and the editor can undo that', async () => {
    await page('milk');
    const text = await editor();
    await text.retype('{"scope": M}');
    await problem();
    await press('Use "M"');
    expect(text.text()).toBe('{"scope": "M"}');
    expect(screen.queryByRole('region', { name: 'Problem in the JSON' })).toBe(null);
    text.view.contentDOM.blur();
    await text.undo();
    expect(text.text()).toBe('{"scope": M}');
  });

  test('shows the place of the error, also with F8', async () => {
    await page('milk');
    const text = await editor();
    await text.retype('{"a": 1, "scope": M}');
    await press((await within(await problem()).findByText(/Go there/)).textContent ?? '');
    expect(text.caret()).toBe(18);
    await text.type(' ', 0);
    await act(async () => void fireEvent.keyDown(document.body, { key: 'F8' }));
    expect(text.caret()).toBe(19);
  });
});

describe('a new document', () => {
  test('gets an id when it is saved, and its page becomes the page of the saved document', async () => {
    const { database, path } = await page(undefined);
    expect(screen.getByText('assigned when you save the document')).toBeDefined();
    await (await editor()).retype('{"litres": 5}');
    await press('Save');
    await waitFor(() => expect(path()).toMatch(/^\/docs\/./));
    const { rows } = await database.allDocs<{ litres: number }>();
    expect(rows.map(({ value }) => value.litres).toSorted()).toEqual([1, 5]);
  });

  test('uses the _id in the text, but doesn’t replace a document that has this id', async () => {
    const { database, path } = await page(undefined);
    await (await editor()).retype('{"_id": "milk", "litres": 5}');
    await press('Save');
    expect((await screen.findByRole('alert')).textContent).toContain(
      'a document with the _id "milk" already exists. Choose another _id.',
    );
    expect([await database.get('milk'), path()]).toEqual([{ _id: 'milk', litres: 1, shelf: 'A' }, '/']);
  });

  test('doesn’t open after the save if the user left the page during the save', async () => {
    confirm.mockReturnValue(true);
    const { database, path, go } = await page(undefined);
    await (await editor()).retype('{"litres": 5}');
    const write = waiting<{ readonly id: string }>();
    vi.spyOn(database, 'put').mockReturnValue(write.promise as never);
    await press('Save');
    await go('/other');
    await write.come({ id: 'new' });
    expect(path()).toBe('/other');
  });
});

describe('leaving unsaved text', () => {
  const QUESTION = 'You have unsaved changes. Leave without saving them?';
  const leave = () => act(async () => fireEvent.click(screen.getByRole('link', { name: 'Elsewhere' })));

  test('asks first, and stays when the user declines', async () => {
    const { path } = await page('milk');
    const text = await editor();
    await text.retype('{"litres": 2}');
    await leave();
    expect([confirm.mock.calls, path(), text.text()]).toEqual([[[QUESTION]], '/', '{"litres": 2}']);
  });

  test('leaves without a question when nothing was changed', async () => {
    const { path } = await page('milk');
    const text = await editor();
    await text.retype('{"shelf": "A", "litres": 1}');
    await leave();
    expect([confirm.mock.calls, path()]).toEqual([[], '/other']);
  });

  test('asks even when the text is invalid', async () => {
    await page('milk');
    await (await editor()).retype('{');
    await leave();
    expect(confirm).toHaveBeenCalledWith(QUESTION);
  });
});

describe('documents that can’t be edited', () => {
  test('says that a document is missing, and shows invisible characters of its id', async () => {
    await page('later  on');
    await says(/^No document has the id/);
    expect(document.querySelector('code')?.textContent).toBe('"later\\u0020\\u0020on"');
  });

  test('shows a missing document as soon as it arrives', async () => {
    const { database } = await page('later');
    await says(/^No document has the id/);
    await act(async () => void (await database.put({ _id: 'later', x: 1 })));
    expect((await editor()).text()).toBe('{\n  "x": 1\n}');
  });

  test('says why a document couldn’t be read', async () => {
    const database = await freshDatabase([]);
    vi.spyOn(database, 'get').mockRejectedValue(new Error('the archive is damaged'));
    await page('milk', { database });
    expect((await screen.findByRole('alert')).textContent).toContain('the archive is damaged');
  });

  test.each<[Writing, RegExp]>([
    ['no right', /^You can read this document, but not change it\./],
    ['locked', /^This database is locked in this browser\./],
  ])('shows a document without a Save button when the state of writing is "%s"', async (writing, text) => {
    const { database } = await page('milk', { writing });
    await says(text);
    const shown = await editor();
    expect([button('Save'), shown.content.getAttribute('contenteditable')]).toEqual([null, 'false']);
    await shown.press('s', { ctrlKey: true, keyCode: 83 });
    expect(await database.get('milk')).toMatchObject({ litres: 1 });
  });

  test('doesn’t let readers create a document', async () => {
    await page(undefined, { writing: 'no right' });
    await says('You can read this database, but not write to it.');
    expect(document.querySelector('[data-editor]')).toBeNull();
  });
});
