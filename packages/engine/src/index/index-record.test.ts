import { expect, test } from 'vitest';
import { sortHead } from '../clock/event.ts';
import { decodeMap, encode } from '../codec/dag-cbor.ts';
import { decodeIndexRecord, encodeIndexRecord, type IndexRecord } from './index-record.ts';

const RECORD: IndexRecord = {
  definition: 'field colour',
  head: sortHead([]),
  root: undefined,
  byKey: undefined,
  byId: undefined,
  packs: new Map([['pack', { bytes: 10, liveBytes: 5 }]]),
  usedAt: 1,
};

const without = (name: string): Uint8Array => {
  const { [name]: _, ...rest } = decodeMap(encodeIndexRecord(RECORD));
  return encode(rest);
};

test('rejects an index record without its head or trees, with the error text of the catalogue', () => {
  expect(decodeIndexRecord(encodeIndexRecord(RECORD))).toEqual(RECORD);
  expect(() => decodeIndexRecord(without('head'))).toThrow('missing head');
  for (const name of ['byKey', 'byId'])
    expect(() => decodeIndexRecord(without(name))).toThrow('missing indexes');
  expect(decodeIndexRecord(without('v'))).toBeUndefined();
});
