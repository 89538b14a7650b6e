import { act, fireEvent, render, renderHook, screen, waitFor } from '@testing-library/react';
import type { Database } from 'fixpoint';
import { describe, expect, test } from 'vitest';
import { failingDatabase, freshDatabase, heldReads } from './database.fixture.ts';
import { useDocument } from './index.ts';

const LATER = 'later, from elsewhere';

interface Note {
  text: string;
  done?: boolean;
}

const draft = (database: Database, initial: Note & { _id?: string }) =>
  renderHook(() => useDocument<Note>(database, { ...initial }), { reactStrictMode: true }).result;

const stored = async (text = 'stored') => {
  const database = freshDatabase();
  await database.put({ _id: 'note', text });
  return database;
};

/** Returns the stored document, and releases held reads as they start. */
async function slowGet({ database, held }: ReturnType<typeof heldReads>) {
  const letGo = setInterval(() => held.shift()?.(), 1);
  try {
    return await database.get('note');
  } finally {
    clearInterval(letGo);
  }
}

function NoteForm({ database }: { database: Database }) {
  const { doc, merge, submit } = useDocument<Note>(database, { text: '' });
  return (
    <form onSubmit={submit}>
      <input aria-label="text" value={doc.text} onChange={(event) => merge({ text: event.target.value })} />
      <button type="submit">Add</button>
    </form>
  );
}

describe('useDocument', () => {
  test('shows the stored document, or the initial document while none is stored', async () => {
    const database = await stored();
    const found = draft(database, { _id: 'note', text: 'initial' });
    expect(found.current).toMatchObject({ doc: { _id: 'note', text: 'initial' }, hydrated: false });
    await waitFor(() =>
      expect(found.current).toMatchObject({ doc: { _id: 'note', text: 'stored' }, hydrated: true }),
    );
    const absent = draft(database, { _id: 'absent', text: 'initial' });
    await waitFor(() => expect(absent.current.hydrated).toBe(true));
    expect(absent.current).toMatchObject({ doc: { _id: 'absent', text: 'initial' }, error: undefined });
  });

  test('keeps the id that the first save gives to a draft, and writes the same document in further saves', async () => {
    const database = freshDatabase();
    const note = draft(database, { text: '' });
    expect(note.current).toMatchObject({ doc: { text: '' }, hydrated: true });
    act(() => note.current.merge({ text: 'first' }));
    expect(note.current).toMatchObject({ doc: { text: 'first' }, edited: true });
    await act(() => Promise.all([note.current.save(), note.current.save()]));
    const { _id } = note.current.doc;
    expect(_id).toBeTypeOf('string');
    expect(note.current.edited).toBe(false);
    act(() => note.current.merge({ done: true }));
    await act(() => note.current.save());
    expect((await database.allDocs()).rows).toEqual([
      { key: _id, value: { _id, text: 'first', done: true } },
    ]);
  });

  test('shows changes of the stored document unless there are local edits', async () => {
    const database = await stored();
    const note = draft(database, { _id: 'note', text: '' });
    await waitFor(() => expect(note.current.doc.text).toBe('stored'));
    await act(() => database.put({ _id: 'note', text: 'from elsewhere' }));
    await waitFor(() => expect(note.current.doc.text).toBe('from elsewhere'));
    act(() => note.current.merge({ done: true }));
    await act(() => database.put({ _id: 'note', text: 'unseen' }));
    await act(() => database.put({ _id: 'other', text: 'other' }));
    expect(note.current.doc).toEqual({ _id: 'note', text: 'from elsewhere', done: true });
    await act(() => note.current.refresh());
    expect(note.current).toMatchObject({ doc: { _id: 'note', text: 'unseen' }, edited: false });
    await act(() => database.put({ _id: 'note', text: 'seen again' }));
    await waitFor(() => expect(note.current.doc.text).toBe('seen again'));
  });

  test('replaces and resets the draft, and leaves the stored document unchanged', async () => {
    const database = await stored();
    const note = draft(database, { _id: 'note', text: 'initial' });
    await waitFor(() => expect(note.current.doc.text).toBe('stored'));
    act(() => note.current.replace({ _id: 'note', text: 'replaced' }));
    expect(note.current.doc).toEqual({ _id: 'note', text: 'replaced' });
    act(() => note.current.reset());
    expect(note.current).toMatchObject({ doc: { _id: 'note', text: 'initial' }, edited: true });
    expect((await database.get<Note>('note')).text).toBe('stored');
  });

  test('keeps an edit made during a save', async () => {
    const database = freshDatabase();
    const note = draft(database, { text: 'a' });
    await act(async () => {
      const saved = note.current.save();
      note.current.merge({ text: 'b' });
      await saved;
    });
    expect(note.current).toMatchObject({ doc: { text: 'b' }, edited: true });
    expect(note.current.doc._id).toBeTypeOf('string');
    await act(() => note.current.save());
    expect((await database.allDocs<Note>()).rows.map(({ value }) => value.text)).toEqual(['b']);
  });

  test('deletes the stored document, and reports a missing id or document', async () => {
    const database = await stored();
    const note = draft(database, { _id: 'note', text: 'initial' });
    await waitFor(() => expect(note.current.hydrated).toBe(true));
    await act(() => note.current.remove());
    await expect(database.get('note')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(note.current.doc).toEqual({ _id: 'note', text: 'initial' });
    await act(() => expect(note.current.remove()).rejects.toThrow('Document not found'));
    expect(note.current.error?.message).toBe('Document not found');
    const fresh = draft(database, { text: '' });
    await act(() =>
      expect(fresh.current.remove()).rejects.toThrow('Document must have an _id to be removed'),
    );
  });

  test('keeps the edits after a failed save, and shows the reason', async () => {
    const { database, failing } = failingDatabase(freshDatabase());
    const note = draft(database, { text: '' });
    act(() => note.current.merge({ text: 'kept' }));
    await act(() => expect(note.current.save()).rejects.toThrow('disk gone'));
    expect(note.current).toMatchObject({
      doc: { text: 'kept' },
      edited: true,
      error: { message: 'disk gone' },
    });
    failing.now = false;
    await act(() => note.current.save());
    expect(note.current).toMatchObject({ edited: false, error: undefined });
  });

  test('shows why a load failed', async () => {
    const { database } = failingDatabase(await stored());
    const note = draft(database, { _id: 'note', text: 'initial' });
    await waitFor(() =>
      expect(note.current).toMatchObject({ hydrated: true, error: { message: 'disk gone' } }),
    );
  });

  test('merges early edits into the stored document after it has loaded, and keeps its other fields when saving', async () => {
    const slow = heldReads(await stored());
    await slow.database.put({ _id: 'note', text: 'stored', done: true });
    const note = draft(slow.database, { _id: 'note', text: '' });
    act(() => note.current.merge({ text: 'typed' }));
    expect(note.current).toMatchObject({ doc: { text: 'typed' }, hydrated: false, edited: true });
    const saved = note.current.save();
    act(() => note.current.merge({ text: 'typed on' }));
    const letGo = setInterval(() => slow.held.shift()?.(), 1);
    await act(() => saved);
    clearInterval(letGo);
    const whole = { _id: 'note', text: 'typed on', done: true };
    expect(await slowGet(slow)).toEqual(whole);
    expect(note.current).toMatchObject({ doc: whole, hydrated: true, edited: false });
  });

  test('overwrites no stored fields when a draft is saved before the stored document has loaded', async () => {
    const database = await stored();
    const note = draft(database, { _id: 'note', text: 'initial' });
    await act(() => note.current.save());
    expect((await database.get<Note>('note')).text).toBe('stored');
    expect(note.current).toMatchObject({ doc: { text: 'stored' }, edited: false });
  });

  test('saves edits of an unreadable document only after the document can be read again', async () => {
    const { database, failing } = failingDatabase(await stored(), ['get']);
    const note = draft(database, { _id: 'note', text: 'initial' });
    await waitFor(() => expect(note.current.error?.message).toBe('disk gone'));
    act(() => note.current.merge({ done: true }));
    await act(() => expect(note.current.save()).rejects.toThrow('disk gone'));
    expect(note.current).toMatchObject({ doc: { text: 'initial', done: true }, edited: true });
    failing.now = false;
    await act(() => note.current.save());
    expect(await database.get('note')).toEqual({ _id: 'note', text: 'stored', done: true });
    expect(note.current.error).toBeUndefined();
  });

  test('shows the result of the read that started last, even when an older read finishes later', async () => {
    const slow = heldReads(await stored('old'));
    const note = draft(slow.database, { _id: 'note', text: '' });
    await waitFor(() => expect(slow.held.length).toBeGreaterThan(0));
    await slow.database.put({ _id: 'note', text: 'new' });
    const older = slow.held.splice(0);
    await waitFor(() => expect(slow.held).toHaveLength(1));
    await act(async () => slow.held.shift()?.());
    await waitFor(() => expect(note.current.doc.text).toBe('new'));
    await act(async () => older.forEach((letGo) => void letGo()));
    expect(note.current.doc.text).toBe('new');
  });

  test('shows a change that another writer made during a save', async () => {
    const database = await stored();
    const overtaken = {
      ...database,
      put: async (doc: Note) => {
        const written = await database.put({ ...doc });
        // The draft gets this notification before its own save is done, when it still counts as
        // edited.
        const heard = new Promise<void>((resolve) => {
          database.subscribe((docs) => docs.some(({ text }) => text === LATER) && resolve(), true);
        });
        await database.put({ ...doc, text: LATER });
        await heard;
        return written;
      },
    } as unknown as Database;
    const note = draft(overtaken, { _id: 'note', text: '' });
    await waitFor(() => expect(note.current.hydrated).toBe(true));
    act(() => note.current.merge({ text: 'own' }));
    await act(() => note.current.save());
    await waitFor(() => expect(note.current.doc.text).toBe(LATER));
    expect(note.current.edited).toBe(false);
  });

  test('resets a draft without an id to the initial document on refresh', async () => {
    const note = draft(freshDatabase(), { text: 'initial' });
    act(() => note.current.merge({ text: 'edited' }));
    await act(() => note.current.refresh());
    expect(note.current).toMatchObject({ doc: { text: 'initial' }, edited: false, hydrated: true });
  });

  test('treats an empty id as missing', async () => {
    const database = freshDatabase();
    const note = draft(database, { _id: '', text: 'initial' });
    expect(note.current.hydrated).toBe(true);
    await act(() => note.current.save());
    expect(note.current.doc._id).toHaveLength(36);
    const { _id } = note.current.doc;
    expect(await database.get(_id ?? '')).toEqual({ _id, text: 'initial' });
  });

  test('resets a draft whose document was deleted elsewhere, and saves the draft as a new document', async () => {
    const database = freshDatabase();
    const note = draft(database, { text: 'initial' });
    const { id } = await act(() => note.current.save());
    await act(() => database.del(id));
    await waitFor(() => expect(note.current.doc).toEqual({ text: 'initial' }));
    act(() => note.current.merge({ text: 'next' }));
    const next = await act(() => note.current.save());
    expect(next.id).not.toBe(id);
    expect((await database.allDocs()).rows.map(({ key }) => key)).toEqual([next.id]);
  });

  test('switches the draft when the database changes, and ignores pending reads of the previous database', async () => {
    const first = heldReads(await stored('of the first'));
    const second = await stored('of the second');
    const { result, rerender } = renderHook(
      ({ database }) => useDocument<Note>(database, { _id: 'note', text: '' }),
      { initialProps: { database: first.database }, reactStrictMode: true },
    );
    await waitFor(() => expect(first.held.length).toBeGreaterThan(0));
    rerender({ database: second });
    await waitFor(() => expect(result.current.doc.text).toBe('of the second'));
    await act(async () => first.held.forEach((letGo) => void letGo()));
    expect(result.current.doc.text).toBe('of the second');
    await act(() => second.put({ _id: 'note', text: 'moved on' }));
    await waitFor(() => expect(result.current.doc.text).toBe('moved on'));
  });

  test('reports that the database was destroyed, and keeps the edits', async () => {
    const database = await stored();
    const note = draft(database, { _id: 'note', text: '' });
    await waitFor(() => expect(note.current.doc.text).toBe('stored'));
    act(() => note.current.merge({ text: 'edited' }));
    await act(() => database.destroy());
    await waitFor(() => expect(note.current.error).toMatchObject({ code: 'DATABASE_CLOSED' }));
    expect(note.current).toMatchObject({ doc: { text: 'edited' }, edited: true });
  });

  test('ignores a read that ends after unmounting, and loads when mounted again', async () => {
    const slow = heldReads(await stored());
    const { unmount } = renderHook(() => useDocument<Note>(slow.database, { _id: 'note', text: '' }));
    await waitFor(() => expect(slow.held.length).toBeGreaterThan(0));
    unmount();
    await act(async () => slow.held.splice(0).forEach((letGo) => void letGo()));
    const back = draft(slow.database, { _id: 'note', text: '' });
    const letGo = setInterval(() => slow.held.shift()?.(), 1);
    await waitFor(() => expect(back.current.doc.text).toBe('stored'));
    clearInterval(letGo);
  });

  test('returns the same functions in each render, even when the draft changes', async () => {
    const note = draft(freshDatabase(), { text: '' });
    const { merge, replace, reset, refresh, save, remove, submit } = note.current;
    act(() => note.current.merge({ text: 'x' }));
    await act(() => note.current.save());
    expect(note.current).toMatchObject({ merge, replace, reset, refresh, save, remove, submit });
  });

  test('returns the draft and its functions as a tuple, too', async () => {
    const database = freshDatabase();
    const tuple = renderHook(() => {
      const [doc, update, save, remove, reset, refresh] = useDocument<Note>(database, {
        _id: 'note',
        text: '',
      });
      return { doc, update, save, remove, reset, refresh };
    }).result;
    act(() => tuple.current.update({ text: 'merged' }));
    await act(() => tuple.current.save());
    expect(tuple.current.doc).toEqual({ _id: 'note', text: 'merged' });
    act(() => tuple.current.update({ _id: 'note', text: 'replaced' }, { replace: true }));
    act(() => tuple.current.reset());
    expect(tuple.current.doc.text).toBe('');
    await act(() => tuple.current.refresh());
    expect(tuple.current.doc.text).toBe('merged');
    await act(() => tuple.current.remove());
    expect((await database.allDocs()).rows).toEqual([]);
  });

  test('switches the draft when the id changes', async () => {
    const database = await stored();
    await database.put({ _id: 'second', text: 'two' });
    const { result, rerender } = renderHook(
      ({ id }) => useDocument<Note>(database, () => ({ _id: id, text: '' })),
      {
        initialProps: { id: 'note' },
      },
    );
    await waitFor(() => expect(result.current.doc.text).toBe('stored'));
    act(() => result.current.merge({ text: 'edited' }));
    rerender({ id: 'second' });
    await waitFor(() =>
      expect(result.current).toMatchObject({ doc: { _id: 'second', text: 'two' }, edited: false }),
    );
  });

  test('saves a form once for each submit, and clears the form', async () => {
    const database = freshDatabase();
    render(<NoteForm database={database} />);
    const input = screen.getByLabelText<HTMLInputElement>('text');
    for (const text of ['one', 'two']) {
      fireEvent.change(input, { target: { value: text } });
      fireEvent.click(screen.getByText('Add'));
      await waitFor(() => expect(input.value).toBe(''));
    }
    expect((await database.allDocs<Note>()).rows.map(({ value }) => value.text).sort()).toEqual([
      'one',
      'two',
    ]);
  });
});
