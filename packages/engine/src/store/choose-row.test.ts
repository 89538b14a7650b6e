import { expect, test } from 'vitest';
import { BLOCK_ROW_BYTES } from '../archive/block-index.ts';
import { utf8 } from '../base/bytes.ts';
import { type Cid, cidOf, cidToBytes, RAW } from '../codec/cid.ts';
import { CidSet } from '../codec/cid-set.ts';
import { rowsOf } from './choose-row.ts';

const cid = (n: number): Cid => cidOf(RAW, utf8(String(n)));

test('selects the rows of the blocks in a set', () => {
  const isWanted = rowsOf(CidSet.of([cid(1), cid(2)]));
  const index = new Uint8Array(2 * BLOCK_ROW_BYTES);
  index.set(cidToBytes(cid(2)));
  index.set(cidToBytes(cid(3)), BLOCK_ROW_BYTES);
  expect([isWanted(index, 0), isWanted(index, 1)]).toEqual([true, false]);
});
