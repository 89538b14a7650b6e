import { act, cleanup, render, renderHook, screen, waitFor } from '@testing-library/react';
import { afterEach, describe, expect, expectTypeOf, test } from 'vitest';
import * as aliased from './fireproof.ts';

const { fireproof, ImgFile, useFireproof } = aliased;
const strict = { reactStrictMode: true };
const memory = (name: string) => ({ storeUrls: { base: `memory://${name}` } });
const opened: aliased.Database[] = [];

afterEach(async () => {
  cleanup();
  for (const database of opened.splice(0)) await database.destroy();
});

describe('useFireproof', () => {
  test('exports the names that applications of use-fireproof import', () => {
    const names = ['useFireproof', 'fireproof', 'ImgFile', 'toCloud', 'isDatabase', 'FireproofCtx'];
    expect(names.filter((name) => !(name in aliased))).toEqual([]);
  });

  test('opens a database by name only once, and shows its changes', async () => {
    const { result, rerender } = renderHook(() => {
      const used = useFireproof('by-name', memory('by-name'));
      const { doc, merge, save } = used.useDocument<{ n: number }>({ n: 0 });
      return { used, doc, merge, save, all: used.useAllDocs(), live: used.useLiveQuery<{ n: number }>('n') };
    }, strict);
    const { database, attach } = result.current.used;
    opened.push(database);
    expect(aliased.isDatabase(database)).toBe(true);
    expect(attach).toMatchObject({ state: 'initial', ctx: { tokenAndClaims: { state: 'initial' } } });
    rerender();
    expect(result.current.used.database).toBe(database);
    await act(() => database.put({ _id: 'a', n: 2 }));
    await waitFor(() => expect(result.current.live.docs).toEqual([{ _id: 'a', n: 2 }]));
    expect(result.current.all.docs).toEqual([{ _id: 'a', n: 2 }]);
    act(() => result.current.merge({ n: 1 }));
    const { id, clock, name } = await act(() => result.current.save());
    expect([clock, name]).toEqual([await database.fixpoint.head(), 'by-name']);
    await waitFor(() => expect(result.current.live.docs.map(({ n }) => n)).toEqual([1, 2]));
    expect(result.current.doc._id).toBe(id);
  });

  test('accepts a ledger that the component creates in each render', async () => {
    const database = fireproof('inline', memory('inline'));
    opened.push(database);
    let renders = 0;
    const cloud = (token: string) =>
      aliased.toCloud({
        urls: { base: 'fpcloud://127.0.0.1:1?protocol=http' },
        strategy: new aliased.SimpleTokenStrategy(token),
      });
    const { result, rerender } = renderHook(
      ({ token }) => {
        renders += 1;
        return useFireproof(database, { attach: cloud(token) });
      },
      { initialProps: { token: 'unreadable' } },
    );
    await waitFor(() => expect(result.current.attach.state).toBe('error'));
    const failed = result.current.attach.error;
    expect(failed).toMatchObject({ code: 'REQUEST_INVALID' });
    const before = renders;
    rerender({ token: 'unreadable' });
    expect(renders).toBe(before + 1);
    expect(result.current.attach.error).toBe(failed);
    rerender({ token: 'unreadable, too' });
    await waitFor(() => expect(result.current.attach.error).not.toBe(failed));
    await waitFor(() => expect(result.current.attach.state).toBe('error'));
  });

  test('accepts a database handle, and attaches this database', async () => {
    const database = fireproof('given', memory('given'));
    opened.push(database);
    const remote = { attach: () => Promise.reject(new Error('nobody there')) };
    const { result } = renderHook(() => useFireproof(database, { attach: remote }), strict);
    expect(result.current.database).toBe(database);
    await waitFor(() => expect(result.current.attach.state).toBe('error'));
    expect(result.current.attach.error?.message).toBe('nobody there');
  });
});

test('has the types of results that applications of use-fireproof import', () => {
  type Todo = { title: string };
  const component = ({ useDocument, useLiveQuery, useAllDocs, useChanges }: aliased.UseFireproof) => {
    const used: aliased.UseDocumentResult<Todo> = useDocument<Todo>({ title: '' });
    const [doc, update, save] = used;
    expectTypeOf(used.doc).toEqualTypeOf<aliased.DocWithId<Todo>>();
    expectTypeOf(doc._id).toEqualTypeOf<string>();
    update({ title: 'a' });
    expectTypeOf(save()).resolves.toExtend<aliased.DocResponse>();
    const rows: aliased.LiveQueryResult<Todo, number> = useLiveQuery<Todo, number>('title');
    expectTypeOf(rows.rows[0]?.key).toEqualTypeOf<number | undefined>();
    useAllDocs<Todo>() satisfies aliased.AllDocsResult<Todo>;
    useChanges<Todo>([], {}) satisfies aliased.ChangesResult<Todo>;
    const entry = doc._files?.['picture'];
    return <ImgFile file={entry} alt={entry !== undefined && 'cid' in entry ? entry.cid.toString() : ''} />;
  };
  expectTypeOf(component).toBeFunction();
});

test('renders the entry of a file as applications of use-fireproof type it', async () => {
  const file = new File(['pixels'], 'dot.png', { type: 'image/png' });
  const entry: aliased.DocFileMeta = { type: file.type, size: 6, cid: 'hash', file: async () => file };
  render(<ImgFile file={entry} alt="dot" />);
  expect((await screen.findByAltText('dot')).getAttribute('src')).toMatch(/^blob:/);
});
