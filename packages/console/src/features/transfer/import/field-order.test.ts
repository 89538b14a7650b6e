import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { fieldPlaces, rememberFields } from './field-order.ts';

/** The texts of the browser's storage. */
let stored: Map<string, string>;
beforeEach(() => {
  stored = new Map();
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, text: string) => void stored.set(key, text),
  });
});
afterEach(() => vi.unstubAllGlobals());

const remembered = (database: string) => [...fieldPlaces(database)];

test('remembers the order of fields per database, and appends those of later files', () => {
  rememberFields('shop', ['name', 'price']);
  rememberFields('shop', ['amount', 'price']);
  expect(remembered('shop')).toEqual([
    ['name', 0],
    ['price', 1],
    ['amount', 2],
  ]);
  expect(remembered('other')).toEqual([]);
});

test('remembers at most 1,000 fields, whatever their names are', () => {
  rememberFields('shop', ['__proto__', 'constructor', ...Array.from({ length: 1200 }, (_, at) => `f${at}`)]);
  expect(remembered('shop')).toHaveLength(1000);
  expect(fieldPlaces('shop').get('__proto__')).toBe(0);
  expect(fieldPlaces('shop').get('toString')).toBe(undefined);
});

test.each(['{', '{"a": 1}', '[1, null]', 'null'])('remembers nothing from the invalid text %s', (text) => {
  stored.set('fixpoint:fields:shop', text);
  expect(remembered('shop')).toEqual([]);
});

test('works without storage', () => {
  const refuse = () => {
    throw new Error('denied');
  };
  vi.stubGlobal('localStorage', { getItem: refuse, setItem: refuse });
  rememberFields('shop', ['name']);
  expect(remembered('shop')).toEqual([]);
});
