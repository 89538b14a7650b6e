import { act, fireEvent, screen, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { freshLocal, withEngine } from '../../engine/engine-here.fixture.ts';
import { drawPages, withPages } from '../../ui/pages.fixture.tsx';
import { SchemaView } from './schema-view.tsx';

withPages();
withEngine();

async function schema(docs: readonly Record<string, unknown>[], address = '/db?show=schema') {
  const database = await freshLocal(docs);
  const Page = () => <SchemaView database={database} basePath="/db/docs" />;
  const pages = await drawPages([{ path: '/db', Component: Page }], address);
  return { database, ...pages };
}
const isRead = () => screen.findByText(/^(All [\d,]+ documents|1 document) read in/);
const press = (name: string | RegExp) => act(async () => screen.getByRole('button', { name }).click());
const headers = () => screen.queryAllByRole('rowheader').map(({ textContent }) => textContent);
const find = (value: string) =>
  act(async () => void fireEvent.change(screen.getByRole('searchbox'), { target: { value } }));
const key = (pressed: string, more: object = {}) =>
  act(async () => void fireEvent.keyDown(document.activeElement as Element, { key: pressed, ...more }));
const focused = () => document.activeElement?.getAttribute('aria-label');
const panel = (name: string) => screen.queryByRole('complementary', { name: `Field ${name}` });

describe('the states of the schema', () => {
  test('keeps the address’s other parameters in the links to both views', async () => {
    await schema([{ _id: 'a' }], '/db?filter=n+%3D+1&show=schema&view=v1');
    const links = within(screen.getByRole('navigation')).getAllByRole('link');
    expect(links.map((link) => [link.textContent?.trim(), link.getAttribute('href')])).toEqual([
      ['Table', '/db?filter=n+%3D+1&view=v1'],
      ['Schema', '/db?filter=n+%3D+1&view=v1&show=schema'],
    ]);
    expect(links.map((link) => link.getAttribute('aria-current'))).toEqual([null, 'page']);
  });

  test('distinguishes a name that no field has from fields without outliers', async () => {
    await schema([{ _id: 'a', n: 1 }]);
    await isRead();
    await find('zzz');
    expect(screen.getByText('No field matches.')).toBeDefined();
    await press(/^Outliers/);
    expect(screen.getByText('No outliers in the fields that match.')).toBeDefined();
    await find(' ');
    await press(/^Outliers/);
    expect(headers().toSorted()).toEqual(['document id', 'n']);
  });

  test('shows 300 fields at most, and finds the others by name', async () => {
    const wide = Object.fromEntries(Array.from({ length: 320 }, (_, n) => [`f${n}`, n]));
    await schema([{ _id: 'a', ...wide }]);
    await isRead();
    expect(headers()).toHaveLength(300);
    expect(screen.getByText(/^Shows the first 300 fields\./)).toBeDefined();
    await find('f319');
    expect(headers()).toEqual(['f319']);
    expect(screen.queryByText(/^Shows the first 300/)).toBeNull();
  });

  test('counts one field in the singular', async () => {
    await schema([{ _id: 'a' }]);
    await isRead();
    expect(screen.getByText('1 field')).toBeDefined();
    expect(screen.getByRole('button', { name: 'Outliers 0 fields' }).getAttribute('aria-pressed')).toBe(
      'false',
    );
  });
});

describe('the columns of the schema', () => {
  test('sorts by a heading, and then shows whole paths', async () => {
    await schema(
      Array.from({ length: 3 }, (_, n) => ({ _id: `d${n}`, place: { city: n }, ...(n > 0 && { x: 1 }) })),
    );
    await isRead();
    const sorted = () =>
      screen
        .getAllByRole('columnheader')
        .map((head) => head.getAttribute('aria-sort'))
        .filter(Boolean);
    expect([headers(), sorted()]).toEqual([['document id', 'place', 'city', 'x'], ['descending']]);
    await press('field');
    expect([headers(), sorted()]).toEqual([['document id', 'place', 'place.city', 'x'], ['ascending']]);
    await press('field');
    expect(headers()[0]).toBe('x');
  });

  test('names dates and lists, and marks fields with an index', async () => {
    const { database } = await schema([{ _id: 'a', at: '2026-11-20', tags: ['x'], n: 1 }]);
    await isRead();
    const row = (name: string) => screen.getByRole('rowheader', { name }).closest('tr')?.textContent;
    expect(row('at')).toContain('date');
    expect(row('tags')).toContain('list of text');
    await press('n');
    const create = await screen.findByRole('button', { name: 'Create index' });
    await act(async () => create.click());
    await expect.poll(() => row('n')).toContain('index');
    expect((await database.explain({ where: { n: 1 } })).indexes).toEqual([['n']]);
  });
});

describe('the keys of the schema', () => {
  const DOCS = Array.from({ length: 20 }, (_, n) => ({
    _id: `d${n}`,
    a: 1,
    ...(n > 0 && { b: 2 }),
    c: 3,
    ...(n > 0 && { e: 4 }),
  }));

  test('stops at both ends, and goes round from outlier to outlier', async () => {
    await schema(DOCS);
    await isRead();
    const names = screen.getAllByRole('rowheader').map(({ textContent }) => textContent);
    screen.getByRole('button', { name: names[0] as string }).focus();
    await key('ArrowUp');
    expect(focused()).toBe(names[0]);
    await key('End');
    await key('ArrowDown');
    expect(focused()).toBe(names.at(-1));
    await key('Home');
    const visited = [];
    for (let step = 0; step < 3; step += 1) {
      await key('n');
      visited.push(focused());
    }
    expect(visited[0]).not.toBe(visited[1]);
    expect(visited[2]).toBe(visited[0]);
    expect(visited.slice(0, 2).sort()).toEqual(['b', 'e']);
  });

  test.each([{ ctrlKey: true }, { metaKey: true }, { altKey: true }])(
    'leaves shortcuts of the browser alone: %j',
    async (held) => {
      await schema(DOCS);
      await isRead();
      screen.getByRole('button', { name: 'document id' }).focus();
      await key('n', held);
      await key('End', held);
      expect(focused()).toBe('document id');
    },
  );

  test('goes to the next outlier by N from anywhere but a text field, and filters by F', async () => {
    const { path } = await schema(DOCS);
    await isRead();
    const search = screen.getByRole('searchbox');
    search.focus();
    await key('n');
    expect(document.activeElement).toBe(search);
    search.blur();
    await act(async () => void fireEvent.keyDown(document.body, { key: 'n' }));
    expect(['b', 'e']).toContain(focused());
    expect(panel(focused() ?? '')).not.toBeNull();
    await press('Next outlier N');
    const name = focused();
    await key('f');
    expect(path()).toBe(`/db?filter=${name}+exists`);
  });

  test('leaves the focus where it is without outliers', async () => {
    await schema([{ _id: 'a', n: 1 }]);
    await isRead();
    screen.getByRole('button', { name: 'n' }).focus();
    await key('n');
    expect(focused()).toBe('n');
  });
});

describe('the panel of a field', () => {
  const MIXED = [
    ...Array.from({ length: 30 }, (_, n) => ({ _id: `d${n}`, n, kind: n % 2 === 0 ? '' : 'null' })),
    { _id: 'x', n: 100_000, kind: null },
  ];
  const links = () => within(screen.getByRole('complementary')).getAllByRole('link');
  const filterOf = (link: HTMLElement) =>
    new URLSearchParams(link.getAttribute('href')?.split('?')[1]).get('filter');

  test('opens one field at a time, and closes', async () => {
    await schema(MIXED);
    await isRead();
    await press('n');
    expect(screen.getByRole('button', { name: 'n' }).getAttribute('aria-expanded')).toBe('true');
    await press('kind');
    expect([panel('n'), panel('kind') !== null]).toEqual([null, true]);
    await press('Close');
    expect(panel('kind')).toBeNull();
    expect(screen.getByRole('button', { name: 'kind' }).getAttribute('aria-expanded')).toBe('false');
  });

  test('distinguishes an empty text, the text "null" and null', async () => {
    await schema(MIXED);
    await isRead();
    await press('kind');
    const filters = links().map((link) => [link.textContent, filterOf(link)]);
    expect(filters).toContainEqual(['(empty text)15', 'kind = ""']);
    expect(filters).toContainEqual(['null15', 'kind = "null"']);
    expect(filters).toContainEqual(['null1', 'kind is null']);
  });

  test('names the first documents of a rare type, and leads to them', async () => {
    const docs = [...MIXED, { _id: 'constructor', n: 'many', kind: null }];
    await schema(docs);
    await isRead();
    await press('n');
    const named = links().find((one) => one.getAttribute('href') === '/db/docs/constructor');
    expect(named?.closest('li')?.textContent).toBe('manymany');
  });

  test('offers no index on the document id', async () => {
    await schema(MIXED);
    await isRead();
    await press('document id');
    expect(panel('document id')).not.toBeNull();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(within(screen.getByRole('complementary')).queryByText(/index/i)).toBeNull();
  });
});
