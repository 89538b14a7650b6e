import { FixpointError } from '@fixpoint/protocol';
import { act, renderHook, waitFor } from '@testing-library/react';
import type { Explanation, FindOptions } from 'fixpoint';
import { expect, test } from 'vitest';
import { useFieldIndexes } from './use-field-indexes.ts';

const NONE: Explanation = { indexes: [], reads: 'all', sorts: false, building: [], declared: [] };

const declaredWith = (searched: readonly string[] | undefined): Explanation['declared'] => [
  { kind: 'text', fields: ['other'], prefix: 'order-', isReady: true },
  { kind: 'fields', fields: ['scope'], prefix: '', isReady: true },
  ...(searched === undefined ? [] : [{ kind: 'text', fields: searched, prefix: '', isReady: true } as const]),
];

/** Returns a database whose explanations come from these indexes. */
function databaseWith(indexed: readonly string[], searched?: readonly string[]) {
  const asked: FindOptions[] = [];
  return {
    asked,
    explain: async (options: FindOptions = {}): Promise<Explanation> => {
      asked.push(options);
      if (options.where === undefined) return { ...NONE, declared: declaredWith(searched) };
      const [path] = Object.keys(options.where ?? {});
      return { ...NONE, indexes: indexed.filter((one) => one === path).map((one) => [one]) };
    },
  };
}

test('says which fields have an index, and which a search by words reads', async () => {
  const database = databaseWith(['name', '__proto__'], ['name', 'notes']);
  const { result } = renderHook(() => useFieldIndexes(database, ['name', 'scope', '__proto__']));
  expect(result.current.isKnown).toBe(false);
  await waitFor(() => expect(result.current.isKnown).toBe(true));
  expect([...result.current.indexed]).toEqual(['name', '__proto__']);
  expect([...result.current.searched]).toEqual(['name', 'notes']);
});

test('knows the indexes without a full-text index', async () => {
  const { result } = renderHook(() => useFieldIndexes(databaseWithName, PATHS));
  await waitFor(() => expect(result.current.isKnown).toBe(true));
  expect([[...result.current.indexed], [...result.current.searched]]).toEqual([['name'], []]);
});
const databaseWithName = databaseWith(['name']);
const PATHS = ['name'];

test('asks again after an index was created', async () => {
  const indexed: string[] = [];
  const database = databaseWith(indexed);
  const { result } = renderHook(() => useFieldIndexes(database, PATHS));
  await waitFor(() => expect(result.current.isKnown).toBe(true));
  expect(result.current.indexed.size).toBe(0);
  indexed.push('name');
  act(() => result.current.again());
  await waitFor(() => expect([...result.current.indexed]).toEqual(['name']));
});

test('asks nothing again while the fields stay the same', async () => {
  const database = databaseWith([]);
  const { result, rerender } = renderHook(({ paths }) => useFieldIndexes(database, paths), {
    initialProps: { paths: ['a', 'b'] },
  });
  await waitFor(() => expect(result.current.isKnown).toBe(true));
  const { length } = database.asked;
  rerender({ paths: ['a', 'b'] });
  expect(database.asked).toHaveLength(length);
  rerender({ paths: ['a'] });
  await waitFor(() => expect(database.asked.length).toBeGreaterThan(length));
});

test('says nothing if the database doesn’t answer', async () => {
  let calls = 0;
  const database = {
    explain: async (): Promise<Explanation> => {
      calls += 1;
      throw new FixpointError('CORRUPT');
    },
  };
  const { result } = renderHook(() => useFieldIndexes(database, PATHS));
  await waitFor(() => expect(calls).toBeGreaterThan(0));
  expect(result.current.isKnown).toBe(false);
});
