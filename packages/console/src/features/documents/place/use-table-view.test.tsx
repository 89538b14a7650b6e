import { act, screen } from '@testing-library/react';
import { Link } from 'react-router';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { drawPages, withPages } from '../../../ui/pages.fixture.tsx';
import type { GridPlace } from '../../grid/grid-column.ts';
import { AS_IT_WAS, isReturn, readView, type TableView, writeView } from './table-view.ts';
import { type KeptView, useTableView } from './use-table-view.ts';

withPages();
beforeEach(() => sessionStorage.clear());
afterEach(() => {
  vi.restoreAllMocks();
  sessionStorage.clear();
});

const KEY = 'fixpoint:view:pantry';
const PLACE: GridPlace = { topPx: 640, leftPx: 12, at: 20, id: 'd-20', column: 'litres' };
const CHOSEN = { isAllBut: false, ids: new Set(['a', '__proto__']) };
const view = (more: Partial<TableView> = {}): TableView => ({
  search: '?sort=n',
  place: PLACE,
  chosen: CHOSEN,
  ...more,
});

describe('the note of a table’s view', () => {
  test.each<[string, TableView]>([
    ['everything', view()],
    ['a selection of all rows but some', view({ chosen: { isAllBut: true, ids: new Set(['b']) } })],
    ['no place', view({ place: undefined })],
    ['no selection', view({ chosen: undefined })],
    ['a place without a focused column', view({ place: { ...PLACE, id: '', column: undefined } })],
  ])('returns %s as it was written', (_name, written) => {
    writeView('pantry', written);
    expect(readView('pantry')).toEqual(written);
    expect(readView('other')).toBeUndefined();
  });

  test('leaves out a selection of more than 5,000 rows, but keeps the place', () => {
    const ids = (count: number) => new Set(Array.from({ length: count }, (_, n) => `d-${n}`));
    const kept = (count: number) => {
      writeView('pantry', view({ chosen: { isAllBut: false, ids: ids(count) } }));
      return readView('pantry');
    };
    expect(kept(5000)?.chosen?.ids.size).toBe(5000);
    expect(kept(5001)).toEqual(view({ chosen: undefined }));
  });

  test.each(['', 'null', '1', '"x"', '[]', '{', '{"search":1}', '{"place":{}}'])(
    'is ignored if it is %j',
    (note) => {
      sessionStorage.setItem(KEY, note);
      expect(readView('pantry')).toBeUndefined();
    },
  );

  test.each<[string, unknown, Partial<TableView>]>([
    ['a place that is a text', { place: 'top' }, {}],
    ['a place without a position', { place: { topPx: '1', leftPx: 0 } }, {}],
    ['ids that aren’t a list', { ids: { a: 1 } }, {}],
    [
      'a row that isn’t a number',
      { place: { topPx: 1, leftPx: 2, at: '3', id: 4, column: null } },
      { place: { topPx: 1, leftPx: 2, at: 0, id: '', column: undefined } },
    ],
    [
      'ids that aren’t texts',
      { ids: ['a', 1, null, ['b']], isAllBut: 'yes' },
      { chosen: { isAllBut: false, ids: new Set(['a']) } },
    ],
  ])('leaves out %s', (_name, note, expected) => {
    sessionStorage.setItem(KEY, JSON.stringify({ search: '', ...(note as object) }));
    expect(readView('pantry')).toEqual({ search: '', place: undefined, chosen: undefined, ...expected });
  });

  test('is lost without an error if the browser allows no storage', () => {
    const refuse = () => {
      throw new DOMException('blocked', 'SecurityError');
    };
    vi.stubGlobal('sessionStorage', { setItem: refuse, getItem: refuse });
    writeView('pantry', view());
    expect(readView('pantry')).toBeUndefined();
    vi.unstubAllGlobals();
  });
});

describe('a visit of the table', () => {
  test.each<[string, unknown, boolean, boolean]>([
    ['Back', undefined, true, true],
    ['a link that leads back', AS_IT_WAS, false, true],
    ['another link', undefined, false, false],
    ['a link with another state', { from: AS_IT_WAS }, false, false],
  ])('restores the table or not after %s', (_name, state, isPop, isBack) => {
    expect(isReturn(state, isPop, false)).toBe(isBack);
  });

  test.each<[string | undefined, boolean]>([
    ['reload', true],
    ['back_forward', true],
    ['navigate', false],
    [undefined, false],
  ])('restores the first page or not, by how the browser came there: %s', (type, isBack) => {
    const entries = (type === undefined ? [] : [{ type }]) as unknown as PerformanceEntryList;
    vi.spyOn(performance, 'getEntriesByType').mockReturnValue(entries);
    // The router calls each first page a step in the history.
    expect(isReturn(undefined, true, true)).toBe(isBack);
  });
});

/** Renders a page with the table's view, and another page. */
async function drawTable(at = '/other') {
  const shown: KeptView[] = [];
  const closings = new Set<() => void>();
  const database = {
    name: 'pantry',
    onClosed: (listener: () => void) => {
      closings.add(listener);
      return () => void closings.delete(listener);
    },
  };
  function Table() {
    const kept = useTableView(database as unknown as Parameters<typeof useTableView>[0]);
    shown.push(kept);
    return <Link to="/other">Leave</Link>;
  }
  function Other() {
    return (
      <>
        <Link to="/table?sort=n" state={AS_IT_WAS}>
          As it was
        </Link>
        <Link to="/table?sort=n">From the start</Link>
        <Link to="/table?sort=other" state={AS_IT_WAS}>
          Other order
        </Link>
      </>
    );
  }
  const pages = await drawPages(
    [
      { path: '/table', Component: Table },
      { path: '/other', Component: Other },
    ],
    at,
  );
  const follow = (name: string) => act(async () => screen.getByRole('link', { name }).click());
  const latest = () => {
    const kept = shown.at(-1);
    if (kept === undefined) throw new Error('no table was rendered');
    return kept;
  };
  return { ...pages, follow, latest, closings };
}

describe('a table that the user left', () => {
  async function left() {
    const table = await drawTable();
    await table.follow('From the start');
    table.latest().place.changed(PLACE);
    table.latest().keepChosen(CHOSEN);
    await table.follow('Leave');
    return table;
  }

  test('returns by Back, with its place and its selection', async () => {
    const { go, latest } = await left();
    await go(-1);
    expect(latest().initial).toEqual(view());
    expect(latest().place.initial).toEqual(PLACE);
  });

  test.each([
    ['As it was', true],
    ['From the start', false],
    ['Other order', false],
  ])('is opened by the link “%s”: as it was %j', async (link, isKept) => {
    const { follow, latest } = await left();
    await follow(link);
    expect(latest().initial).toEqual(isKept ? view() : undefined);
  });

  test('keeps its place through a visit without scrolling', async () => {
    const { go, follow, latest } = await left();
    await go(-1);
    await follow('Leave');
    await follow('As it was');
    expect(latest().initial).toEqual(view());
  });

  test('stops listening to the database', async () => {
    const { closings } = await left();
    expect(closings.size).toBe(0);
  });
});

describe('a table that is still open', () => {
  test('keeps its place and the current address when the page is hidden', async () => {
    const { follow, go, latest } = await drawTable();
    await follow('From the start');
    latest().place.changed(PLACE);
    await go('/table?sort=other');
    window.dispatchEvent(new Event('pagehide'));
    expect(readView('pantry')).toEqual(view({ search: '?sort=other', chosen: undefined }));
  });

  test('leaves no note of a deleted database', async () => {
    const { follow, latest, closings } = await drawTable();
    await follow('From the start');
    latest().place.changed(PLACE);
    for (const close of closings) close();
    window.dispatchEvent(new Event('pagehide'));
    await follow('Leave');
    expect(readView('pantry')).toBeUndefined();
  });
});
