import type { Sandbox } from 'fixpoint';
import { expect, test } from 'vitest';
import { countedSandbox, type MapWork } from './counted-sandbox.ts';

test('reports the number of documents of each map function when the function is closed, and returns the emitted rows', async () => {
  const closed: string[] = [];
  const sandbox: Sandbox = {
    open: async (source) => ({
      run: async (documents) => {
        if (documents.includes('bad')) throw new Error('of the function');
        return documents.map((key, at) => ({ at, key, value: source }));
      },
      close: () => closed.push(source),
    }),
  };
  const told: MapWork[] = [];
  const counted = countedSandbox(sandbox, (work) => told.push(work));
  const [one, other] = [await counted.open('one'), await counted.open('other')];
  expect(await one.run(['a', 'b'])).toEqual([
    { at: 0, key: 'a', value: 'one' },
    { at: 1, key: 'b', value: 'one' },
  ]);
  await other.run(['c']);
  await one.run(['d']);
  await expect(one.run(['bad'])).rejects.toThrow('of the function');
  expect(told).toEqual([]);
  one.close();
  other.close();
  expect(closed).toEqual(['one', 'other']);
  expect(told.map(({ source, documents }) => [source, documents])).toEqual([
    ['one', 3],
    ['other', 1],
  ]);
});
