import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fromPlain, toPlain } from '../../values/plain-json.ts';
import { cellOf, csvLine } from './csv.ts';
import { CsvRows } from './import/csv-rows.ts';
import { checkOne } from './import/imported.fixture.ts';

test('writes a document as a line, with empty cells for missing fields, and reads it back', async () => {
  const doc = { _id: '7', text: 'a, "b"', no: '007', n: 7, list: [1], empty: '' };
  const fields = ['_id', 'text', 'no', 'n', 'list', 'empty', 'missing'];
  const line = csvLine(fields.map((field) => cellOf(doc, field)));
  expect(line).toBe('"""7""","a, ""b""",007,7,[1],"""""",\r\n');
  expect((await checkOne('a.csv', csvLine(fields) + line)).docs).toEqual([doc]);
});

const EXPORTED = {
  delimiter: ',',
  newline: '\r\n',
  hasQuotes: true,
  hasHeader: true,
  isExported: true,
} as const;

test('keeps line ends within quotes in the cell, and counts them for the lines after', () => {
  const rows = new CsvRows(EXPORTED);
  const cells = (read: ReturnType<CsvRows['push']>) => read.map((row) => [row.line, ...row.cells]);
  expect(cells(rows.push('a,b\r\n"1\r\n2'))).toEqual([[1, 'a', 'b']]);
  expect(cells(rows.push('",x\r\n\r\nlast'))).toEqual([[2, '1\r\n2', 'x']]);
  expect(cells(rows.end())).toEqual([[5, 'last']]);
});

test('splits rows that arrive in pieces of any size', () => {
  const cell = fc.oneof(fc.string(), fc.constantFrom('"', ',', '\r\n', '\n', '"\r\n,', '""'));
  fc.assert(
    fc.property(fc.array(fc.tuple(cell, cell, cell)), fc.integer({ min: 1, max: 40 }), (wanted, size) => {
      const text = wanted.map((cells) => csvLine(cells)).join('');
      const reader = new CsvRows(EXPORTED);
      const rows = [];
      for (let at = 0; at < text.length; at += size) rows.push(...reader.push(text.slice(at, at + size)));
      rows.push(...reader.end());
      const kept = wanted.filter((cells) => cells.some((text) => text !== ''));
      expect(rows.map(({ cells }) => cells)).toEqual(kept);
      expect(rows.every(({ isTorn }) => !isTorn)).toBe(true);
    }),
    { numRuns: 200 },
  );
});

test('restores any documents from CSV', async () => {
  const value = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.string(), fc.uint8Array());
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.dictionary(fc.string(), value), { minLength: 1, maxLength: 6 }),
      async (docs) => {
        const wanted = docs.map((doc, at) => Object.fromEntries([['_id', `d${at}`], ...Object.entries(doc)]));
        const fields = [...new Set(['_id', ...wanted.flatMap(Object.keys)])];
        const rows = wanted.map((doc) => csvLine(fields.map((field) => cellOf(doc, field))));
        const { docs: read } = await checkOne('a.csv', csvLine(fields) + rows.join(''), {
          keepsApostrophes: true,
        });
        // JSON has no -0.
        const plain = (some: readonly object[]) => JSON.parse(JSON.stringify(some.map(toPlain))) as unknown;
        expect(plain(read)).toEqual(plain(wanted));
      },
    ),
    { numRuns: 100 },
  );
});

test('writes bytes so that they can be restored', () => {
  const doc = { _id: 'a', raw: Uint8Array.of(0, 255, 7), deep: [{ raw: new Uint8Array() }] };
  expect(fromPlain(JSON.parse(JSON.stringify(toPlain(doc))))).toEqual(doc);
});
