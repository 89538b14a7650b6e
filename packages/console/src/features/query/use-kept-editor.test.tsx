import { act, cleanup, renderHook } from '@testing-library/react';
import { afterEach, describe, expect, test } from 'vitest';
import type { StoredQuery } from '../../local/saved-queries.ts';
import { useKeptEditor } from './use-kept-editor.ts';

afterEach(cleanup);

const SAVED: StoredQuery = { _id: 'q1', name: 'By age', source: '() => 1' };

function editorAt(id: string | undefined, listed?: StoredQuery) {
  const { result, rerender } = renderHook(
    (props: { id: string | undefined; listed: StoredQuery | undefined }) =>
      useKeptEditor(props.id, props.listed),
    { initialProps: { id, listed } },
  );
  return {
    now: () => result.current,
    show: (next: string | undefined, query?: StoredQuery) => rerender({ id: next, listed: query }),
    keep: (query: StoredQuery) => act(() => result.current.keep(query)),
  };
}

describe('the editor of a query', () => {
  test('stays the same while a new query is saved, gets its address, and appears in the list', () => {
    const { now, show, keep } = editorAt(undefined);
    const { editor } = now();
    keep(SAVED);
    show('q1');
    expect(now()).toMatchObject({ editor, saved: SAVED });
    show('q1', { ...SAVED, name: 'Ages' });
    expect(now()).toMatchObject({ editor, saved: { name: 'Ages' } });
  });

  test('is a different one for another query', () => {
    const { now, show } = editorAt('q1', SAVED);
    const { editor } = now();
    show('q2', { ...SAVED, _id: 'q2' });
    expect(now().editor).not.toBe(editor);
  });

  test('is a fresh one for the next new query', () => {
    const { now, show, keep } = editorAt(undefined);
    const { editor } = now();
    keep(SAVED);
    show('q1', SAVED);
    show(undefined);
    expect(now().editor).not.toBe(editor);
    expect(now().saved).toBe(undefined);
  });

  test('has no query after the query that it saved is deleted', () => {
    const { now, show, keep } = editorAt(undefined);
    keep(SAVED);
    show('q1', SAVED);
    show('q1', undefined);
    expect(now().saved).toBe(undefined);
  });

  test('has no query for an id that isn’t listed', () => {
    expect(editorAt('gone').now().saved).toBe(undefined);
  });
});
