import { expect, test } from 'vitest';
import { utf8 } from '../base/bytes.ts';
import { decodeHeadRecord, encodeHeadRecord, NEW_RECORD } from './head-record.ts';

test('[R17] records of versions 1 to 3 are read, those of a newer one are refused', () => {
  expect(decodeHeadRecord(encodeHeadRecord(NEW_RECORD))).toEqual(NEW_RECORD);
  for (const v of [1, 2, 3]) expect(decodeHeadRecord(utf8(`{"v":${v},"head":[]}`))).toEqual(NEW_RECORD);
  for (const v of ['4', '"3"', 'null'])
    expect(() => decodeHeadRecord(utf8(`{"v":${v},"head":[]}`))).toThrow(
      expect.objectContaining({ code: 'FORMAT_NEWER' }),
    );
});
