import { act, screen, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { freshDatabase } from '../../../local/fresh-database.fixture.ts';
import { drawPages, withPages } from '../../../ui/pages.fixture.tsx';
import { DocumentRail } from './document-rail.tsx';
import { draftOf, withText } from './draft.ts';

withPages();

const MILK = { _id: 'milk', litres: 1, from: 'farm' };

async function draw(text?: string, docs: readonly object[] = [MILK, { _id: 'farm', name: 'Farm' }]) {
  const database = await freshDatabase(docs as never);
  const stored = draftOf('milk', MILK);
  const draft = text === undefined ? stored : withText(stored, text);
  const props = { database, draft, people: undefined, id: 'milk', basePath: '/docs', allPath: '/all' };
  await drawPages([{ path: '/', element: <DocumentRail {...props} /> }], '/');
  return { database };
}

const versions = async () => within(await screen.findByRole('region', { name: 'Latest versions' }));

describe('the parts beside a document', () => {
  test('shows its versions, its links and its files', async () => {
    await draw();
    expect(screen.getByRole('complementary', { name: 'About this document' })).toBeDefined();
    expect((await versions()).getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
      'This devicejust nowCreated',
    ]);
    const links = await screen.findByRole('region', { name: 'Links to documents' });
    expect(within(links).getByRole('link', { name: 'farm' }).getAttribute('href')).toBe('/docs/farm');
    expect(screen.getByRole('region', { name: 'Files' })).toBeDefined();
  });

  test('links to the documents that contain the id', async () => {
    await draw();
    const link = screen.getByRole('link', { name: 'Find documents that contain this id' });
    expect(link.getAttribute('href')).toBe('/all?find=milk');
  });

  test('names the fields that aren’t saved yet', async () => {
    await draw('{"litres": 2, "from": "farm", "toString": 1}');
    const [first] = (await versions()).getAllByRole('listitem');
    expect(first?.textContent).toBe('You not saved yetlitres, toString');
    expect(screen.getByRole('button', { name: 'Add files' })).toHaveProperty('disabled', true);
  });

  test('names no fields while the text is invalid', async () => {
    await draw('{"litres": ');
    const all = (await versions()).getAllByRole('listitem').map(({ textContent }) => textContent);
    expect(all).toEqual(['This devicejust nowCreated']);
  });

  test('shows a new version as soon as it is stored', async () => {
    const { database } = await draw();
    await versions();
    await act(async () => void (await database.put({ ...MILK, litres: 5 })));
    expect(await screen.findByText('litres: 1 → 5')).toBeDefined();
  });
});
