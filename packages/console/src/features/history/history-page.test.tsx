import { FixpointError } from '@fixpoint/protocol';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import type { CommitEvent } from 'fixpoint';
import type { BridgedDatabase } from 'fixpoint/bridge';
import { describe, expect, test, vi } from 'vitest';
import { signedIn, tenantCalled } from '../../cloud/app.fixture.ts';
import { freshLocal, withEngine } from '../../engine/engine-here.fixture.ts';
import { localPages } from '../../local/database-pages.ts';
import { drawPages, withPages } from '../../ui/pages.fixture.tsx';
import { withSizes } from '../../ui/sizes.fixture.ts';
import type { People } from '../../values/who-wrote.ts';
import { withConflict } from './conflicts/real-conflict.fixture.ts';
import { HistoryPage } from './history-page.tsx';
import { usePeople } from './use-people.ts';

withPages();
withEngine();
withSizes();

const draw = (database: BridgedDatabase, search = '', toSend?: number, people?: People) =>
  drawPages(
    [
      {
        path: '/history',
        element: <HistoryPage {...{ database, toSend, people }} name="pantry" pages={localPages('/db')} />,
      },
    ],
    `/history${search}`,
  );
/** Shows the latest change of each document. */
const drawTable = (database: BridgedDatabase, search = '', toSend?: number, people?: People) =>
  draw(database, `?view=documents${search.replace('?', '&')}`, toSend, people);
const tab = (name: string) => screen.findByRole('tab', { name });
const grid = () => screen.findByRole('grid', { name: 'Changes by document' });
const rows = async () =>
  within(await grid())
    .getAllByRole('row')
    .slice(1)
    .map((row) =>
      within(row)
        .getAllByRole('gridcell')
        .slice(0, 3)
        .map((cell) => cell.textContent),
    );

describe('the history of a database', () => {
  test('sorts documents by their latest change, newest first', async () => {
    const database = await freshLocal([{ _id: 'milk', litres: 1 }]);
    await database.put({ _id: 'rice' });
    await database.put({ _id: 'milk', litres: 2 });
    await database.del('rice');
    await drawTable(database);
    await waitFor(async () => expect((await rows())[1]?.[1]).toBe('litres: 1 → 2'));
    expect(await rows()).toEqual([
      ['rice', 'Deleted', 'This device'],
      ['milk', 'litres: 1 → 2', 'This device'],
    ]);
    expect(screen.getByText('2 documents, newest first')).toBeDefined();
  });

  test('compares a change with the version before it, not with one of another device, and says so', async () => {
    const { database, seen } = await withConflict();
    const { litres } = seen.winner.value as { litres?: number };
    await drawTable(database);
    const told = `litres: 1 → ${litres} · Written at the same time`;
    await waitFor(async () => expect((await rows())[0]?.[1]).toBe(told));
    await database.put({ _id: 'milk', litres: 4 });
    await waitFor(async () => expect((await rows())[0]?.[1]).toBe(`litres: ${litres} → 4`));
  });

  test('shows the document as the title of a row on a small screen', async () => {
    const media = { addEventListener: () => undefined, removeEventListener: () => undefined };
    vi.stubGlobal('matchMedia', (query: string) => ({ ...media, matches: query.includes('<') }));
    await drawTable(await freshLocal([{ _id: 'm-1', name: 'Oat milk' }]));
    const [row] = within(await grid()).getAllByRole('row');
    expect(within(row as HTMLElement).getByRole('link').textContent).toBe('Oat milk');
    vi.unstubAllGlobals();
  });

  test('marks a change that can’t be read, and reads the others', async () => {
    const database = await freshLocal([{ _id: 'milk', litres: 1 }, { _id: 'rice' }]);
    const { history } = database;
    vi.spyOn(database, 'history').mockImplementation((id, options) =>
      id === 'rice' ? Promise.reject(new FixpointError('CORRUPT')) : history(id, options),
    );
    await drawTable(database, '?changed=litres');
    await waitFor(async () => expect(await rows()).toEqual([['milk', 'Created', 'This device']]));
    fireEvent.click(screen.getByRole('button', { name: 'Clear filters' }));
    await waitFor(async () =>
      expect((await rows()).find(([id]) => id === 'rice')?.[1]).toBe('Couldn’t read this change'),
    );
  });

  test('adds a change written while the list is shown', async () => {
    const database = await freshLocal([{ _id: 'milk' }]);
    await drawTable(database);
    await grid();
    await database.put({ _id: 'tea' });
    await waitFor(async () => expect((await rows())[0]?.[0]).toBe('tea'));
  });

  test('leads from a change to its commit, which shows all documents that it changed', async () => {
    const database = await freshLocal();
    await database.bulk([{ _id: 'a/b?c' }, { _id: 'tea' }]);
    await database.put({ _id: 'milk' });
    await drawTable(database, '?document=a/b');
    const link = within(await grid()).getByRole('link', { name: 'a/b?c' });
    await act(async () => fireEvent.click(link));
    const panel = await screen.findByRole('complementary', { name: 'Change' });
    expect(
      await within(panel).findByRole('heading', { name: 'This device changed 2 documents' }),
    ).toBeDefined();
    const document = await within(panel).findByRole('link', { name: 'a/b?c' });
    expect(document.getAttribute('href')).toBe('/db/docs/a%2Fb%3Fc');
  });

  test('marks changes that are only on this device', async () => {
    await drawTable(await freshLocal([{ _id: 'milk' }]), '', 1);
    expect(await screen.findByRole('img', { name: 'Not sent yet: only on this device' })).toBeDefined();
  });

  test('marks nothing in a database without a ledger', async () => {
    await drawTable(await freshLocal([{ _id: 'milk' }]));
    await grid();
    expect(screen.queryByRole('img')).toBe(null);
  });

  test('says that there are no changes yet, and leads to the first document', async () => {
    await drawTable(await freshLocal());
    expect(await screen.findByText('This database has no changes yet.')).toBeDefined();
    const link = screen.getByRole('link', { name: 'New Document' });
    expect(link.getAttribute('href')).toMatch(/\/docs\/new$/);
  });

  test('shows why the changes can’t be read', async () => {
    const database = await freshLocal();
    vi.spyOn(database, 'changes').mockRejectedValue(new FixpointError('CORRUPT'));
    await drawTable(database);
    expect((await screen.findByRole('alert')).textContent).toMatch(/Stored data is damaged/);
  });

  test('keeps the list when a later read fails, and shows the error', async () => {
    const database = await freshLocal([{ _id: 'milk' }]);
    await drawTable(database);
    await grid();
    vi.spyOn(database, 'changes').mockRejectedValue(new FixpointError('STORE_FAILED'));
    await database.put({ _id: 'tea' });
    expect((await screen.findByRole('alert')).textContent).toMatch(/couldn’t store the data/);
    expect((await rows())[0]?.[0]).toBe('milk');
  });
});

describe('the filters of the changes', () => {
  const ids = async () => (await rows()).map(([id]) => id);
  const type = async (label: string, value: string) => {
    const field = await screen.findByLabelText(label);
    await act(async () => void fireEvent.change(field, { target: { value } }));
  };

  test('names the author and the time of each change, and filters by author', async () => {
    const database = await freshLocal([{ _id: 'milk' }]);
    await database.put({ _id: 'tea' });
    const [newest, ...older] = await database.events();
    vi.spyOn(database, 'events').mockResolvedValue([
      { ...(newest as CommitEvent), received: { atMs: Date.now() - 120_000, account: 'u1' }, time: 0 },
      ...older.map((one) => ({ ...one, device: 'another' })),
    ]);
    const people = new Map([['u1', { name: 'Ada', email: 'ada@example.com' }]]);
    const { path } = await drawTable(database, '', undefined, people);
    await waitFor(async () => expect((await rows())[0]?.[2]).toBe('Ada on this device'));
    await type('Author', 'u1');
    expect(await ids()).toEqual(['tea']);
    expect(path()).toBe('/history?view=documents&who=u1');
    await act(async () => screen.getByRole('button', { name: 'Clear filters' }).click());
    expect(await ids()).toEqual(['tea', 'milk']);
  });

  test('names authors for a member who isn’t an admin, and only by their accounts if nobody may say', async () => {
    const database = await freshLocal([{ _id: 'milk' }]);
    await database.put({ _id: 'tea' });
    const accounts = ['u-gone-1', 'u-ada-1'];
    vi.spyOn(database, 'events').mockResolvedValue(
      (await database.events()).map((one, at) => ({
        ...one,
        device: `device ${at}`,
        received: { atMs: 1, account: accounts[at] ?? '' },
      })),
    );
    const OfMember = () => (
      <HistoryPage {...{ database, people: usePeople('t1') }} name="pantry" pages={localPages('/db')} />
    );
    const writers = [{ userId: 'u-ada-1', name: 'Ada' }];
    await drawPages(
      [{ path: '/history', Component: OfMember }],
      '/history?view=documents',
      signedIn({ tenants: [{ ...tenantCalled('t1', 'Acme'), role: 'member', writers }] }),
    );
    const authors = async () => (await rows()).map(([, , author]) => author);
    await waitFor(async () => expect(await authors()).toEqual(['Account u-gone on device device', 'Ada']));
    const options = within(screen.getByLabelText('Author')).getAllByRole('option');
    expect(options.map(({ textContent }) => textContent)).toContain('Ada');
  });

  test('shows the days that any screen hides, and the field that a small screen hides', async () => {
    await drawTable(await freshLocal([{ _id: 'milk' }]));
    const hidden = () =>
      ['Field', 'From', 'To'].filter((label) =>
        screen.getByLabelText(label).closest('.hidden, .max-sm\\:hidden'),
      );
    await screen.findByLabelText('Field');
    expect(hidden()).toEqual(['Field', 'From', 'To']);
    const more = screen.getByRole('button', { name: 'More filters' });
    expect(more.getAttribute('aria-expanded')).toBe('false');
    await act(async () => more.click());
    expect(hidden()).toEqual([]);
    await act(async () => screen.getByRole('button', { name: 'Fewer filters' }).click());
    await type('Field', 'count');
    await waitFor(() => expect(hidden()).toEqual(['From', 'To']));
  });

  test('filters by a part of the document id', async () => {
    await drawTable(await freshLocal([{ _id: 'milk' }, { _id: 'tea' }]));
    await type('Document id', 'il');
    await waitFor(async () => expect(await ids()).toEqual(['milk']));
    await type('Document id', 'nothing');
    expect(await screen.findByText('No change matches the filter.')).toBeDefined();
  });

  test('filters by the fields that the latest change added, changed or removed', async () => {
    const database = await freshLocal([{ _id: 'milk', litres: 1, constructor: 1 }, { _id: 'tea' }]);
    await database.put({ _id: 'milk', litres: 1 });
    await drawTable(database, '?changed=constructor');
    await waitFor(async () => expect(await ids()).toEqual(['milk']));
    await type('Field', 'litres');
    expect(await screen.findByText('No change matches the filter.')).toBeDefined();
  });

  test('keeps the filter when the user looks at all changes', async () => {
    const { path } = await drawTable(await freshLocal([{ _id: 'milk' }]), '?document=milk&from=2020-01-01');
    const changes = await tab('Changes');
    await act(async () => changes.click());
    expect(path()).toBe('/history?document=milk&from=2020-01-01');
    expect(await screen.findByText('1 change, newest first')).toBeDefined();
  });
});

describe('the views of the history', () => {
  test.each([
    ['', 'Changes'],
    ['?view=documents', 'By document'],
    ['?view=check', 'Check'],
    ['?view=commits', 'Changes'],
  ])('opens an address with the query string "%s" in the view %s', async (search, name) => {
    await draw(await freshLocal([{ _id: 'milk' }]), search);
    expect((await tab(name)).getAttribute('aria-selected')).toBe('true');
    expect(screen.getAllByRole('tab', { selected: true })).toHaveLength(1);
    expect(screen.getByRole('tabpanel', { name })).toBeDefined();
  });

  test('keeps the view in the address, so that Back returns to the previous one', async () => {
    const { path, go } = await draw(await freshLocal([{ _id: 'milk' }]));
    const documents = await tab('By document');
    await act(async () => documents.click());
    expect(path()).toBe('/history?view=documents');
    expect(await grid()).toBeDefined();
    await go(-1);
    expect(await screen.findByRole('region', { name: 'Changes' })).toBeDefined();
    expect(path()).toBe('/history');
  });

  test('moves between views with the keyboard, and has only one tab stop', async () => {
    const { path } = await draw(await freshLocal([{ _id: 'milk' }]), '?view=check');
    const check = await tab('Check');
    await act(async () => check.focus());
    await act(async () => void fireEvent.keyDown(check, { key: 'Home' }));
    expect(path()).toBe('/history');
    expect(document.activeElement?.textContent).toBe('Changes');
    const stops = screen.getAllByRole('tab').map(({ tabIndex }) => tabIndex);
    expect(stops).toEqual([0, -1, -1, -1]);
  });
});
