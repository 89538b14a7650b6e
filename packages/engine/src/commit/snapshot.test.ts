import { expect, test } from 'vitest';
import { encodeBlock } from '../codec/block.ts';
import { createUnstoredBlocks } from './snapshot.ts';

test('finds the merged shards of older snapshots, which readers may still use', () => {
  const [genesis, first, second] = ['genesis', 'first', 'second'].map((text) => encodeBlock({ text }));
  if (genesis === undefined || first === undefined || second === undefined) throw new Error('three blocks');
  const unstored = createUnstoredBlocks([genesis]);
  unstored.show({ head: [], root: undefined, merged: [first] });
  unstored.show({ head: [], root: undefined, merged: [second] });
  unstored.show({ head: [], root: undefined, merged: [] });
  for (const { cid, bytes } of [genesis, first, second]) expect(unstored.get(cid)).toEqual(bytes);
});
