import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fromPlain, toPlain } from '../../values/plain-json.ts';
import { cellOf, csvLine, csvReader, docOfCells } from './csv.ts';

test('writes a document as a line, with empty cells for missing fields, and reads it back', () => {
  const doc = { _id: '7', text: 'a, "b"', no: '007', n: 7, list: [1], empty: '' };
  const fields = ['_id', 'text', 'no', 'n', 'list', 'empty', 'missing'];
  const line = csvLine(fields.map((field) => cellOf(doc, field)));
  expect(line).toBe('"""7""","a, ""b""",007,7,[1],"""""",\r\n');
  const [cells = []] = csvReader().push(line);
  expect(docOfCells(fields, cells)).toEqual(doc);
});

test('keeps line ends within quotes in the cell, and skips a byte order mark', () => {
  const reader = csvReader();
  expect(reader.push('\uFEFFa,b\n"1\r\n2')).toEqual([['a', 'b']]);
  expect(reader.push('",x\r\n\r\nlast')).toEqual([['1\r\n2', 'x']]);
  expect(reader.end()).toEqual([['last']]);
});

test('restores any documents from CSV that is read in pieces of any size', () => {
  const value = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.string(), fc.uint8Array());
  fc.assert(
    fc.property(
      fc.array(fc.dictionary(fc.string(), value)),
      fc.integer({ min: 1, max: 40 }),
      (docs, size) => {
        const wanted = docs.map((doc, at) => Object.fromEntries([...Object.entries(doc), ['_id', `${at}`]]));
        const fields = [...new Set(wanted.flatMap(Object.keys))];
        const rows = wanted.map((doc) => csvLine(fields.map((field) => cellOf(doc, field))));
        const text = csvLine(fields) + rows.join('');
        const reader = csvReader();
        const lines: string[][] = [];
        for (let at = 0; at < text.length; at += size) lines.push(...reader.push(text.slice(at, at + size)));
        lines.push(...reader.end());
        const [head = [], ...bodies] = lines;
        // JSON has no -0.
        const plain = (some: readonly object[]) => JSON.parse(JSON.stringify(some.map(toPlain))) as unknown;
        expect(plain(bodies.map((cells) => docOfCells(head, cells)))).toEqual(plain(wanted));
      },
    ),
    { numRuns: 200 },
  );
});

test('writes bytes so that they can be restored', () => {
  const doc = { _id: 'a', raw: Uint8Array.of(0, 255, 7), deep: [{ raw: new Uint8Array() }] };
  expect(fromPlain(JSON.parse(JSON.stringify(toPlain(doc))))).toEqual(doc);
});
