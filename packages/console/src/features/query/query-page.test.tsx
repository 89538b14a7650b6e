import { EditorView } from '@codemirror/view';
import { FixpointError, savedQueriesName } from '@fixpoint/protocol';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import type { BridgedDatabase } from 'fixpoint/bridge';
import { useParams } from 'react-router';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { freshLocal, withEngine } from '../../engine/engine-here.fixture.ts';
import { localPages } from '../../local/database-pages.ts';
import { openLocal } from '../../local/databases.ts';
import { savedQueriesOf, saveQuery } from '../../local/saved-queries.ts';
import { drawPages, withPages } from '../../ui/pages.fixture.tsx';
import { withSizes } from '../../ui/sizes.fixture.ts';
import { HOSTILE_NAMES, withEveryName } from '../../values/hostile-names.fixture.ts';
import { readQueryDraft, writeQueryDraft } from './query-draft.ts';
import { QueryPage } from './query-page.tsx';
import { SavedQueryLinks } from './saved-query-links.tsx';

withPages();
withEngine();
withSizes();
beforeEach(() => {
  sessionStorage.clear();
  localStorage.clear();
});
afterEach(() => void vi.restoreAllMocks());

const BY_AGE = '(doc, emit) => { emit(doc.age, doc.name); }';
const PEOPLE = [
  { _id: 'ada', name: 'Ada', age: 36 },
  { _id: 'bob', name: 'Bob', age: 9 },
];

function draw(database: BridgedDatabase, path = '/db/query') {
  const pages = localPages('/db');
  function Page() {
    const { id } = useParams();
    return (
      <>
        <SavedQueryLinks database={database.name} pages={pages} />
        <QueryPage database={database} queryId={id} pages={pages} />
      </>
    );
  }
  return drawPages([{ path: '/db/query/:id?', Component: Page }], path);
}

/** Opens the page with a draft, as after a reload. */
async function drawWith(source: string, docs: readonly Record<string, unknown>[] = PEOPLE) {
  const database = await freshLocal(docs);
  writeQueryDraft(database.name, undefined, source);
  return { database, ...(await draw(database)) };
}

const button = (name: string) => screen.findByRole<HTMLButtonElement>('button', { name });
const press = async (name: string) => {
  const found = await button(name);
  await act(async () => found.click());
};
const editor = async (): Promise<EditorView> => {
  await waitFor(() => expect(document.querySelector('[data-editor]')?.shadowRoot).toBeTruthy());
  const content = document.querySelector('[data-editor]')?.shadowRoot?.querySelector('.cm-content');
  const view = EditorView.findFromDOM(content as HTMLElement);
  if (view === null) throw new Error('no editor');
  return view;
};
const source = async () => (await editor()).state.doc.toString();
const type = async (text: string) => {
  const view = await editor();
  await act(async () => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } }));
};
const remove = async () => {
  await press('Open');
  const item = await screen.findByRole('menuitem', { name: 'Remove this query' });
  await act(async () => item.click());
};
const nameField = () => screen.findByLabelText<HTMLInputElement>('Query name');
const rows = async () => {
  const grid = await screen.findByRole('grid', { name: 'Results' });
  return within(grid)
    .getAllByRole('row')
    .slice(1)
    .map((row) =>
      within(row)
        .getAllByRole('gridcell')
        .map((cell) => cell.textContent),
    );
};
const queriesOf = async (database: BridgedDatabase) =>
  (await savedQueriesOf(database.name).allDocs()).rows.map(({ value }) => value);

describe('a query', () => {
  test('runs only on request, and lists its rows by key', async () => {
    await drawWith(BY_AGE);
    expect(await source()).toBe(BY_AGE);
    expect(screen.queryByRole('region', { name: 'Results' })).toBe(null);
    await press('Query');
    expect(await rows()).toEqual([
      ['9', 'Bob', 'bob'],
      ['36', 'Ada', 'ada'],
    ]);
    expect(screen.getByText(/^2 rows in [\d,]+ ms$/)).toBeDefined();
  });

  test('reads and emits fields with any name', async () => {
    await drawWith('(doc, emit) => { for (const name of Object.keys(doc)) emit(name, doc[name]); }', [
      withEveryName('a', () => 7),
    ]);
    await press('Query');
    expect(await screen.findByText(new RegExp(`^${HOSTILE_NAMES.length + 1} rows in`))).toBeDefined();
    const found = await rows();
    for (const name of ['constructor', '__proto__', 'toString', 'hasOwnProperty'])
      expect(found).toContainEqual([name, '7', 'a']);
  });

  test('links each row to its document', async () => {
    await drawWith(BY_AGE);
    await press('Query');
    const link = await screen.findByRole('link', { name: 'ada' });
    expect(link.getAttribute('href')).toBe('/db/docs/ada');
  });

  test('lists every document with the default function', async () => {
    await draw(await freshLocal(PEOPLE));
    await press('Query');
    expect((await rows()).map(([key]) => key)).toEqual(['ada', 'bob']);
  });

  test('says that the function emitted nothing, and offers nothing to copy', async () => {
    await drawWith('() => undefined');
    await press('Query');
    expect(await screen.findByText('The map function emitted no rows.')).toBeDefined();
    expect(screen.queryByRole('button', { name: 'Copy as JSON' })).toBe(null);
  });

  test('says that the database is empty, and leads to its documents', async () => {
    await drawWith('(doc, emit) => emit(doc._id)', []);
    await press('Query');
    expect(await screen.findByText(/^This database has no documents\./)).toBeDefined();
    const link = screen.getByRole('link', { name: 'Go to All Documents' });
    expect(link.getAttribute('href')).toBe('/db');
    expect(screen.queryByText('The map function emitted no rows.')).toBeNull();
  });

  test('shows why the function failed', async () => {
    await drawWith('(doc, emit) => { emit(doc.address.street); }');
    await press('Query');
    expect((await screen.findByRole('alert')).textContent).toMatch(/^Error: (?!map function failed).*street/);
  });

  test('says that documents changed after the run, until the query runs again', async () => {
    const { database } = await drawWith(BY_AGE);
    await press('Query');
    await rows();
    await database.put({ _id: 'cyd', name: 'Cyd', age: 4 });
    expect(await screen.findByText(/the database has changed since/)).toBeDefined();
    expect(await rows()).toHaveLength(2);
    await press('Query');
    await waitFor(async () => expect(await rows()).toHaveLength(3));
    expect(screen.queryByText(/the database has changed since/)).toBe(null);
  });

  test('explains what it read, and that the index was up to date in the second run', async () => {
    await drawWith(BY_AGE);
    await press('Query');
    await rows();
    const fact = (name: string) => screen.getByText(name).nextElementSibling?.textContent;
    expect([fact('Documents read'), fact('Index'), fact('Rows')]).toEqual([
      '2',
      'built or updated by this query',
      '2',
    ]);
    await press('Query');
    await waitFor(() => expect(fact('Documents read')).toBe('0'));
    expect(fact('Index')).toBe('up to date');
  });

  test('copies its rows as JSON', async () => {
    const copied: string[] = [];
    vi.spyOn(navigator.clipboard, 'writeText').mockImplementation(async (text) => void copied.push(text));
    await drawWith(BY_AGE);
    await press('Query');
    await press('Copy as JSON');
    expect(await screen.findByText('Copied 2 rows as JSON.')).toBeDefined();
    expect(JSON.parse(copied[0] ?? '')[0]).toEqual({ key: 9, value: 'Bob', id: 'bob' });
  });

  test('reports a copy that the browser blocked', async () => {
    vi.spyOn(console, 'error').mockReturnValue(undefined);
    vi.spyOn(navigator.clipboard, 'writeText').mockRejectedValue(new Error('Write permission denied.'));
    await drawWith(BY_AGE);
    await press('Query');
    await press('Copy as JSON');
    expect((await screen.findByRole('alert')).textContent).toMatch(
      /Couldn’t copy the rows: Write permission/,
    );
  });
});

const fill = async (label: string, value: string) =>
  act(async () => void fireEvent.change(screen.getByLabelText(label), { target: { value } }));

describe('the options of a query', () => {
  test('selects, limits and reverses rows', async () => {
    await drawWith(BY_AGE);
    await press('Query');
    await rows();
    await fill('From', '10');
    await press('Query');
    await waitFor(async () => expect(await rows()).toEqual([['36', 'Ada', 'ada']]));
    await fill('From', '');
    await fill('Limit', '1');
    await act(async () => screen.getByRole('checkbox', { name: 'Descending' }).click());
    await press('Query');
    expect(await screen.findByText(/^1 row in/)).toBeDefined();
    expect(await rows()).toEqual([['36', 'Ada', 'ada']]);
  });

  test('reduces rows to groups without links, and says from how many rows', async () => {
    const { database } = await drawWith('(doc, emit) => { emit([doc.kind, doc._id], doc.n); }', [
      { _id: 'a', kind: 'x', n: 1 },
      { _id: 'b', kind: 'x', n: 2 },
      { _id: 'c', kind: 'y', n: 5 },
    ]);
    await fill('Reduce', 'sum');
    await fill('Group by', '1');
    await press('Query');
    expect(await screen.findByText(/^2 groups from 3 rows in [\d,]+ ms$/)).toBeDefined();
    expect(await rows()).toEqual([
      ['["x"]', '3'],
      ['["y"]', '5'],
    ]);
    expect(screen.queryByRole('link', { name: 'a' })).toBe(null);
    await press('Save');
    await waitFor(async () =>
      expect((await queriesOf(database))[0]).toMatchObject({ options: { reduce: 'sum', group: '1' } }),
    );
  });

  test('runs the query on Ctrl + Enter in any option, and on Enter in a text field', async () => {
    await drawWith(BY_AGE);
    await fill('Reduce', 'count');
    await act(async () => void fireEvent.keyDown(screen.getByLabelText('Reduce'), { key: 'Enter' }));
    expect(screen.queryByRole('region', { name: 'Results' })).toBe(null);
    const ctrlEnter = { key: 'Enter', ctrlKey: true };
    await act(async () => void fireEvent.keyDown(screen.getByLabelText('Reduce'), ctrlEnter));
    expect(await screen.findByRole('region', { name: 'Results' })).toBeDefined();
  });

  test('rejects a wrong option, and says why', async () => {
    await drawWith(BY_AGE);
    await fill('Limit', 'all');
    await press('Query');
    expect(screen.getByText('Enter a whole number.')).toBeDefined();
    expect(screen.queryByRole('region', { name: 'Results' })).toBe(null);
  });

  test('shows rows as JSON, also after another run', async () => {
    await drawWith(BY_AGE);
    await press('Query');
    await press('JSON');
    const region = await screen.findByRole('region', { name: 'Results as JSON' });
    await waitFor(() => expect(region.textContent).toContain('"id": "bob"'));
    expect((await button('JSON')).getAttribute('aria-pressed')).toBe('true');
    await press('Query');
    expect(await screen.findByRole('region', { name: 'Results as JSON' })).toBeDefined();
  });

  test('says that there is nothing to draw', async () => {
    await drawWith('(doc, emit) => { emit(doc.name, "no number"); }');
    await press('Query');
    await press('Chart');
    expect(await screen.findByText(/^No row has a number to draw/)).toBeDefined();
  });
});

describe('a map function that fails', () => {
  test.each([
    ['(doc, emit) => {\n  emit(doc.;\n}', 2, 12],
    ['(doc, emit) => emit(scpe)', 1, 21],
  ])('shows the line and column of the mistake in %j', async (source, line, column) => {
    await drawWith(source);
    await press('Query');
    const alert = await screen.findByRole('alert');
    await waitFor(() => expect(alert.textContent).toContain(`Line ${line}, column ${column}`));
  });

  test('shows only the message if the place is unknown', async () => {
    await drawWith('(doc, emit) => { throw new Error("no way"); }');
    await press('Query');
    expect((await screen.findByRole('alert')).textContent).toBe('Error: no way');
  });
});

test('leads from the address of a query to a saved view', async () => {
  const database = await freshLocal(PEOPLE);
  const id = await saveQuery(database.name, { name: 'Adults', view: 'filter=age+%3E+17' });
  await draw(database, `/db/query/${id}`);
  const link = await screen.findByRole('link', { name: 'Open the view' });
  expect(link.getAttribute('href')).toBe(`/db?view=${id}&filter=age+%3E+17`);
});

describe('a query that is typed', () => {
  test('has no first rows if the function emits none', async () => {
    await draw(await freshLocal(PEOPLE));
    await type('(doc) => undefined');
    expect(await screen.findByText(/^0 rows in [\d,]+ ms$/)).toBeDefined();
    expect(await screen.findByText('The map function emitted no rows.')).toBeDefined();
  });

  test('shows its first rows in document order when typing stops', async () => {
    await draw(await freshLocal(PEOPLE));
    await type(BY_AGE);
    await waitFor(async () => expect((await rows()).map(([key]) => key)).toEqual(['36', '9']));
    expect(screen.getByText(/^First 2 rows in [\d,]+ ms in document order/)).toBeDefined();
  });

  test('shows the first rows of the default function at once', async () => {
    await draw(await freshLocal(PEOPLE));
    expect(await screen.findByText(/^First 2 rows in [\d,]+ ms in document order/)).toBeDefined();
  });

  test('does not run by itself when the user turned that off', async () => {
    await draw(await freshLocal(PEOPLE));
    const box = await screen.findByRole<HTMLInputElement>('checkbox', { name: /while I type/ });
    expect(box.checked).toBe(true);
    await act(async () => box.click());
    await type(BY_AGE);
    await press('Query');
    await rows();
    expect(screen.queryByText(/^First 2 rows/)).toBe(null);
  });

  test('is kept as a draft for a reload, until the text is the default again', async () => {
    const database = await freshLocal(PEOPLE);
    await draw(database);
    const before = await source();
    await type(BY_AGE);
    expect(readQueryDraft(database.name, undefined)).toBe(BY_AGE);
    await type(before);
    expect(readQueryDraft(database.name, undefined)).toBe(undefined);
  });
});

describe('saving a query', () => {
  test('stores the text under the suggested name, and opens the saved query', async () => {
    const { database, path } = await drawWith(BY_AGE);
    expect((await nameField()).value).toBe('Query 1');
    await press('Save');
    expect(await screen.findByText('Saved "Query 1".')).toBeDefined();
    const [query] = await queriesOf(database);
    expect(query).toMatchObject({ name: 'Query 1', source: BY_AGE });
    await waitFor(() => expect(path()).toBe(`/db/query/${query?._id}`));
    expect(await source()).toBe(BY_AGE);
    expect(readQueryDraft(database.name, undefined)).toBe(undefined);
    expect((await screen.findByRole('link', { name: 'Query 1' })).getAttribute('aria-current')).toBe('page');
  });

  test('keeps the result while the address changes to the address of the saved query', async () => {
    const { path } = await drawWith(BY_AGE);
    await press('Query');
    await rows();
    await press('Save');
    await waitFor(() => expect(path()).toMatch(/\/db\/query\/.+/));
    expect(await rows()).toHaveLength(2);
  });

  test('uses the suggested name when the field is empty', async () => {
    const { database } = await drawWith(BY_AGE);
    const field = await nameField();
    await act(async () => void fireEvent.change(field, { target: { value: '  ' } }));
    await press('Save');
    await waitFor(async () => expect((await queriesOf(database))[0]?.['name']).toBe('Query 1'));
  });

  test('reports a failure, and keeps the text', async () => {
    vi.spyOn(console, 'error').mockReturnValue(undefined);
    const { database, path } = await drawWith(BY_AGE);
    const queries = openLocal(savedQueriesName(database.name));
    vi.spyOn(queries, 'put').mockRejectedValue(new FixpointError('STORE_FULL'));
    await press('Save');
    expect((await screen.findByRole('alert')).textContent).toMatch(
      /Couldn’t save the query: .*storage is full/,
    );
    expect([await source(), path()]).toEqual([BY_AGE, '/db/query']);
  });
});

describe('a saved query', () => {
  async function saved(search = '') {
    const database = await freshLocal(PEOPLE);
    const id = await saveQuery(database.name, { name: 'By age', source: BY_AGE });
    return { database, id, ...(await draw(database, `/db/query/${id}${search}`)) };
  }

  test('opens with its text and its name, and can’t be saved unchanged', async () => {
    await saved();
    expect([await source(), (await nameField()).value]).toEqual([BY_AGE, 'By age']);
    expect((await button('Save')).disabled).toBe(true);
    expect(screen.queryByRole('button', { name: 'Revert' })).toBe(null);
  });

  test('reverts to the saved text', async () => {
    const { database, id } = await saved();
    await type('(doc) => undefined');
    await press('Revert');
    expect(await source()).toBe(BY_AGE);
    expect(readQueryDraft(database.name, id)).toBe(undefined);
    expect(screen.queryByRole('button', { name: 'Revert' })).toBe(null);
  });

  test('is renamed in place', async () => {
    const { database, id, path } = await saved();
    const field = await nameField();
    await act(async () => void fireEvent.change(field, { target: { value: ' Ages ' } }));
    await press('Save');
    await screen.findByText('Saved "Ages".');
    expect(await queriesOf(database)).toEqual([{ _id: id, name: 'Ages', source: BY_AGE }]);
    expect(path()).toBe(`/db/query/${id}`);
    await waitFor(async () => expect((await nameField()).value).toBe('Ages'));
  });

  test('is removed, and restored by Undo in the message', async () => {
    const { database, id, path } = await saved();
    await remove();
    await screen.findByText('Removed "By age".');
    await waitFor(() => expect(path()).toBe('/db/query'));
    expect(await queriesOf(database)).toEqual([]);
    await press('Undo');
    await waitFor(async () => expect((await queriesOf(database))[0]?._id).toBe(id));
  });

  test('stays open when it couldn’t be removed', async () => {
    vi.spyOn(console, 'error').mockReturnValue(undefined);
    const { database, id, path } = await saved();
    vi.spyOn(savedQueriesOf(database.name), 'del').mockRejectedValue(new FixpointError('STORE_FAILED'));
    await remove();
    expect((await screen.findByRole('alert')).textContent).toMatch(/Couldn’t remove the query/);
    expect(path()).toBe(`/db/query/${id}`);
    expect((await button('Open')).disabled).toBe(false);
  });

  test('is not found after it was deleted, and the page links to a new query', async () => {
    const database = await freshLocal(PEOPLE);
    await draw(database, '/db/query/gone');
    expect(await screen.findByText(/This query isn’t saved in this browser/)).toBeDefined();
    expect(screen.getByRole('link', { name: 'New query' }).getAttribute('href')).toBe('/db/query');
  });
});

describe('a query of a past version', () => {
  test('finds the rows of that version, and keeps the version in every link', async () => {
    const database = await freshLocal(PEOPLE);
    const then = await database.head();
    await database.del('bob');
    writeQueryDraft(database.name, undefined, BY_AGE);
    const { path } = await draw(database, `/db/query?at=${then[0]}`);
    await press('Query');
    expect((await rows()).map(([, name]) => name)).toEqual(['Bob', 'Ada']);
    expect(screen.getByRole('link', { name: 'ada' }).getAttribute('href')).toBe(`/db/docs/ada?at=${then[0]}`);
    expect(screen.getByText('built for this query only')).toBeDefined();
    expect(screen.queryByRole('checkbox', { name: /while I type/ })).toBe(null);
    await press('Save');
    await waitFor(() => expect(path()).toMatch(new RegExp(`^/db/query/.+\\?at=${then[0]}$`)));
  });

  test('explains an address that leads to no version', async () => {
    await draw(await freshLocal(PEOPLE), '/db/query?at=cut');
    expect(await screen.findByText('This link doesn’t lead to a version')).toBeDefined();
    expect(screen.queryByRole('button', { name: 'Query' })).toBe(null);
  });
});
