import { expect, test } from 'vitest';
import { isOfCloud, type Pages, scriptsOf } from './pages.ts';

const PAGES: Pages = {
  below: {
    login: { here: ['login.js', 'form.js'] },
    cloud: { around: ['cloud.js'], here: ['tenants.js'] },
    databases: {
      around: ['frame.js', 'databases.js'],
      here: ['list.js', 'frame.js'],
      below: {
        new: { here: ['new.js'] },
        $: {
          around: ['database.js'],
          here: ['table.js'],
          below: { query: { here: ['query.js'] }, docs: { below: { $: { here: ['document.js'] } } } },
        },
      },
    },
  },
};

test.each([
  ['/login', ['login.js', 'form.js']],
  ['/', ['cloud.js', 'tenants.js']],
  ['/fp', ['cloud.js', 'tenants.js']],
  ['/fp/databases', ['frame.js', 'databases.js', 'list.js']],
  ['/fp/databases/', ['frame.js', 'databases.js', 'list.js']],
  ['/fp/databases/new', ['frame.js', 'databases.js', 'new.js']],
  ['/fp/databases/any', ['frame.js', 'databases.js', 'database.js', 'table.js']],
  ['/fp/databases/any/docs/1', ['frame.js', 'databases.js', 'database.js', 'document.js']],
  ['/fp/databases/any/docs', ['frame.js', 'databases.js', 'database.js']],
  ['/fp/databases/toString', ['frame.js', 'databases.js', 'database.js', 'table.js']],
])('finds the scripts of %s', (path, scripts) => expect(scriptsOf(PAGES, path)).toEqual(scripts));

test('treats parts that match no file as parameters of the page before them', () =>
  expect(scriptsOf(PAGES, '/fp/databases/any/query/saved-1')).toContain('query.js'));

test('returns no scripts for an unknown page', () => expect(scriptsOf(PAGES, '/toString')).toEqual([]));

test.each([
  ['/', true],
  ['/fp', true],
  ['/fp/cloud', true],
  ['/fp/cloud/tenants/any', true],
  ['/fp/databases', false],
  ['/fp/databases/cloud', false],
  ['/login', false],
])('returns whether %s is a cloud page', (path, is) => expect(isOfCloud(path)).toBe(is));
