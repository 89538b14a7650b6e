// @vitest-environment happy-dom
import { act, fireEvent, render, renderHook, screen, waitFor } from '@testing-library/react';
import type { Database } from 'fixpoint';
import { describe, expect, test } from 'vitest';
import { failingDatabase, freshDatabase } from './database.fixture.ts';
import { useDocument } from './index.ts';

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
  test('shows the stored document, and the initial one while none is stored', async () => {
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

  test('saving an unsaved draft stores its new id, and further saves write the same document', async () => {
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

  test('follows the store unless there are local edits', async () => {
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

  test('replace, reset and the initial document', async () => {
    const database = await stored();
    const note = draft(database, { _id: 'note', text: 'initial' });
    await waitFor(() => expect(note.current.doc.text).toBe('stored'));
    act(() => note.current.replace({ _id: 'note', text: 'replaced' }));
    expect(note.current.doc).toEqual({ _id: 'note', text: 'replaced' });
    act(() => note.current.reset());
    expect(note.current).toMatchObject({ doc: { _id: 'note', text: 'initial' }, edited: true });
    expect((await database.get<Note>('note')).text).toBe('stored');
  });

  test('an edit made while a save is on its way stays an edit', async () => {
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

  test('remove deletes the stored document; without an id, or when there is none, it says so', async () => {
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

  test('a failed save keeps the edits and shows why', async () => {
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

  test('a failed load shows why', async () => {
    const { database } = failingDatabase(await stored());
    const note = draft(database, { _id: 'note', text: 'initial' });
    await waitFor(() =>
      expect(note.current).toMatchObject({ hydrated: true, error: { message: 'disk gone' } }),
    );
  });

  test('its functions are the same at each render, also of another draft state', async () => {
    const note = draft(freshDatabase(), { text: '' });
    const { merge, replace, reset, refresh, save, remove, submit } = note.current;
    act(() => note.current.merge({ text: 'x' }));
    await act(() => note.current.save());
    expect(note.current).toMatchObject({ merge, replace, reset, refresh, save, remove, submit });
  });

  test('works as a tuple', async () => {
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

  test('another id is another draft', async () => {
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

  test('a form saves once and is empty again', async () => {
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
