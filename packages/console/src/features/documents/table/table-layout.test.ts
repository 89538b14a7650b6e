import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HOSTILE_NAMES } from '../../../values/hostile-names.fixture.ts';
import {
  addressOfLayout,
  arranged,
  layoutIn,
  PLAIN_LAYOUT,
  parseLayout,
  type TableLayout,
  textOf,
  withHidden,
  withMoved,
  withPinned,
  withStep,
  withWidth,
} from './table-layout.ts';

const FIELDS = ['_id', 'a', 'b', 'c'];

test('uses the fields as columns by default', () => {
  expect(arranged(FIELDS, PLAIN_LAYOUT)).toEqual(FIELDS);
});

test('omits hidden columns, and puts pinned ones first', () => {
  expect(arranged(FIELDS, withHidden(PLAIN_LAYOUT, 'b', true))).toEqual(['_id', 'a', 'c']);
  expect(arranged(FIELDS, withPinned(PLAIN_LAYOUT, 'c', true))).toEqual(['_id', 'c', 'a', 'b']);
  expect(arranged(FIELDS, withPinned(PLAIN_LAYOUT, '_id', false))).toEqual(FIELDS);
});

test('moves a column to another position or by one step, and appends new fields', () => {
  const moved = withMoved(PLAIN_LAYOUT, FIELDS, 'c', 'a');
  expect(arranged(FIELDS, moved)).toEqual(['_id', 'c', 'a', 'b']);
  expect(arranged([...FIELDS, 'new'], moved)).toEqual(['_id', 'c', 'a', 'b', 'new']);
  expect(arranged(FIELDS, withStep(moved, FIELDS, 'c', 1))).toEqual(['_id', 'a', 'c', 'b']);
  expect(withStep(PLAIN_LAYOUT, FIELDS, 'a', -1)).toBe(PLAIN_LAYOUT);
  expect(withStep(PLAIN_LAYOUT, FIELDS, 'c', 1)).toBe(PLAIN_LAYOUT);
});

test('skips hidden columns when moving by one step', () => {
  const layout = withHidden(PLAIN_LAYOUT, 'b', true);
  expect(arranged(FIELDS, withStep(layout, FIELDS, 'c', -1))).toEqual(['_id', 'c', 'a']);
});

test('ignores invalid parts of a stored layout', () => {
  expect(parseLayout(null)).toEqual(PLAIN_LAYOUT);
  expect(parseLayout({ order: 7, hidden: [1, 'a'], widths: { a: 'wide', b: 90 } })).toEqual({
    order: [],
    hidden: ['a'],
    pinned: ['_id'],
    widths: new Map([['b', 90]]),
  });
  expect(withWidth(withWidth(PLAIN_LAYOUT, 'a', 120), 'a', undefined)).toEqual(PLAIN_LAYOUT);
});

test('keeps the width of a field whatever its name, and has no width for other fields', () => {
  for (const field of HOSTILE_NAMES) {
    expect(PLAIN_LAYOUT.widths.get(field)).toBeUndefined();
    const wide = withWidth(PLAIN_LAYOUT, field, 480);
    const read = parseLayout(JSON.parse(textOf(wide)));
    expect([...read.widths]).toEqual([[field, 480]]);
    expect(withWidth(read, field, undefined)).toEqual(PLAIN_LAYOUT);
  }
});

test('hides, pins and moves fields of any name', () => {
  const fields = ['_id', ...HOSTILE_NAMES];
  for (const field of HOSTILE_NAMES) {
    expect(arranged(fields, withHidden(PLAIN_LAYOUT, field, true))).not.toContain(field);
    expect(arranged(fields, withPinned(PLAIN_LAYOUT, field, true))[1]).toBe(field);
    expect(arranged(fields, withMoved(PLAIN_LAYOUT, fields, field, '_id'))).toHaveLength(fields.length);
  }
});

test('writes a layout into an address and reads it back, for fields with any name', () => {
  expect(addressOfLayout(PLAIN_LAYOUT)).toBe('{}');
  expect(layoutIn('{}')).toEqual(PLAIN_LAYOUT);
  for (const field of HOSTILE_NAMES) {
    const layout = withWidth(withPinned(withHidden(PLAIN_LAYOUT, field, true), field, true), field, 90);
    expect(layoutIn(addressOfLayout(layout))).toEqual(layout);
  }
});

test('ignores a layout in an address that it can’t read', () => {
  expect(layoutIn(null)).toBe(undefined);
  expect(layoutIn('{"hidden"')).toBe(undefined);
  expect(layoutIn('5')).toEqual(PLAIN_LAYOUT);
});

test('shows each visible field once, pinned ones first, after any changes', () => {
  const fields = ['_id', 'a', '__proto__', 'constructor', ''];
  const field = fc.constantFrom(...fields, 'gone');
  const change = fc.oneof(
    fc.tuple(field, fc.boolean()).map(
      ([one, is]) =>
        (now: TableLayout) =>
          withHidden(now, one, is),
    ),
    fc.tuple(field, fc.boolean()).map(
      ([one, is]) =>
        (now: TableLayout) =>
          withPinned(now, one, is),
    ),
    fc.tuple(field, field).map(
      ([one, onto]) =>
        (now: TableLayout) =>
          withMoved(now, fields, one, onto),
    ),
    fc.tuple(field, fc.constantFrom(-1 as const, 1 as const)).map(
      ([one, step]) =>
        (now: TableLayout) =>
          withStep(now, fields, one, step),
    ),
  );
  fc.assert(
    fc.property(fc.array(change, { maxLength: 10 }), (changes) => {
      const layout = changes.reduce((now, how) => how(now), PLAIN_LAYOUT);
      const shown = arranged(fields, layout);
      expect(shown.toSorted()).toEqual(fields.filter((one) => !layout.hidden.includes(one)).sort());
      const pins = shown.map((one) => layout.pinned.includes(one));
      expect(pins.lastIndexOf(true) + 1).toBe(pins.filter(Boolean).length);
      expect(layoutIn(addressOfLayout(layout))).toEqual(layout);
    }),
  );
});
