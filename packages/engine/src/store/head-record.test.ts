import { expect, test } from 'vitest';
import { utf8 } from '../base/bytes.ts';
import { cidOf, DAG_CBOR } from '../codec/cid.ts';
import { decodeHeadRecord, encodeHeadRecord, joinRecords, NEW_RECORD } from './head-record.ts';

test('[R17] reads records of versions 1 to 3, and rejects records of newer versions', () => {
  expect(decodeHeadRecord(encodeHeadRecord(NEW_RECORD))).toEqual(NEW_RECORD);
  for (const v of [1, 2, 3]) expect(decodeHeadRecord(utf8(`{"v":${v},"head":[]}`))).toEqual(NEW_RECORD);
  for (const v of ['4', '"3"', 'null'])
    expect(() => decodeHeadRecord(utf8(`{"v":${v},"head":[]}`))).toThrow(
      expect.objectContaining({ code: 'FORMAT_NEWER' }),
    );
});

test('decodes an encoded record to the same fields', () => {
  const [a, b] = [cidOf(DAG_CBOR, utf8('a')), cidOf(DAG_CBOR, utf8('b'))];
  const record = { head: [a, b].sort(), epoch: 7, synced: true, horizon: a, former: [b], bytes: 1_000 };
  expect(decodeHeadRecord(encodeHeadRecord(record))).toEqual(record);
  expect(decodeHeadRecord(undefined)).toEqual(NEW_RECORD);
});

test.each([
  '',
  '{"v":3,"head":[',
  'null',
  '3',
  '{"v":3}',
  '{"v":3,"head":"x"}',
  '{"v":3,"head":["x"]}',
  '{"v":3,"head":[7]}',
  '{"v":3,"head":[],"former":"x"}',
  '{"v":3,"head":[],"former":[null]}',
  '{"v":3,"head":[],"epoch":-1}',
  '{"v":3,"head":[],"epoch":0.5}',
  '{"v":3,"head":[],"epoch":"1"}',
  '{"v":3,"head":[],"bytes":-1}',
  '{"v":3,"head":[],"bytes":null}',
  '{"v":3,"head":[],"horizon":null}',
])('[R4] reports a record %s as CORRUPT, never as an empty database', (text) => {
  expect(() => decodeHeadRecord(utf8(text))).toThrow(expect.objectContaining({ code: 'CORRUPT' }));
});

test('[R8] joins records with the horizon and size of the highest epoch; the result is synced if any record is synced', () => {
  const [a, b] = [cidOf(DAG_CBOR, utf8('a')), cidOf(DAG_CBOR, utf8('b'))];
  const older = { ...NEW_RECORD, epoch: 1, synced: true, horizon: a, bytes: 10 };
  const newer = { ...NEW_RECORD, epoch: 2, horizon: b, bytes: 20 };
  const joined = { ...newer, synced: true, head: [a] };
  expect(joinRecords([older, newer], [a])).toEqual(joined);
  expect(joinRecords([newer, older], [a])).toEqual(joined);
  expect(joinRecords([], [a])).toEqual({ ...NEW_RECORD, head: [a] });
});
