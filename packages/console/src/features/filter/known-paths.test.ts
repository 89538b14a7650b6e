import { describe, expect, test } from 'vitest';
import { stepsOf } from '../../values/field-path.ts';
import { HOSTILE_NAMES, withEveryName } from '../../values/hostile-names.fixture.ts';
import { pathText } from './filter-text.ts';
import { knownPaths, pathsIn } from './known-paths.ts';
import { parseFilter } from './parse-filter.ts';

const pathsOf = (...docs: object[]) => pathsIn(docs).map(({ path }) => path);
const valuesOf = (path: string, docs: readonly object[]) =>
  pathsIn(docs).find((one) => one.path === path)?.values;

describe('the paths in a sample', () => {
  test('counts each document once per path, also if a list has the field many times', () => {
    const lines = [{ sku: 1 }, { sku: 1 }, { sku: 2 }];
    const found = pathsIn([{ lines }, { lines: [] }, {}]);
    expect(found.map(({ path, detail }) => [path, detail])).toEqual([
      ['lines', '2 of the first 3'],
      ['lines[].sku', '1 of the first 3'],
    ]);
  });

  test('lists frequent values first, at most 12, and no long ones', () => {
    const docs = Array.from({ length: 40 }, (_, n) => ({
      n: n % 20 === 7 ? 7 : n,
      long: 'x'.repeat(59 + (n % 2)),
    }));
    expect(valuesOf('n', docs)?.[0]).toBe(7);
    expect(valuesOf('n', docs)).toHaveLength(12);
    expect(valuesOf('long', docs)).toEqual([]);
    expect(valuesOf('short', [{ short: 'x'.repeat(58) }])).toEqual(['x'.repeat(58)]);
  });

  test('distinguishes equal texts, numbers and other values', () => {
    const docs = [{ f: '1' }, { f: 1 }, { f: true }, { f: 'true' }, { f: null }, { f: undefined }, { f: {} }];
    expect(valuesOf('f', docs)).toEqual(['1', 1, true, 'true', null]);
  });

  test('ends below four levels, and at 400 paths', () => {
    expect(pathsOf({ a: { b: { c: { d: { e: 1 } } } } })).toEqual(['a', 'a.b', 'a.b.c', 'a.b.c.d']);
    const wide = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`f${n}`, n]));
    expect(pathsOf(wide)).toHaveLength(400);
    const again = pathsIn([wide, { f0: 'more', f450: 1 }]);
    expect([again.length, again[0]?.detail]).toEqual([400, '2 of the first 2']);
  });

  test('looks into plain objects only', () => {
    expect(pathsOf({ bytes: new Uint8Array([1, 2]), at: new Date(0), list: [[{ hidden: 1 }]] })).toEqual([
      'bytes',
      'at',
      'list',
      'list[]',
    ]);
  });

  test('keeps fields of any name as paths that a filter can read', () => {
    const paths = pathsOf(withEveryName('a', () => 1));
    expect(paths.map((path) => stepsOf(path)[0]?.name)).toEqual(['_id', ...HOSTILE_NAMES]);
    for (const path of paths)
      expect(parseFilter(`${pathText(path)} exists`).filter).toEqual({ kind: 'test', path, test: 'exists' });
  });
});

describe('the known paths', () => {
  const sample = pathsIn([{ a: 1, 'x.y': 2, nested: { deep: 3 } }]);

  test('begins with the fields of all documents and their exact counts', () => {
    const known = knownPaths(['_id', 'a', 'x.y', 'rare'], [{ field: 'a', documents: 12_345 }], sample);
    expect(known.map(({ path, detail }) => [path, detail])).toEqual([
      ['_id', ''],
      ['a', '12,345 documents'],
      ['x\\.y', '1 of the first 1'],
      ['rare', ''],
      ['nested', '1 of the first 1'],
      ['nested.deep', '1 of the first 1'],
    ]);
    expect(known[1]?.values).toEqual([1]);
  });

  test('finds no count in the properties of objects', () => {
    const fields = ['constructor', '__proto__', 'toString'];
    expect(knownPaths(fields, [], []).map(({ detail, values }) => [detail, values])).toEqual(
      fields.map(() => ['', []]),
    );
  });
});
