import { act, fireEvent, screen, within } from '@testing-library/react';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { freshLocal, withEngine } from '../../engine/engine-here.fixture.ts';
import { drawPages, withPages } from '../../ui/pages.fixture.tsx';
import { withEveryName } from '../../values/hostile-names.fixture.ts';
import { SchemaView } from './schema-view.tsx';

withPages();
withEngine();
afterEach(() => void vi.restoreAllMocks());

const DOCS = [
  ...Array.from({ length: 19 }, (_, n) => ({ _id: `d${n}`, speakers: n, place: { city: 'Rome' } })),
  { _id: 'odd', speakers: 'many' },
];

async function schema(
  docs: readonly Record<string, unknown>[] = DOCS,
  ready = /^(All \d+ documents|1 document) read in \d+ ms/,
) {
  const database = await freshLocal(docs);
  const Page = () => <SchemaView database={database} basePath="/db/docs" />;
  const pages = await drawPages([{ path: '/db', Component: Page }], '/db?show=schema');
  await screen.findByText(ready);
  return { database, ...pages };
}

const rows = () =>
  screen
    .getAllByRole('row')
    .slice(1)
    .map((row) => within(row).getByRole('rowheader').textContent);
const link = (name: string | RegExp) => screen.getByRole('link', { name });
const press = (name: string | RegExp) => act(async () => screen.getByRole('button', { name }).click());

describe('the schema of a database', () => {
  test('lists fields with nested ones, their types and counts', async () => {
    await schema();
    expect(rows()).toEqual(['document id', 'speakers', 'place', 'city']);
    expect(link('19 documents with place.city').getAttribute('href')).toBe('/db?filter=place.city+exists');
  });

  test('says that one document was read', async () => {
    await schema([{ _id: 'a', litres: 1 }], /^1 document read in \d+ ms/);
    expect(link('1 document with litres')).toBeDefined();
  });

  test('leads from an outlier to its documents', async () => {
    const { path } = await schema();
    await press('speakers');
    const panel = screen.getByRole('complementary', { name: 'Field speakers' });
    const name = 'Show in table: 1 document with text where others have number';
    await act(async () => within(panel).getByRole('link', { name }).click());
    expect(path()).toBe('/db?filter=speakers+is+text');
  });

  test('shows values with counts', async () => {
    await schema();
    await press('place.city');
    const panel = screen.getByRole('complementary', { name: 'Field place.city' });
    const value = within(panel).getByRole('link', { name: /^Rome\s*19$/ });
    expect(value.getAttribute('href')).toBe('/db?filter=place.city+%3D+%22Rome%22');
  });

  test('moves by arrow keys, and to the next outlier by N', async () => {
    await schema();
    const key = (pressed: string) =>
      act(async () => void fireEvent.keyDown(document.activeElement as Element, { key: pressed }));
    const focused = () => document.activeElement?.getAttribute('aria-label');
    screen.getByRole('button', { name: 'document id' }).focus();
    await key('ArrowDown');
    expect(focused()).toBe('speakers');
    await key('n');
    expect(focused()).toBe('place');
    await key('Home');
    expect(focused()).toBe('document id');
  });

  test('finds fields by name, and shows only those with outliers', async () => {
    await schema();
    await press(/^Outliers/);
    expect(rows()).toEqual(['speakers', 'place']);
    await press(/^Outliers/);
    const field = screen.getByRole('searchbox', { name: 'Find a field' });
    await act(async () => void fireEvent.change(field, { target: { value: 'CITY' } }));
    expect(rows()).toEqual(['city']);
  });

  test('says that documents changed, and reads them again', async () => {
    const { database } = await schema();
    await act(async () => void (await database.put({ _id: 'more', fresh: 1 })));
    await screen.findByText(/Documents have changed since/);
    await press('Read again');
    await expect.poll(rows).toContain('fresh');
  });

  test('creates an index', async () => {
    const { database } = await schema();
    await press('speakers');
    await screen.findByText(/^No index on this field/);
    await press('Create index');
    await screen.findByText('An index answers filters on this field.');
    expect((await database.explain({ where: { speakers: 'many' } })).indexes).toEqual([['speakers']]);
  });

  test('saves the schema as a file', async () => {
    const { database } = await schema();
    const saved: { name: string; text: Promise<string> }[] = [];
    vi.spyOn(URL, 'createObjectURL').mockImplementation((file) => {
      saved.push({ name: '', text: (file as Blob).text() });
      return 'blob:schema';
    });
    vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
      saved.push({ name: this.download, text: Promise.resolve('') });
    });
    await press('Export');
    expect(saved[1]?.name).toBe(`${database.name}-schema.json`);
    const written = JSON.parse((await saved[0]?.text) ?? '') as { fields: { field: string }[] };
    expect(written.fields.map(({ field }) => field)).toEqual(['_id', 'speakers', 'place', 'place.city']);
  });

  test('converts texts to numbers, and reads the documents again', async () => {
    const docs = [...DOCS, { _id: 'text', name: 'Gondi', speakers: '6,600,000' }];
    const { database } = await schema(docs);
    await press('speakers');
    await press('Convert to numbers');
    expect(await screen.findByText('1 text isn’t a number and stays.')).toBeDefined();
    expect(await database.get('text')).toMatchObject({ speakers: 6_600_000 });
    await screen.findByRole('link', { name: /^Show in table: 1 document with text/ });
    expect(screen.queryByRole('button', { name: 'Convert to numbers' })).toBeNull();
  });

  test('shows fields with any name', async () => {
    await schema([withEveryName('a', (_name, at) => at)]);
    await press('__proto__');
    const panel = screen.getByRole('complementary', { name: 'Field __proto__' });
    const links = within(panel).getAllByRole('link');
    expect(links.map((one) => one.getAttribute('href'))).toContain('/db?filter=__proto__+%3D+1');
  });

  test('says that there are no documents, and offers only to create the first one', async () => {
    await schema([], /^No documents yet, so there are no fields/);
    expect(screen.getByRole('link', { name: 'New Document' }).getAttribute('href')).toBe('/db/docs/new');
    expect(screen.queryByRole('button', { name: /^Outliers/ })).toBe(null);
    expect(screen.queryByRole('searchbox')).toBe(null);
  });
});
