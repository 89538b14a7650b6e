import { expect, test } from 'vitest';
import { partsOf } from './filter.ts';
import { helpfulIndexes } from './helpful-indexes.ts';
import { parseFilter } from './parse-filter.ts';

test.each([
  ['scope = "M"', [['scope']]],
  ['n > 5 and scope = "M" and m > 1', [['scope', 'n']]],
  ['scope = "M" or type = "A"', [['scope'], ['type']]],
  ['scope = "M" or scope = "I"', [['scope']]],
  ['scope = "M" or name contains "x"', []],
  ['name contains "x"', []],
  ['name not in ["x"]', []],
  ['name matches /x/', []],
  ['_id starts with "x"', []],
  ['tags[] = "a" and lines[].sku = 1', [['tags[]']]],
])('suggests indexes for %s', (text, indexes) => {
  expect(helpfulIndexes(partsOf(parseFilter(text).filter))).toEqual(indexes);
});
