import { act, screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { drawPages, withPages } from '../../../ui/pages.fixture.tsx';
import { editorCalled } from '../../editor/drawn-editor.fixture.ts';
import { withDeletion } from '../../history/conflicts/real-conflict.fixture.ts';
import { DocumentEditor } from './document-editor.tsx';

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
