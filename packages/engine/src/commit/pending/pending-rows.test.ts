import { expect, test } from 'vitest';
import { sortHead } from '../../clock/event.ts';
import { encode } from '../../codec/dag-cbor.ts';
import { deletion, operation } from '../head.fixture.ts';
import { decodePending, encodePending, numberOf, pendingKey, writerOf } from './pending-rows.ts';

test('reads the operations that it wrote', () => {
  const operations = [operation('a', 1), deletion('b'), operation('c', 2)];
  const known = sortHead([operation('a', 1).value.cid, operation('b', 2).value.cid]);
  const row = { key: 'pending/x/1', operations, known, timeMs: 1_700_000_000_123.5 };
  expect(decodePending(row.key, encodePending(operations, known, row.timeMs))).toEqual(row);
});

test('sorts the keys of a writer in the order of the writes', () => {
  const keys = [0, 9, 10, 123_456].map((number) => pendingKey('w', number));
  expect([...keys].sort()).toEqual(keys);
  expect(keys.map(writerOf)).toEqual(['w', 'w', 'w', 'w']);
  expect(keys.map(numberOf)).toEqual([0, 9, 10, 123_456]);
});

test.each([
  ['bytes that are not CBOR', Uint8Array.of(0xff)],
  ['no list', encode({ a: 1 })],
  ['no head', encode([7, [], 1])],
  ['a head that is not a CID', encode([['x'], [], 1])],
  ['no writes', encode([[], 1])],
  ['no time', encode([[], []])],
  ['an entry that is not a pair', encode([[], [7], 1])],
  ['an id that is not a text', encode([[], [[1, null]], 1])],
  ['a value that is not bytes', encode([[], [['a', 'text']], 1])],
  ['a block that is not a document', encode([[], [['a', encode(['x'])]], 1])],
])('[R4] rejects a row with %s as damage', (_name, bytes) => {
  expect(() => decodePending('pending/x/1', bytes)).toThrow(expect.objectContaining({ code: 'CORRUPT' }));
});
