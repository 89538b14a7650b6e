import { act } from '@testing-library/react';
import { Link } from 'react-router';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { freshDatabase } from '../../../local/fresh-database.fixture.ts';
import { drawPages, pageCalled, withPages } from '../../../ui/pages.fixture.tsx';
import { HOSTILE_NAMES } from '../../../values/hostile-names.fixture.ts';
import { AS_IT_WAS, isReturn, readView, type TableView, writeView } from './table-view.ts';
import { type KeptView, useTableView } from './use-table-view.ts';

withPages();
beforeEach(() => sessionStorage.clear());
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  sessionStorage.clear();
});

const PLACE = { topPx: 120, leftPx: 3, at: 7, id: 'milk', column: 'litres' };
const KEY = 'fixpoint:view:pantry';

describe('the kept view of a table', () => {
  test.each<TableView>([
    { search: '', place: undefined, chosen: undefined },
    { search: '?sort=-n&find=x', place: PLACE, chosen: { isAllBut: false, ids: new Set(['a', 'b']) } },
    { search: '', place: { ...PLACE, column: undefined }, chosen: { isAllBut: true, ids: new Set() } },
    { search: '', place: PLACE, chosen: { isAllBut: false, ids: new Set(HOSTILE_NAMES) } },
  ])('reads what was written: %j', (view) => {
    writeView('pantry', view);
    expect(readView('pantry')).toEqual(view);
    expect(readView('cellar')).toBeUndefined();
  });

  test.each([
    [5000, 5000],
    [5001, undefined],
  ])('keeps a selection of at most 5,000 rows: %d', (count, kept) => {
    const ids = new Set(Array.from({ length: count }, (_, n) => `n${n}`));
    writeView('pantry', { search: '', place: undefined, chosen: { isAllBut: true, ids } });
    expect(readView('pantry')?.chosen?.ids.size).toBe(kept);
  });

  test.each(['', '{', 'null', '7', '"text"', '[]', '{}', '{"search":1}'])('ignores the note %j', (note) => {
    sessionStorage.setItem(KEY, note);
    expect(readView('pantry')).toBeUndefined();
  });

  test.each<[object, Partial<TableView>]>([
    [{ place: [] }, { place: undefined }],
    [{ place: { topPx: '1', leftPx: 2 } }, { place: undefined }],
    [
      { place: { topPx: 1, leftPx: 2, at: 'x', id: 5, column: null } },
      { place: { topPx: 1, leftPx: 2, at: 0, id: '', column: undefined } },
    ],
    [{ ids: { 0: 'a' } }, { chosen: undefined }],
    [{ ids: ['a', 5, null], isAllBut: 'yes' }, { chosen: { isAllBut: false, ids: new Set(['a']) } }],
  ])('ignores the wrong parts of %j', (note, expected) => {
    sessionStorage.setItem(KEY, JSON.stringify({ search: '', ...note }));
    expect(readView('pantry')).toMatchObject({ search: '', ...expected });
  });

  test('forgets the view without storage', () => {
    const setItem = () => {
      throw new Error('QuotaExceededError');
    };
    vi.stubGlobal('sessionStorage', { getItem: () => null, setItem, clear: () => undefined });
    writeView('pantry', { search: '?sort=n', place: undefined, chosen: undefined });
    expect(readView('pantry')).toBeUndefined();
  });
});

describe('a visit of the table', () => {
  test.each<[string, unknown, boolean, boolean]>([
    ['Back', null, true, true],
    ['a link back', AS_IT_WAS, false, true],
    ['another link', null, false, false],
    ['a link with another state', { as: 'it was' }, false, false],
  ])('decides for %s whether the table is shown as it was', (_how, state, isPop, expected) => {
    expect(isReturn(state, isPop, false)).toBe(expected);
  });

  test.each([
    ['reload', true],
    ['back_forward', true],
    ['navigate', false],
    [undefined, false],
  ])('looks only at how the first page was loaded: "%s"', (type, expected) => {
    const entries = type === undefined ? [] : [{ type }];
    vi.spyOn(performance, 'getEntriesByType').mockReturnValue(entries as never);
    expect([isReturn(AS_IT_WAS, true, true), isReturn(null, false, true)]).toEqual([expected, expected]);
  });
});

describe('the table of a page', () => {
  async function draw() {
    const database = await freshDatabase([{ _id: 'a' }]);
    let view: KeptView | undefined;
    function Table() {
      view = useTableView(database);
      return <Link to="/other">Other</Link>;
    }
    const { go, router } = await drawPages(
      [
        { path: '/', Component: Table },
        { path: '/other', Component: pageCalled('Other') },
      ],
      '/?sort=n',
    );
    const now = () => {
      if (view === undefined) throw new Error('no table');
      return view;
    };
    const link = (to: string, state?: string) =>
      act(async () => void router.navigate(to, state === undefined ? {} : { state }));
    return { database, go, link, now };
  }
  const CHOSEN = { isAllBut: false, ids: new Set(['a']) };

  test('restores its place and its selection after Back', async () => {
    const { go, now } = await draw();
    expect([now().initial, now().place.initial]).toEqual([undefined, undefined]);
    now().place.changed(PLACE);
    now().keepChosen(CHOSEN);
    await go('/other');
    await go(-1);
    expect(now().initial).toEqual({ search: '?sort=n', place: PLACE, chosen: CHOSEN });
    expect(now().place.initial).toEqual(PLACE);
  });

  test('restores them again if they didn’t change since', async () => {
    const { go, now } = await draw();
    now().place.changed(PLACE);
    for (const to of ['/other', -1, '/other', -1]) await go(to);
    expect(now().place.initial).toEqual(PLACE);
  });

  test.each<[string, string | undefined, object | undefined]>([
    ['/?sort=n', AS_IT_WAS, PLACE],
    ['/?sort=n', undefined, undefined],
    ['/?sort=-n', AS_IT_WAS, undefined],
  ])('starts after a link to %s with the state %j at %j', async (to, state, expected) => {
    const { go, link, now } = await draw();
    now().place.changed(PLACE);
    await go('/other');
    await link(to, state);
    expect(now().place.initial).toEqual(expected);
  });

  test('keeps its place when the browser leaves the page', async () => {
    const { database, now } = await draw();
    now().place.changed(PLACE);
    window.dispatchEvent(new Event('pagehide'));
    expect(readView(database.name)).toMatchObject({ search: '?sort=n', place: PLACE });
  });

  test('leaves no note of a database that was deleted', async () => {
    const { database, go, now } = await draw();
    now().place.changed(PLACE);
    await act(async () => database.close());
    window.dispatchEvent(new Event('pagehide'));
    await go('/other');
    expect(readView(database.name)).toBeUndefined();
  });
});
