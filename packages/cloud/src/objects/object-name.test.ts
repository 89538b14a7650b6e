import { describe, expect, test } from 'vitest';
import { ledgerPath, type ObjectName, objectPath } from './object-name.ts';

const NAME: ObjectName = { tenant: 't', ledger: 'l', store: 'car', key: 'bafy' };

describe('the path of an object', () => {
  test('is unique to its name', () => {
    const paths = [
      NAME,
      { ...NAME, store: 'file' as const },
      { ...NAME, index: 'by-name' },
      { ...NAME, key: 'other' },
      { ...NAME, ledger: 'm' },
      { ...NAME, tenant: 'u' },
    ].map(objectPath);
    expect(paths).toEqual([
      't/l/car/bafy',
      't/l/file/bafy',
      't/l/car.by-name/bafy',
      't/l/car/other',
      't/m/car/bafy',
      'u/l/car/bafy',
    ]);
  });

  test.each(['', '.', '..', 'a/b', 'a b', 'ä', '%2e', 'x'.repeat(257)])(
    '[S11] rejects %j as a key or index',
    (part) => {
      expect(() => objectPath({ ...NAME, key: part })).toThrow(/urlParam.key/);
      expect(() => objectPath({ ...NAME, index: part })).toThrow(/urlParam.index/);
    },
  );

  test('rejects an index that would make the name of a folder too long', () => {
    expect(objectPath({ ...NAME, index: 'x'.repeat(252) })).toContain('x'.repeat(252));
    expect(() => objectPath({ ...NAME, index: 'x'.repeat(253) })).toThrow(/urlParam.index/);
  });

  test('begins with tenant and ledger, which must be valid names, too', () => {
    expect(objectPath(NAME).startsWith(`${ledgerPath(NAME)}/`)).toBe(true);
    for (const part of ['', '..', 'a/b']) {
      expect(() => ledgerPath({ tenant: part, ledger: 'l' })).toThrow(/object name/);
      expect(() => ledgerPath({ tenant: 't', ledger: part })).toThrow(/object name/);
    }
  });
});
