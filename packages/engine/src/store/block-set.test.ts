import { expect, test } from 'vitest';
import { BLOCK_ROW_BYTES } from '../archive/block-index.ts';
import { utf8 } from '../base/bytes.ts';
import { type Cid, cidOf, cidToBytes, RAW } from '../codec/cid.ts';
import { BlockSet } from './block-set.ts';

const cid = (n: number): Cid => cidOf(RAW, utf8(String(n)));

test('finds the blocks that it contains by their rows, and lets other work run while it is built', async () => {
  let pauses = 0;
  const cids = Array.from({ length: 2500 }, (_, n) => cid(n));
  const { mayHave } = await BlockSet.of(cids, async () => void pauses++);
  const index = new Uint8Array(2 * BLOCK_ROW_BYTES);
  index.set(cidToBytes(cid(2499)));
  index.set(cidToBytes(cid(2500)), BLOCK_ROW_BYTES);
  expect([mayHave(index, 0), mayHave(index, 1)]).toEqual([true, false]);
  expect(pauses).toBe(2);
});
