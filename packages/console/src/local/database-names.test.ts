import fc from 'fast-check';
import { expect, test } from 'vitest';
import { listedName, problemOfName, visibleNames } from './database-names.ts';

test('lists databases with the local prefix, in order', () => {
  expect(visibleNames(['fp.b', 'fp.a', 'other', 'fp-keybag', 'xfp.c'])).toEqual(['a', 'b']);
});

test('hides saved queries, reserved names and copies of ledgers', () => {
  const names = ['fp.a', 'fp.fp_a_queries', 'fp.x_queries', 'fp.fp_sync', 'fp.sync', 'fp.petname_mappings'];
  expect(visibleNames([...names, 'fp.petname-mapping', 'fp.cloud-ledger-z1', 'fp.'])).toEqual(['a']);
  expect(visibleNames(['fp.queries', 'fp.sync2', 'fp.my_fp_sync'])).toEqual([
    'my_fp_sync',
    'queries',
    'sync2',
  ]);
});

test('requires a name for a new database, and rejects a name that is taken', () => {
  expect(problemOfName('', [])).toBe('Name is required');
  expect(problemOfName('notes', ['a'])).toBeUndefined();
  expect(problemOfName('my notes', ['my_notes'])).toBe('A database named "my_notes" already exists.');
});

test('rejects the name of a database that would not be listed', () => {
  for (const name of ['fp_sync', 'sync', 'old_queries', 'old queries', 'cloud-ledger-1'])
    expect(problemOfName(name, [])).toMatch(/Fixpoint reserves this name/);
});

test('doesn’t change a name that is already in listed form', () => {
  fc.assert(
    fc.property(fc.string(), (name) => {
      expect(listedName(listedName(name))).toBe(listedName(name));
    }),
  );
});
