import { expect, test } from 'vitest';
import { visibleNames } from './databases.ts';

test('listed are databases with the local prefix, but no saved queries, no reserved ones and no copies of ledgers', () => {
  const names = [
    'fp.b',
    'fp.a',
    'other',
    'fp.fp_a_queries',
    'fp.fp_sync',
    'fp.petname_mappings',
    'fp.cloud-ledger-z1',
    'fp-keybag',
  ];
  expect(visibleNames(names)).toEqual(['a', 'b']);
});
