import { act, cleanup, renderHook, screen } from '@testing-library/react';
import type { Stored } from 'fixpoint';
import type { BridgedDatabase } from 'fixpoint/bridge';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { Toaster } from '../../../ui/overlays/toaster.tsx';
import { type Waiting, waiting } from '../../../ui/pages.fixture.tsx';
import type { TableRow } from './live-rows.ts';
import { useCellWrites } from './use-cell-writes.ts';

afterEach(cleanup);

/** Renders the hook for a database of one document. The test decides when a write is stored. */
function table() {
  let stored: Stored = { _id: 'milk', litres: 1, price: 1 };
  const puts: Waiting<void>[] = [];
  const get = () => Promise.resolve(stored);
  const open = new Set<string>();
  const database = {
    get,
    conflicts: async (ids: readonly string[]) =>
      ids.filter((id) => open.has(id)).map((id) => ({ id, events: ['w', 'o'] })),
    transact: async (work: (transaction: object) => Promise<void>) => {
      let written = stored;
      await work({
        get,
        put: (doc: Stored) => {
          written = doc;
        },
      });
      const put = waiting<void>();
      puts.push(put);
      await put.promise;
      stored = written;
    },
  } as unknown as BridgedDatabase;
  const { result } = renderHook(() => useCellWrites(database, 0), { wrapper: Toaster });
  const row = { id: 'milk', cell: () => undefined } as unknown as TableRow;
  return {
    puts,
    open,
    stored: () => stored,
    shown: (field: string) => result.current.cellOf(row, field)?.text,
    read: () => result.current.read('milk'),
    write: (field: string, value: number, before: number) =>
      act(async () => result.current.write('milk', { field, value }, before)),
  };
}

describe('typing into cells while a write to their document is pending', () => {
  test('keeps the first write when another field is written', async () => {
    const { write, puts, stored } = table();
    await write('litres', 2, 1);
    await write('price', 5, 1);
    await puts[0]?.come();
    await puts[1]?.come();
    expect(stored()).toEqual({ _id: 'milk', litres: 2, price: 5 });
  });

  test('reads a document after its pending write, and shows the last typed value', async () => {
    const { write, read, puts, stored, shown } = table();
    await write('litres', 2, 1);
    const seen = read();
    await puts[0]?.come();
    expect((await seen)['litres']).toBe(2);
    await write('litres', 3, 2);
    await write('litres', 4, 3);
    await puts[1]?.come();
    expect(shown('litres')).toBe('4');
    await puts[2]?.come();
    expect([stored()['litres'], shown('litres')]).toEqual([4, '4']);
  });

  test('stores the next write after a failed one', async () => {
    const { write, puts, stored } = table();
    await write('litres', 2, 99);
    await write('price', 5, 1);
    await puts[0]?.come();
    expect(stored()).toEqual({ _id: 'milk', litres: 1, price: 5 });
  });
});

test('writes nothing into a document with a conflict, and shows the stored value again', async () => {
  vi.spyOn(console, 'error').mockReturnValue(undefined);
  const { write, puts, open, shown } = table();
  open.add('milk');
  await write('litres', 2, 1);
  expect([puts, shown('litres')]).toEqual([[], undefined]);
  expect((await screen.findByRole('alert')).textContent).toContain(
    'Couldn’t change litres: this document has a conflict. Open it, then choose a version or merge them.',
  );
});
