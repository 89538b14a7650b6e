import type { DatabaseView } from 'fixpoint';
import { expect, test, vi } from 'vitest';
import type { MapWork } from '../engine/counted-sandbox.ts';
import { costedQuery, previewOf } from './query-cost.ts';

const listeners = new Set<(work: MapWork) => void>();
vi.mock('../engine/open.ts', () => ({
  onMapWork: (listener: (work: MapWork) => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
}));
const tell = (source: string, documents: number) => {
  for (const listener of listeners) listener({ source, documents, tookMs: documents * 2 });
};

const SOURCE = '(doc) => doc.n';

/** A database that has `while_` happen while it is asked. */
const asked = (while_: () => void): Pick<DatabaseView, 'query'> => ({
  query: async () => {
    while_();
    return { rows: [], clock: [] } as never;
  },
});

test('what a query reads is the sum of what went through its map function', async () => {
  const cost = await costedQuery(
    asked(() => {
      tell(SOURCE, 3);
      tell(SOURCE, 4);
    }),
    SOURCE,
  );
  expect(cost).toMatchObject({ documents: 7, mapMs: 14 });
  expect(listeners.size).toBe(0);
});

test('a preview that ends meanwhile, and another query, are not counted', async () => {
  const cost = await costedQuery(
    asked(() => {
      tell(previewOf(SOURCE).source, 100);
      tell('(doc) => 1', 5);
    }),
    SOURCE,
  );
  expect(cost).toMatchObject({ documents: 0, mapMs: 0 });
});

test('a query that fails listens no longer', async () => {
  const failed = costedQuery({ query: () => Promise.reject(new Error('of the function')) }, SOURCE);
  await expect(failed).rejects.toThrow('of the function');
  expect(listeners.size).toBe(0);
});
