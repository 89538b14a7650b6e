import { act, screen } from '@testing-library/react';
import { describe, expect, test, vi } from 'vitest';
import { withEngine } from '../../engine/engine-here.fixture.ts';
import { destroyLocal, openLocal } from '../../local/databases.ts';
import { savedQueriesOf } from '../../local/saved-queries.ts';
import { drawPages, pageCalled, waiting, withPages } from '../../ui/pages.fixture.tsx';
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

  test('fills the database again after the user deleted all languages', async () => {
    await createSample();
    const { rows } = await openLocal('languages').allDocs();
    await openLocal('languages').bulk([], { del: rows.map(({ key }) => key as string) });
    await createSample();
    expect((await openLocal('languages').allDocs()).rows).toHaveLength(120);
    expect((await savedQueriesOf('languages').allDocs()).rows).toHaveLength(1);
    await destroyLocal('languages');
  });

  test('saves the query once, however often the database is opened', async () => {
    await createSample();
    await createSample();
    expect((await savedQueriesOf('languages').allDocs()).rows).toHaveLength(1);
    await destroyLocal('languages');
  });

  test('disables the button while the database is created', async () => {
    const pending = waiting<never>();
    vi.spyOn(console, 'error').mockReturnValue(undefined);
    vi.spyOn(openLocal('languages'), 'bulk').mockReturnValueOnce(pending.promise);
    await draw();
    await press();
    const button = screen.getByRole<HTMLButtonElement>('button', { name: /^Try it now/ });
    expect(button.disabled).toBe(true);
    await pending.come(Promise.reject(new Error('the disk is full')) as never);
    await screen.findByRole('alert');
    expect(button.disabled).toBe(false);
    await destroyLocal('languages');
  });

  test('leads to the databases that are already in this browser', async () => {
    await draw();
    const link = screen.getByRole('link', { name: 'work with local databases' });
    expect(link.getAttribute('href')).toBe('/fp/databases');
  });
});

describe('the sample languages', () => {
  test('contains the fields that the table shows, without empty ones', () => {
    for (const { _id, name, alpha_2, speakers, scripts } of SAMPLE_LANGUAGES) {
      expect(_id).toMatch(/^[a-z]{3}$/);
      expect(name.trim()).toBe(name);
      expect(name).not.toBe('');
      expect(alpha_2 ?? 'aa').toMatch(/^[a-z]{2}$/);
      expect(speakers ?? 1).toBeGreaterThan(0);
      expect(scripts.length).toBeGreaterThan(0);
      for (const script of scripts) expect(script).toMatch(/^[A-Z][a-z]{3}$/);
    }
  });

  test('marks macrolanguages and languages without native speakers', () => {
    const of = (id: string) => SAMPLE_LANGUAGES.find(({ _id }) => _id === id);
    expect(of('zho')).toMatchObject({
      scope: 'M',
      type: 'Living',
      speakers: 1_350_000_000,
      scripts: ['Hans', 'Hant'],
    });
    expect(of('eng')).toMatchObject({ name: 'English', alpha_2: 'en', scope: 'I' });
    expect([of('lat')?.type, of('non')?.type, of('epo')?.type]).toEqual([
      'Ancient',
      'Historical',
      'Constructed',
    ]);
    expect([of('haw')?.alpha_2, of('lat')?.speakers]).toEqual([undefined, undefined]);
  });
});
