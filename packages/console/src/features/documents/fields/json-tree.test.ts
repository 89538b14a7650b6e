import { describe, expect, test } from 'vitest';
import {
  asKind,
  type FieldKind,
  fieldsInText,
  nameProblem,
  repeatedFields,
  withItemMoved,
  withJsonAt,
  withName,
  withNewField,
  withNewItem,
  withoutField,
  withoutRepeats,
} from './json-tree.ts';

const TEXT = '{\n  "z": 1.50,\n  "10": "ten",\n  "2": [true, null],\n  "at": {\n    "lat": 3\n  }\n}';

test('lists fields in the order of the text, with numbers as typed', () => {
  const fields = fieldsInText(TEXT) ?? [];
  expect(fields.map(({ name, kind, text }) => [name, kind, text])).toEqual([
    ['z', 'number', '1.50'],
    ['10', 'text', 'ten'],
    ['2', 'list', ''],
    ['at', 'object', ''],
  ]);
  expect(fields[3]?.children).toMatchObject([{ path: ['at', 'lat'], kind: 'number', text: '3' }]);
  expect(fieldsInText('[1]')).toBeUndefined();
});

describe('an edit of the text', () => {
  test.each<[string, (text: string) => string, string, string]>([
    ['replaces a value', (text) => withJsonAt(text, ['at', 'lat'], '4.0'), '"lat": 3', '"lat": 4.0'],
    ['renames a field', (text) => withName(text, ['10'], 'a"b'), '"10"', '"a\\"b"'],
    ['renames a field of an object', (text) => withName(text, ['at', 'lat'], 'lon'), '"lat"', '"lon"'],
    ['removes a field', (text) => withoutField(text, ['10']), '\n  "10": "ten",', ''],
    ['moves a value of a list', (text) => withItemMoved(text, ['2', 0], 1), 'true, null', 'null, true'],
    ['leaves the first value of a list', (text) => withItemMoved(text, ['2', 0], -1), 'true', 'true'],
  ])('%s', (_name, edit, before, after) => {
    expect(edit(TEXT)).toBe(TEXT.replace(before, after));
  });

  test('adds fields and values at the end, and removes values', () => {
    expect(JSON.parse(withoutField(TEXT, ['2', 0]))).toMatchObject({ 2: [null] });
    expect(JSON.parse(withNewField(TEXT, ['at'], 'lon', ''))).toMatchObject({ at: { lat: 3, lon: '' } });
    expect(withNewField('{}', [], 'a', '')).toBe('{\n  "a": ""\n}');
    expect(JSON.parse(withNewItem(TEXT, ['2'], 5))).toMatchObject({ 2: [true, null, 5] });
    expect(JSON.parse(withNewItem('{"l":[]}', ['l'], ''))).toEqual({ l: [''] });
  });
});

test.each<[unknown, FieldKind, unknown]>([
  ['12', 'number', 12],
  ['twelve', 'number', 0],
  [12, 'text', '12'],
  ['true', 'boolean', true],
  [{ a: 1 }, 'text', '{"a":1}'],
  ['x', 'list', ['x']],
  [null, 'list', []],
  [[1], 'object', {}],
  [5, 'null', null],
])('turns %j into the type %s: %j', (value, kind, expected) => {
  const [node] = fieldsInText(JSON.stringify({ value })) ?? [];
  if (node === undefined) throw new Error('no field');
  expect(JSON.parse(asKind(node, kind, JSON.stringify(value)))).toEqual(expected);
});

test('rejects the _id and names that are taken', () => {
  const fields = fieldsInText(TEXT) ?? [];
  expect(nameProblem('z', fields)).toContain('already');
  expect(nameProblem('z', fields, 'z')).toBeUndefined();
  expect(nameProblem('_id', fields)).toContain('_id');
  expect(nameProblem('_id', fields, undefined, false)).toBeUndefined();
});

describe('fields that an object has twice', () => {
  test.each([
    ['{"a": 1, "a": 2}', [['a']], '{"a": 2}'],
    ['{"a": 1,\n "b": 0, "\\u0061": 2}', [['a']], '{"b": 0, "\\u0061": 2}'],
    [
      '{"l": [{"a": 1, "a": 2}, {"a": 3, "a": 4}]}',
      [
        ['l', 0, 'a'],
        ['l', 1, 'a'],
      ],
      '{"l": [{"a": 2}, {"a": 4}]}',
    ],
    ['{"a": {"b": 1, "b": 2}, "a": 3}', [['a']], '{"a": 3}'],
    ['{"a": 1, "a": {"b": 1, "b": 2}}', [['a'], ['a', 'b']], '{"a": {"b": 2}}'],
    ['{"a": 1, "a": 2, "a": 3}', [['a']], '{"a": 3}'],
    ['{"__proto__": 1, "__proto__": 2}', [['__proto__']], '{"__proto__": 2}'],
    ['{"a": {"a": 1}, "b": [1, 1]}', [], '{"a": {"a": 1}, "b": [1, 1]}'],
    ['not JSON', [], 'not JSON'],
  ])('finds repeats in %s, and removes all but the last value', (text, fields, left) => {
    expect(repeatedFields(text)).toEqual(fields);
    expect(withoutRepeats(text)).toBe(left);
  });

  test('shows only the value that is saved', () => {
    expect(fieldsInText('{"a": 1, "b": 0, "a": "x"}')).toMatchObject([
      { name: 'a', kind: 'text', text: 'x' },
      { name: 'b', text: '0' },
    ]);
  });
});
