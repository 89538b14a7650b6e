import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { exportText, type Source } from './export-documents.ts';
import { FORMATS } from './formats.ts';
import { checkOne } from './import/imported.fixture.ts';

const { signal } = new AbortController();
type Doc = Readonly<Record<string, unknown>>;

/** Texts that a reader of CSV or JSON may take for something else. */
const AMBIGUOUS = [
  ...['True', 'FALSE', 'true', 'false', 'null', 'NaN', 'undefined', '', ' ', '7', '007', '-0', '+1', '1e5'],
  ...['1,5', '1.50', '9007199254740993', '2026-11-29', '2026-11-29T10:00:00Z', '{"a":1}', '[1', '"x"', '""'],
  ...['a,b', 'a;b', 'a\tb', 'a|b', 'a\r\nb', 'a\nb', '\r', ' x ', "'=1", "''=1", '=1+1', '-1', '@a', '_id'],
  ...['\\', '\\"', '\u0000', '\u2028', '\uFEFFx', '😀', '/', '__proto__', 'constructor'],
];
/** The import reports U+FFFD, which stands for unreadable characters. */
const text = fc
  .oneof(fc.constantFrom(...AMBIGUOUS), fc.string({ unit: 'binary', maxLength: 6 }))
  .filter((value) => !value.includes('\uFFFD'));
const number = fc.oneof(
  fc.integer(),
  fc.constantFrom(0.1, -1e-7, 1e21, 2 ** 53, -(2 ** 60), Number.MAX_VALUE, 5e-324),
  fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => !Object.is(value, -0)),
);
const scalar = fc.oneof(text, number, fc.boolean(), fc.constant(null));
const bytes = fc.uint8Array({ maxLength: 5 });
/** A map whose only field is "/" means bytes or a link. */
const name = text.filter((value) => value !== '/');
const map = <T>(values: fc.Arbitrary<T>) =>
  fc.array(fc.tuple(name, values), { maxLength: 4 }).map((entries) => Object.fromEntries(entries));
const value = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalar,
    bytes,
    fc.array(tie('value'), { maxLength: 3 }),
    map(tie('value')),
  ),
})).value;
const id = fc.oneof(
  fc.constantFrom('a', 'True', '7', '-1', 'null', '"x"', '{}', 'a,b', ' ', "'=1", '=1', '__proto__'),
  fc.string({
    unit: fc.integer({ min: 32, max: 126 }).map((code) => String.fromCharCode(code)),
    minLength: 1,
  }),
);
const field = name.filter((one) => !['_id', '_deleted', '_files', '_publicFiles'].includes(one));
const documents = fc.uniqueArray(
  fc
    .tuple(id, fc.array(fc.tuple(field, value), { maxLength: 4 }))
    .map(([_id, fields]): Doc => Object.fromEntries([...fields, ['_id', _id]])),
  // The preview of an import has all rows of small files.
  { selector: ({ _id }) => _id, minLength: 1, maxLength: 5 },
);

function sourceOf(docs: readonly Doc[]): Source {
  const fields = [...new Set(docs.flatMap((doc) => Object.keys(doc)))];
  return {
    rows: {
      async *scan() {
        yield docs;
      },
      fields: () => Promise.resolve(fields.map((one) => ({ field: one }))),
    },
  } as unknown as Source;
}

async function exported(docs: readonly Doc[], format: (typeof FORMATS)[number], isSafe: boolean) {
  let all = '';
  for await (const piece of exportText(sourceOf(docs), format, undefined, { signal, isSafe })) all += piece;
  return all;
}

describe('documents that are exported and imported again', () => {
  test.each(FORMATS)('keeps all values and types in %s', async (format) => {
    await fc.assert(
      fc.asyncProperty(documents, fc.boolean(), async (docs, isSafe) => {
        const file = await exported(docs, format, isSafe);
        const { docs: read, problems } = await checkOne(`a.${format}`, file, { keepsApostrophes: !isSafe });
        expect(problems).toEqual([]);
        expect(read).toEqual(docs);
      }),
      { numRuns: 150 },
    );
  });

  test.each(AMBIGUOUS)('keeps a CSV column that contains only the text %j', async (only) => {
    const docs = ['a', 'b'].map((_id) => ({ _id, only }));
    const { docs: read } = await checkOne('a.csv', await exported(docs, 'csv', true));
    expect(read).toEqual(docs);
  });

  test('keeps values of 199 levels in CSV', async () => {
    let deep: unknown = 1;
    for (let level = 0; level < 199; level += 1) deep = level % 2 === 0 ? [deep] : { deep };
    const docs = [{ _id: 'a', deep }];
    const { docs: read, problems } = await checkOne('a.csv', await exported(docs, 'csv', true));
    expect([read, problems]).toEqual([docs, []]);
  });
});
