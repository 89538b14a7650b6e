import { describe, expect, test } from 'vitest';
import { crumbsBelow, databaseTabs, ledgerPages, localPages } from './database-pages.ts';
import { databaseNamed, databasePath } from './database-path.ts';

const tabs = (pages: ReturnType<typeof localPages>) =>
  databaseTabs(pages).map(({ text, to, isExact }) => [text, to, isExact === true]);

describe('the tabs of a database', () => {
  test('has the same tabs for a local database and one of a tenant', () => {
    const [local, ledger] = [databaseTabs(localPages('/a')), databaseTabs(ledgerPages('/b'))];
    const names = ['Documents', 'Query', 'History', 'Sharing', 'Settings'];
    expect(local.map(({ text }) => text)).toEqual(names);
    expect(ledger.map(({ text }) => text)).toEqual(names);
  });

  test('marks the documents of a local database only on their own page: other pages are below it', () => {
    expect(tabs(localPages('/fp/databases/a'))).toEqual([
      ['Documents', '/fp/databases/a', true],
      ['Query', '/fp/databases/a/query', false],
      ['History', '/fp/databases/a/history', false],
      ['Sharing', '/fp/databases/a/sharing', false],
      ['Settings', '/fp/databases/a/settings', false],
    ]);
    expect(tabs(ledgerPages('/l')).map(([, , isExact]) => isExact)).toEqual([
      false,
      false,
      false,
      false,
      false,
    ]);
  });
});

test('returns the path from a database to its page', () => {
  const pages = ledgerPages('/l');
  const database = { text: 'notes', to: '/l/documents', isName: true };
  expect(crumbsBelow('notes', pages, '/l/sharing')).toEqual([database, { text: 'Sharing' }]);
  expect(crumbsBelow('notes', pages, '/l/documents/milk')).toEqual([database, { text: 'Documents' }]);
  expect(crumbsBelow('notes', pages, '/l/sharings')).toEqual([{ text: 'notes', isName: true }]);
});

test.each(['settings', 'sharing', 'constructor', '__proto__', 'new', 'connect'])(
  '[S10] keeps the pages of a database called "%s" apart from those of others',
  (name) => {
    const path = databasePath(name);
    const { settings, sharing, docs } = localPages(path);
    const own = [path, settings, sharing, `${docs}/settings`, `${docs}/sharing`];
    const others = localPages(databasePath('pantry'));
    const all = [...own, others.all, others.settings, others.sharing, `${others.docs}/settings`];
    expect(new Set(all).size).toBe(all.length);
    expect(databaseNamed(path.split('/').at(-1) ?? '', []).localName).toBe(
      // Storages lose leading underscores.
      databaseNamed(name, []).localName,
    );
  },
);
