import { type EditorView, runScopeHandlers } from '@codemirror/view';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { freshDatabase } from '../../../local/fresh-database.fixture.ts';
import { runPageAction } from '../../../ui/page-actions.ts';
import { drawPages, withPages } from '../../../ui/pages.fixture.tsx';
import { editorCalled } from '../../editor/drawn-editor.fixture.ts';
import { DocumentEditor } from './document-editor.tsx';

withPages();
const STORED_AS = 'fixpoint:document-view';
beforeEach(() => {
  sessionStorage.clear();
  localStorage.clear();
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  sessionStorage.clear();
  localStorage.clear();
});

const MILK = { _id: 'milk', litres: 1, shelf: 'A' };

async function page(address = '/', docs: readonly Record<string, unknown>[] = [MILK]) {
  const database = await freshDatabase(docs);
  const Page = () => <DocumentEditor basePath="/docs" database={database} documentId="milk" />;
  const pages = await drawPages(
    [
      { path: '/', Component: Page },
      { path: '/docs/:id', Component: () => <h1>Another document</h1> },
    ],
    address,
  );
  await screen.findByRole('group', { name: 'View' });
  return { ...pages, database };
}

const button = (name: string) => screen.getByRole<HTMLButtonElement>('button', { name });
const press = (name: string) => act(async () => button(name).click());
const pressed = () =>
  ['JSON', 'Tree', 'Form'].filter((name) => button(name).getAttribute('aria-pressed') === 'true');
const type = (label: string, value: string) =>
  act(async () => void fireEvent.change(screen.getByLabelText(label), { target: { value } }));
const form = () => screen.findByRole('region', { name: 'Document as form' });
const tree = () => screen.findByRole('treegrid', { name: 'Fields' });
const editor = async () => {
  await waitFor(() => expect(document.querySelector('[data-editor]')?.shadowRoot).toBeTruthy());
  return editorCalled('Document as JSON');
};

describe('the views of a document', () => {
  test('begins with JSON, and keeps the last choice for the next document', async () => {
    await page();
    expect([pressed(), localStorage.getItem(STORED_AS)]).toEqual([['JSON'], null]);
    await press('Tree');
    await tree();
    expect([pressed(), localStorage.getItem(STORED_AS)]).toEqual([['Tree'], 'tree']);
    await press('Form');
    await form();
    expect([pressed(), localStorage.getItem(STORED_AS)]).toEqual([['Form'], 'form']);
  });

  test.each([
    ['tree', 'Tree'],
    ['form', 'Form'],
    ['table', 'JSON'],
    ['__proto__', 'JSON'],
    ['', 'JSON'],
  ])('takes the stored choice %j for %s', async (stored, expected) => {
    localStorage.setItem(STORED_AS, stored);
    await page();
    expect(pressed()).toEqual([expected]);
  });

  test('shows the same view after a merge, although another tab chose another one', async () => {
    const { database } = await page();
    await press('Form');
    await form();
    await type('shelf', 'B');
    await act(async () => void (await database.put({ ...MILK, shelf: 'C' })));
    await act(async () => (await screen.findByRole('button', { name: 'Merge...' })).click());
    await screen.findByRole('region', { name: 'Merge' });
    localStorage.setItem(STORED_AS, 'tree');
    await press('Not now');
    await form();
    expect(pressed()).toEqual(['Form']);
  });

  test('switches without storage', async () => {
    const denied = () => {
      throw new Error('denied');
    };
    vi.stubGlobal('localStorage', { getItem: denied, setItem: denied });
    await page();
    await press('Form');
    expect([await form(), pressed()]).toMatchObject([{}, ['Form']]);
  });

  test('saves from the form with the key of the page, and does nothing without changes', async () => {
    const { database } = await page();
    await press('Form');
    await form();
    await type('shelf', 'B');
    expect(runPageAction('save')).toBe(true);
    await screen.findByText('Saved in this browser.');
    expect(await database.get('milk')).toEqual({ _id: 'milk', litres: 1, shelf: 'B' });
    await act(async () => expect(runPageAction('save')).toBe(true));
    expect(screen.getByText('Saved in this browser.')).toBeDefined();
  });

  test('edits the same draft, and saves it from each view', async () => {
    const { database } = await page();
    await (await editor()).retype('{"litres": 2.50, "shelf": "A"}');
    await press('Form');
    await form();
    expect(screen.getByLabelText<HTMLInputElement>('litres').value).toBe('2.50');
    await type('shelf', 'B');
    await press('JSON');
    expect((await editor()).text()).toBe('{"litres": 2.50, "shelf": "B"}');
    await press('Tree');
    await tree();
    await press('Save');
    await screen.findByText('Saved in this browser.');
    expect(await database.get('milk')).toEqual({ _id: 'milk', litres: 2.5, shelf: 'B' });
  });

  test('counts a value that was changed back as no change', async () => {
    await page();
    await press('Form');
    await form();
    await type('shelf', 'B');
    await screen.findByText('Unsaved changes.');
    expect(button('Save').disabled).toBe(false);
    await type('shelf', 'A');
    await screen.findByText('Saved in this browser.');
    expect(button('Save').disabled).toBe(true);
  });

  test('shows changes from elsewhere', async () => {
    const { database } = await page();
    await press('Form');
    await form();
    await act(async () => void (await database.put({ ...MILK, litres: 9 })));
    await waitFor(() => expect(screen.getByLabelText<HTMLInputElement>('litres').value).toBe('9'));
    await type('shelf', 'B');
    await act(async () => void (await database.put({ ...MILK, litres: 10 })));
    await screen.findByText(/^This document was changed elsewhere/);
    expect(screen.getByLabelText<HTMLInputElement>('litres').value).toBe('9');
    await press('Use the other version');
    expect(screen.getByLabelText<HTMLInputElement>('litres').value).toBe('10');
    expect(screen.getByLabelText<HTMLInputElement>('shelf').value).toBe('A');
  });

  test('shows the other value of a field that both changed, and takes the chosen one', async () => {
    const { database } = await page();
    await press('Form');
    await form();
    await type('shelf', 'mine');
    await type('litres', '5');
    await act(async () => void (await database.put({ ...MILK, litres: 9, shelf: 'theirs', more: true })));
    await screen.findByText(/changed elsewhere/);
    expect(screen.getAllByText(/changed it to/).map(({ textContent }) => textContent)).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/changed it to 9$/),
        expect.stringMatching(/changed it to theirs$/),
      ]),
    );
    await press('Keep mine: litres');
    expect(screen.getByLabelText<HTMLInputElement>('litres').value).toBe('5');
    expect(screen.queryByLabelText('more')).toBe(null);
    await press('Use theirs: shelf');
    expect(screen.getByLabelText<HTMLInputElement>('shelf').value).toBe('theirs');
    expect(screen.queryByText(/changed elsewhere/)).toBe(null);
    await press('Save');
    await screen.findByText('Saved in this browser.');
    expect(await database.get('milk')).toEqual({ ...MILK, litres: 5, shelf: 'theirs', more: true });
  });

  test('asks for a correction of invalid JSON, and comes back after it', async () => {
    await page();
    await (await editor()).retype('{"litres": ');
    await press('Tree');
    await screen.findByText(/^The text of this document isn’t valid JSON\./);
    expect(button('Save').disabled).toBe(true);
    await press('JSON');
    const text = await editor();
    expect(text.text()).toBe('{"litres": ');
    await text.retype('{"litres": 3}');
    await press('Tree');
    expect((await tree()).textContent).toContain('litres3');
  });

  test('lets nobody edit values that JSON can’t express', async () => {
    await page('/', [{ _id: 'milk', raw: Uint8Array.of(1, 2), n: 1 }]);
    await press('Form');
    await form();
    expect([
      screen.getByLabelText<HTMLInputElement>('n').readOnly,
      screen.queryByRole('button', { name: 'Add a field' }),
    ]).toEqual([true, null]);
  });

  test('focuses the field of the address', async () => {
    localStorage.setItem(STORED_AS, 'form');
    await page('/?field=shelf');
    await form();
    await waitFor(() => expect(document.activeElement?.getAttribute('aria-label')).toBe('shelf'));
  });

  test('lists the links beside the document, and marks them in the form', async () => {
    const { path } = await page('/', [{ ...MILK, shelf: 'rice' }, { _id: 'rice' }]);
    const links = await screen.findByRole('region', { name: 'Links to documents' });
    expect(links.textContent).toBe('Linksshelfrice');
    await press('Form');
    const link = await screen.findByRole('link', { name: 'Open document rice' });
    await act(async () => link.click());
    expect(path()).toBe('/docs/rice');
  });

  test('copies the id and the text of the draft', async () => {
    const copied: string[] = [];
    vi.spyOn(navigator.clipboard, 'writeText').mockImplementation(async (text) => void copied.push(text));
    await page();
    await (await editor()).retype('{"litres": 2}');
    await press('Copy JSON');
    await press('Copy id');
    expect(copied).toEqual(['{"litres": 2}', 'milk']);
  });
});

describe('the authors of fields', () => {
  const people = new Map([['u1', { name: 'Ada', email: 'ada@example.com' }]]);
  const authorsPage = async (view: string) => {
    localStorage.setItem(STORED_AS, view);
    const database = await freshDatabase([MILK]);
    const atMs = Date.now() - 120_000;
    const received = { atMs, account: 'u1' };
    const versions = [
      { event: 'e2', parents: [], concurrent: false, value: MILK, time: atMs, device: 'x', received },
      { event: 'e1', parents: [], concurrent: false, value: { ...MILK, litres: 0 }, device: '012345678' },
    ];
    vi.spyOn(database, 'history').mockResolvedValue(versions as never);
    const Page = () => <DocumentEditor basePath="/docs" {...{ database, people }} documentId="milk" />;
    await drawPages([{ path: '/', Component: Page }], '/');
    await screen.findByRole('button', { name: 'Authors' });
  };

  test.each(['form', 'tree'])(
    'shows the authors in the %s until the user hides them, with those of unsaved fields',
    async (view) => {
      await authorsPage(view);
      expect(await screen.findByText('Changed by Ada, 2 minutes ago')).toBeDefined();
      expect(screen.getByText('Changed by Device 012345')).toBeDefined();
      if (view === 'form') {
        await type('litres', '9');
        expect(await screen.findByText('You, not saved yet')).toBeDefined();
        expect(screen.queryByText('Changed by Ada, 2 minutes ago')).toBeNull();
      }
      await press('Authors');
      expect(screen.queryByText(/^Changed by/)).toBeNull();
      expect(localStorage.getItem('fixpoint:document-authors')).toBe('off');
    },
  );

  const marksIn = (view: EditorView) => [...view.dom.querySelectorAll<HTMLElement>('.cm-author')];

  test('shows the authors beside the JSON, and hides them by the key B', async () => {
    await authorsPage('json');
    const { view } = await editor();
    const notes = () => marksIn(view).map(({ textContent }) => textContent);
    await waitFor(() => expect(notes().sort()).toEqual(['2 minutes ago', 'Device 012345']));
    expect(button('Authors').getAttribute('aria-pressed')).toBe('true');
    await act(async () => void runPageAction('authors'));
    expect(notes()).toEqual([]);
  });

  test.each(['a press', 'Alt+B in the field'])(
    'shows name, time and links of an author beside the JSON after %s',
    async (how) => {
      await authorsPage('json');
      const { view } = await editor();
      await waitFor(() => expect(marksIn(view).length).toBe(2));
      const field = marksIn(view).find(({ textContent }) => textContent === '2 minutes ago');
      await act(async () => {
        if (how === 'a press') return field?.click();
        view.dispatch({ selection: { anchor: view.state.doc.toString().indexOf('"litres"') } });
        const alt = new KeyboardEvent('keydown', { key: 'b', code: 'KeyB', keyCode: 66, altKey: true });
        runScopeHandlers(view, alt, 'editor');
      });
      const details = within(await screen.findByRole('dialog', { name: 'Author of litres' }));
      expect(details.getByText('Ada')).toBeDefined();
      expect(details.getByText(/:\d\d:\d\d/)).toBeDefined();
      const change = details.getByRole('link', { name: 'Show change' });
      expect(change.getAttribute('href')).toMatch(/document=milk.*event=e2$/);
      await act(async () => void fireEvent.keyDown(change, { key: 'Escape' }));
      await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    },
  );

  test('offers no authors for a new document', async () => {
    const database = await freshDatabase([]);
    const Page = () => <DocumentEditor basePath="/docs" database={database} documentId={undefined} />;
    await drawPages([{ path: '/', Component: Page }], '/');
    await screen.findByRole('group', { name: 'View' });
    expect(screen.queryByRole('button', { name: 'Authors' })).toBeNull();
  });
});
