import { act, screen, waitFor } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { drawPages, waiting, withPages } from '../../../ui/pages.fixture.tsx';
import { editorCalled } from '../../editor/drawn-editor.fixture.ts';
import { withDeletion } from '../../history/conflicts/real-conflict.fixture.ts';
import { DocumentEditor } from './document-editor.tsx';
import { MissingDocument } from './missing-document.tsx';

withPages();

/** Renders the page of a document whose deletion won over a change. */
async function page() {
  const { database } = await withDeletion();
  const element = <DocumentEditor basePath="/docs" database={database} documentId="milk" />;
  await drawPages([{ path: '/', element }], '/');
  await screen.findByRole('region', { name: 'Conflict' });
  return database;
}

const press = (name: string) => act(async () => screen.getByRole('button', { name }).click());

test('shows the conflict of a document whose deletion won, and brings the document back', async () => {
  const database = await page();
  expect(screen.queryByText(/^No document has the id/)).toBeNull();
  expect(screen.getByRole('link', { name: 'All documents' })).toBeDefined();
  await press('Bring back this version');
  await waitFor(() => expect(document.querySelector('[data-editor]')?.shadowRoot).toBeTruthy());
  expect(editorCalled('Document as JSON').text()).toBe('{\n  "litres": 3\n}');
  expect(await database.conflicts('milk')).toBeUndefined();
});

test('says that a document is missing once the user keeps its deletion', async () => {
  const database = await page();
  await press('Keep the deletion');
  await screen.findByText(/^No document has the id/);
  expect(await database.conflicts('milk')).toBeUndefined();
});

test('says neither that a document is missing nor that it has a conflict until it knows', async () => {
  const { database, seen } = await withDeletion();
  const answer = waiting<typeof seen>();
  vi.spyOn(database, 'conflicts').mockReturnValue(answer.promise as never);
  const element = <MissingDocument backPath="/docs" database={database} id="milk" people={undefined} />;
  await drawPages([{ path: '/', element }], '/');
  const conflict = () => screen.queryByRole('region', { name: 'Conflict' });
  expect([screen.queryByText(/^No document has/), conflict()]).toEqual([null, null]);
  await answer.come(seen);
  expect(conflict()).not.toBeNull();
});
