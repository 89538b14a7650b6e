import { act, renderHook, waitFor } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { freshDatabase } from './database.fixture.ts';
import { useAllDocs, useChanges, useDocument, useLiveQuery } from './index.ts';

const NAMES = ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf', 'then', 'asCID', ''];
const hostile = (value: unknown) => ({
  ...Object.fromEntries(NAMES.map((name) => [name, value])),
  _id: '__proto__',
});
const fieldsOf = (doc: object | undefined) => JSON.stringify(Object.entries(doc ?? {}).sort());

describe('[S10] fields named like members of every object', () => {
  test('returns these fields unchanged from the hooks, and shows a later change', async () => {
    const database = freshDatabase();
    await database.put(hostile(1));
    const { result } = renderHook(() => ({
      all: useAllDocs(database).docs[0],
      changed: useChanges(database).docs[0],
      queried: useLiveQuery(database, 'constructor').docs[0],
      draft: useDocument(database, { _id: '__proto__' }).doc,
    }));
    const shown = () => Object.values(result.current).map(fieldsOf);
    await waitFor(() => expect(shown()).toEqual(new Array(4).fill(fieldsOf(hostile(1)))));
    await act(() => database.put(hostile(2)));
    await waitFor(() => expect(shown()).toEqual(new Array(4).fill(fieldsOf(hostile(2)))));
  });
});
