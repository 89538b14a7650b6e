import { act, screen } from '@testing-library/react';
import { describe, expect, test, vi } from 'vitest';
import { withEngine } from '../../engine/engine-here.fixture.ts';
import { destroyLocal, openLocal } from '../../local/databases.ts';
import { savedQueriesOf } from '../../local/saved-queries.ts';
import { drawPages, pageCalled, withPages } from '../../ui/pages.fixture.tsx';
import { createSample, SAMPLE_LANGUAGES } from './sample-database.ts';
import { TryIt } from './try-it.tsx';

withPages();
withEngine();

const draw = () =>
  drawPages(
    [
      { path: '/', Component: TryIt },
      { path: '/fp/databases/languages', Component: pageCalled('The table') },
    ],
    '/',
  );
const press = () =>
  act(async () => screen.getByRole('button', { name: /^Try it now, without an account/ }).click());

describe('trying the product without an account', () => {
  test('opens a local database with as many languages as the text says, and a saved query', async () => {
    await draw();
    expect(screen.getByText(/^120 languages in a local database/)).toBeDefined();
    await press();
    await screen.findByRole('heading', { name: 'The table' });
    const { rows } = await openLocal('languages').allDocs();
    expect([rows.length, new Set(SAMPLE_LANGUAGES.map(({ _id }) => _id)).size]).toEqual([120, 120]);
    const saved = await savedQueriesOf('languages').allDocs<{ name: string }>();
    expect(saved.rows.map(({ value }) => value.name)).toEqual(['Languages by script']);
    await destroyLocal('languages');
  });

  test('keeps what the user changed in the database when it is opened again', async () => {
    await createSample();
    await openLocal('languages').del('ara');
    await createSample();
    const { rows } = await openLocal('languages').allDocs();
    expect(rows).toHaveLength(119);
    await destroyLocal('languages');
  });

  test('says why the database couldn’t be created', async () => {
    vi.spyOn(console, 'error').mockReturnValue(undefined);
    const database = openLocal('languages');
    vi.spyOn(database, 'bulk').mockRejectedValueOnce(new Error('the disk is full'));
    await draw();
    await press();
    expect((await screen.findByRole('alert')).textContent).toContain('the disk is full');
    await destroyLocal('languages');
  });
});
