import { describe, expect, test } from 'vitest';
import { getMany } from '../prolly/locate.ts';
import { type Edit, putMany } from '../prolly/put-many.ts';
import { createNodeCache, NodeTable } from './node-table.ts';

const edits = Array.from({ length: 300 }, (_, n): Edit => [`key ${n}`, new Uint8Array(100_000).fill(n)]);
const keys = edits.map(([key]) => key).sort();

async function filled(readPack: ((name: string) => Promise<Uint8Array>) | undefined) {
  const table = new NodeTable({ cache: createNodeCache(), readPack });
  const update = await putMany(table.read, undefined, edits);
  table.apply(update);
  return { table, root: update.root, added: update.added };
}

describe('the nodes of a large new index', () => {
  test.each([
    ['stored later', async () => new Uint8Array()],
    ['never stored', undefined],
  ])('reads nodes that are %s, although most of them are not kept decoded', async (_, readPack) => {
    const { table, root, added } = await filled(readPack);
    expect([...added.values()].some(({ node }) => node === undefined)).toBe(true);
    expect([...(await getMany(table.read, root, keys))].sort(([a], [b]) => (a < b ? -1 : 1))).toEqual(
      edits.toSorted(([a], [b]) => (a < b ? -1 : 1)),
    );
    expect(table.unsaved()).toHaveLength(readPack === undefined ? 0 : added.size);
  });
});
