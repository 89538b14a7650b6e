import { act, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { freshName, withEngine } from '../../engine/engine-here.fixture.ts';
import type { Connection } from '../../local/connections.ts';
import { localPages } from '../../local/database-pages.ts';
import { createLocal, openLocal } from '../../local/databases.ts';
import { setLocked } from '../../local/lock.ts';
import { drawPages, withPages } from '../../ui/pages.fixture.tsx';
import { FirstSteps } from './first-steps.tsx';
import type { LocalDatabase } from './local-database.ts';
import { LocalHeader } from './local-header.tsx';
import { LostLocal } from './lost-local.tsx';

withPages();
withEngine();
beforeEach(() => localStorage.clear());

const press = (name: string | RegExp) => act(async () => screen.getByRole('button', { name }).click());

const CONNECTION: Connection = {
  localName: 'pantry',
  remoteName: 'team pantry',
  sanitizedRemoteName: 'team_pantry',
  endpoint: '',
  firstConnect: true,
};

const localOf = (remote?: Connection): LocalDatabase => {
  const path = `/fp/databases/${remote?.sanitizedRemoteName ?? 'pantry'}`;
  return {
    database: { name: 'pantry' } as LocalDatabase['database'],
    localName: 'pantry',
    localPath: '/fp/databases/pantry',
    remote,
    connection: remote,
    path,
    pages: localPages(path),
    title: remote?.remoteName ?? 'pantry',
    people: new Map(),
  };
};

describe('the header of a local database', () => {
  const header = (local: LocalDatabase, page?: string) =>
    drawPages([{ path: '/', Component: () => <LocalHeader local={local} {...(page && { page })} /> }], '/');
  const crumbs = () =>
    within(screen.getByRole('navigation', { name: 'Breadcrumb' }))
      .getAllByRole('listitem')
      .map(({ textContent }) => textContent?.replace(/\W*$/, ''));

  test('shows the database’s name as the title of the database’s own page', async () => {
    await header(localOf());
    expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('pantry');
    await waitFor(() => expect(document.title).toBe('pantry · Fixpoint'));
    expect(crumbs()).toEqual(['Local databases', 'pantry']);
  });

  test('keeps the database’s name as the title of its other pages, links them, and links back', async () => {
    await header(localOf(), 'History');
    expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('pantry');
    const tabs = within(screen.getByRole('navigation', { name: 'Database pages' })).getAllByRole('link');
    expect(tabs.map((tab) => [tab.textContent, tab.getAttribute('href')])).toEqual([
      ['Documents', '/fp/databases/pantry'],
      ['Query', '/fp/databases/pantry/query'],
      ['History', '/fp/databases/pantry/history'],
      ['Sharing', '/fp/databases/pantry/sharing'],
      ['Settings', '/fp/databases/pantry/settings'],
    ]);
    await waitFor(() => expect(document.title).toBe('History · pantry · Fixpoint'));
    expect(screen.getByRole('link', { name: 'pantry' }).getAttribute('href')).toBe('/fp/databases/pantry');
  });

  test('shows the name of a document’s page as its title, without links to the other pages', async () => {
    const Page = () => <LocalHeader local={localOf()} page="Document" isOwnTitle />;
    await drawPages([{ path: '/', Component: Page }], '/');
    expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('Document');
    expect(screen.queryByRole('navigation', { name: 'Database pages' })).toBeNull();
    expect(crumbs()).toEqual(['Local databases', 'pantry', 'Document']);
  });

  test('lists the remote name after the local name', async () => {
    await header(localOf(CONNECTION), 'History');
    expect(crumbs()).toEqual(['Local databases', 'pantry', 'team pantry', 'History']);
    expect(screen.getByRole('link', { name: 'pantry' }).getAttribute('href')).toBe('/fp/databases/pantry');
    expect(screen.getByRole('link', { name: 'team pantry' }).getAttribute('href')).toBe(
      '/fp/databases/team_pantry',
    );
  });

  test('lists the name once if both names are the same', async () => {
    await header(localOf({ ...CONNECTION, remoteName: 'pantry' }), 'History');
    expect(crumbs()).toEqual(['Local databases', 'pantry', 'History']);
  });

  test('says on every page that the database is locked, and unlocks it', async () => {
    await header(localOf(), 'History');
    expect(screen.queryByRole('button', { name: /^Lock/ })).toBeNull();
    await act(async () => setLocked('pantry', true));
    expect(screen.getByRole('button', { name: 'Locked' }).getAttribute('aria-pressed')).toBe('true');
    await press('Locked');
    expect(screen.queryByRole('button', { name: /^Lock/ })).toBeNull();
  });
});

describe('a local database whose documents the browser removed', () => {
  async function lost(name: string, connection?: Connection) {
    const resets: string[] = [];
    const Page = () => <LostLocal name={name} connection={connection} onReset={() => resets.push(name)} />;
    await drawPages([{ path: '/', Component: Page }], '/');
    return resets;
  }

  test('says that documents without another copy are gone', async () => {
    await lost(freshName());
    expect(screen.getByRole('alert', { name: 'Documents removed' }).textContent).toContain(
      'You can restore documents only from another device or from an export.',
    );
  });

  test('says where sent documents can be fetched from', async () => {
    await lost(freshName(), CONNECTION);
    expect(screen.getByRole('alert').textContent).toContain('This database is connected to team pantry.');
  });

  test('creates an empty database in place of the lost one', async () => {
    const name = freshName();
    const resets = await lost(name);
    await press('Start with an empty database');
    await waitFor(() => expect(resets).toEqual([name]));
    await openLocal(name).put({ _id: 'milk' });
    expect((await openLocal(name).allDocs()).rows.map(({ key }) => key)).toEqual(['milk']);
  });

  test('says why no empty database could be created, and lets the user try again', async () => {
    const name = freshName();
    const database = await createLocal(name);
    const destroy = vi.spyOn(database, 'destroy').mockRejectedValue(new Error('another page uses it'));
    const resets = await lost(name);
    await press('Start with an empty database');
    expect(await screen.findByText('another page uses it')).toBeDefined();
    expect(resets).toEqual([]);
    destroy.mockRestore();
    await press('Start with an empty database');
    await waitFor(() => expect(resets).toEqual([name]));
    expect(screen.queryByText('another page uses it')).toBeNull();
  });
});

describe('the first steps with an empty database', () => {
  test.each([
    ['pantry', 'fixpoint("pantry")'],
    ['it\'s "mine" \\', 'fixpoint("it\'s \\"mine\\" \\\\")'],
  ])('shows code that opens %s', async (name, code) => {
    await drawPages([{ path: '/', Component: () => <FirstSteps name={name} /> }], '/');
    expect(document.querySelector('pre')?.textContent).toContain(code);
  });
});
