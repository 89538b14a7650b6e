import { describe, expect, test } from 'vitest';
import { HOSTILE_NAMES } from '../../../values/hostile-names.fixture.ts';
import { type Choices, type Fields, type ImportRow, type Problem, SUGGESTED, TEXTS } from './problems.ts';
import { fixedDocument, identified, shownValue } from './row-documents.ts';

const rowOf = (doc: Fields | undefined, ...problems: Problem[]): ImportRow => ({
  at: 0,
  line: 1,
  doc,
  problems,
});
const fixed = (doc: Fields, problem: Problem, more: Partial<Choices> = {}) =>
  fixedDocument(rowOf(doc, problem), { ...SUGGESTED, ...more });

describe('the id of a row', () => {
  test.each<[Fields, string | null, Fields]>([
    [{ _id: 'a', n: 1 }, '_id', { _id: 'a', n: 1 }],
    [{ n: 1 }, '_id', { n: 1 }],
    [{ _id: 'a', n: 1 }, null, { n: 1 }],
    [{ _id: 'a', code: 'b' }, 'code', { _id: 'b' }],
    [{ code: 7, n: 1 }, 'code', { _id: '7', n: 1 }],
    [{ n: 1 }, 'code', { n: 1 }],
    [{ _id: 'a', n: 1 }, 'code', { n: 1 }],
  ])('identifies %j by the field %j: %j', (doc, idField, expected) => {
    const row = identified(rowOf(doc), idField);
    expect([row.doc, row.problems]).toEqual([expected, []]);
  });

  test.each(HOSTILE_NAMES)('accepts a field named %j', (name) => {
    const doc = Object.fromEntries([
      [name, 'x'],
      ['n', 1],
    ]);
    const expected = name === 'n' ? { _id: 'x' } : { _id: 'x', n: 1 };
    expect(identified(rowOf(doc), name).doc).toEqual(expected);
    expect(identified(rowOf({ n: 1 }), name).doc).toEqual({ n: 1 });
  });

  test.each([
    ['Zürich', 'Zürich'],
    [7, '7'],
    [null, 'null'],
    ['', ''],
    [{ $oid: 'a' }, '{"$oid":"a"}'],
  ])('reports the id %j', (_id, text) => {
    const { problems } = identified(rowOf({ _id }), '_id');
    expect(problems).toMatchObject([{ kind: 'id', path: ['_id'], text }]);
  });

  test('reports the name that the file has for the id', () => {
    const { problems } = identified(rowOf({ place: 'Zürich' }), 'place');
    expect(problems).toMatchObject([{ kind: 'id', path: ['place'], text: 'Zürich' }]);
  });
});

describe('a row that the database would misread', () => {
  test.each([
    [true, 1],
    [false, 0],
    ['true', 0],
    [undefined, 0],
  ])('finds the mark of a deletion in %j: %s', (mark, count) => {
    const { problems } = identified(
      rowOf({ _id: 'a', ...(mark !== undefined && { _deleted: mark }) }),
      '_id',
    );
    expect(problems.filter(({ kind }) => kind === 'deleted')).toHaveLength(count);
  });

  test('finds files without content, in either place', () => {
    const row = rowOf({
      _files: { 'a.txt': { base64: 'aGk=', type: 'text/plain', lastModified: 5 }, 'b.txt': { size: 3 } },
      _publicFiles: { 'c.txt': null, 'd.txt': { base64: '***' } },
    });
    const { doc, problems } = identified(row, '_id');
    expect(problems).toMatchObject([
      { kind: 'file', path: ['_files'], text: 'b.txt' },
      { kind: 'file', path: ['_publicFiles'], text: 'c.txt, d.txt' },
    ]);
    const bytes = new TextEncoder().encode('hi');
    expect(fixedDocument({ ...row, doc, problems }, SUGGESTED)).toEqual({
      _files: { 'a.txt': { bytes, type: 'text/plain', lastModified: 5 } },
    });
  });

  test.each([7, 'none', null, [1]])('keeps %j in the place of files', (value) => {
    const { doc, problems } = identified(rowOf({ _files: value }), '_id');
    expect([doc, problems]).toEqual([{ _files: value }, []]);
  });

  test('keeps a row that is no document', () => {
    const row = rowOf(undefined, { kind: 'syntax' });
    expect(identified(row, 'code')).toBe(row);
    expect(fixedDocument(row, SUGGESTED)).toBeUndefined();
  });
});

describe('a fix', () => {
  const zero: Problem = { kind: 'zero', path: ['a', 'b', 1], text: '-0' };

  test('changes only the value at its path', () => {
    const doc = { a: { b: [1, -0, 2], c: -0 }, b: [-0] };
    expect(fixed(doc, zero)).toEqual({ a: { b: [1, 0, 2], c: -0 }, b: [-0] });
    expect(fixed(doc, zero, { zero: 'text' })).toEqual({ a: { b: [1, '-0', 2], c: -0 }, b: [-0] });
    expect(doc.a.b).toEqual([1, -0, 2]);
  });

  test.each(HOSTILE_NAMES)('changes a field named %j', (name) => {
    const doc = Object.fromEntries([[name, { [name]: 1 }]]);
    const inner = Object.fromEntries([[name, 2 ** 60]]);
    const long: Problem = { kind: 'long', path: [name, name], text: '1152921504606846977' };
    const result = fixed(Object.fromEntries([[name, inner]]), long);
    expect(Object.keys(result ?? {})).toEqual(Object.keys(doc));
    expect(JSON.stringify(result)).toContain('"1152921504606846977"');
  });

  test.each<[Problem, Partial<Choices>, Fields, Fields]>([
    [{ kind: 'id' }, {}, { _id: 'Zürich' }, { _id: 'Zurich' }],
    [{ kind: 'id' }, { id: 'new' }, { _id: 'Zürich', n: 1 }, { n: 1 }],
    [{ kind: 'id' }, {}, { _id: null, n: 1 }, { n: 1 }],
    [{ kind: 'depth', path: ['a'] }, {}, { a: [[1]], b: 2 }, { a: '[[1]]', b: 2 }],
    [
      { kind: 'half' },
      {},
      { '\ud800': ['\udc00', { a: 'x' }], n: 1 },
      { '\uFFFD': ['\uFFFD', { a: 'x' }], n: 1 },
    ],
    [{ kind: 'json', path: ['a'], text: '[1]' }, {}, { a: '[1]' }, { a: [1] }],
    [{ kind: 'json', path: ['a'], text: '[1]' }, { json: 'text' }, { a: '[1]' }, { a: '[1]' }],
    [{ kind: 'deleted' }, { deleted: 'keep' }, { _deleted: true, n: 1 }, { n: 1 }],
    [{ kind: 'cell', path: ['a'], text: 'x' }, {}, { a: 'x' }, { a: 'x' }],
    [{ kind: 'cell', path: ['a'], text: 'x' }, { cell: 'empty' }, { a: 'x', b: 1 }, { b: 1 }],
    [{ kind: 'columns' }, {}, { a: 1 }, { a: 1 }],
    [{ kind: 'quote' }, {}, { a: '"' }, { a: '"' }],
    [{ kind: 'twice' }, {}, { _id: 'a' }, { _id: 'a' }],
    [{ kind: 'zero', path: ['gone', 'x'], text: '-0' }, {}, { a: 1 }, { a: 1 }],
    [{ kind: 'zero', path: ['a', 'x'], text: '-0' }, {}, { a: 1 }, { a: 1 }],
  ])('applies %j with %j to %j: %j', (problem, more, doc, expected) => {
    expect(fixed(doc, problem, more)).toEqual(expected);
  });

  test('offers to keep a cell of another type than its column, to leave it empty, or to skip its row', () => {
    const valuesOf = (kind: 'cell' | 'long') => TEXTS[kind].choices.map(({ value }) => value);
    expect([valuesOf('cell'), valuesOf('long')]).toEqual([
      ['text', 'empty', 'skip'],
      ['text', 'skip'],
    ]);
  });

  test('fixes each problem of a row', () => {
    const row = rowOf(
      { _id: 'Ä', a: -0, b: 1e20 },
      { kind: 'id' },
      { kind: 'zero', path: ['a'], text: '-0' },
      {
        kind: 'long',
        path: ['b'],
        text: '100000000000000000001',
      },
    );
    expect(fixedDocument(row, SUGGESTED)).toEqual({ _id: 'A', a: 0, b: '100000000000000000001' });
  });
});

test.each([
  ['a', 'a'],
  [7, '7'],
  [null, 'null'],
  [{ a: 1 }, '{"a":1}'],
  [undefined, 'undefined'],
])('shows %j as %s', (value, expected) => {
  expect(shownValue(value)).toBe(expected);
});
