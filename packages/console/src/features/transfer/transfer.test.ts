import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fixpoint } from 'fixpoint';
import { rowsOf } from 'fixpoint/rows';
import { afterAll, expect, test } from 'vitest';
import { HOSTILE_IDS, HOSTILE_NAMES, withEveryName } from '../../values/hostile-names.fixture.ts';
import { exportText } from './export-documents.ts';
import { FORMATS } from './formats.ts';
import { CsvRows } from './import/csv-rows.ts';
import { checkOne, importFiles } from './import/imported.fixture.ts';

const directory = mkdtempSync(join(tmpdir(), 'fixpoint-console-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
const signal = new AbortController().signal;
const open = (name: string) => fixpoint(name, { directory });

async function textOf(pieces: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const piece of pieces) text += piece;
  return text;
}

test.each(FORMATS)('exports documents as %s, and imports them unchanged', async (format) => {
  const source = open(`source-${format}`);
  const docs = Array.from({ length: 1203 }, (_, n) => ({
    _id: `d-${n}`,
    n,
    text: n % 3 === 0 ? `${n}` : `line ${n}\n"quoted", and more`,
    ...(n % 5 === 0 && { nested: { list: [n, null, 'x'], raw: Uint8Array.of(n % 256) } }),
  }));
  await source.bulk(docs);
  const rows = rowsOf(source);
  const seen: number[] = [];
  const onProgress = (count: number) => seen.push(count);
  const text = await textOf(exportText({ ...source, rows }, format, undefined, { signal, onProgress }));
  expect(seen.at(-1)).toBe(docs.length);
  const { problems, rows: read } = await checkOne(`a.${format}`, text);
  expect([problems, read]).toEqual([[], 1203]);
  const target = open(`target-${format}`);
  await target.put({ _id: 'd-7', old: true });
  await importFiles(target, [[`a.${format}`, text]], { exists: 'replace' });
  expect((await target.allDocs()).rows).toEqual((await source.allDocs()).rows);
  await Promise.all([source.close(), target.close()]);
});

test('exports some documents by their ids, and rejects when the export is aborted', async () => {
  const source = open('some');
  await source.bulk(['a', 'b', 'c'].map((_id) => ({ _id })));
  const parts = async function* parts() {
    yield ['a', 'c', 'gone'];
  };
  const rows = rowsOf(source);
  expect(await textOf(exportText({ ...source, rows }, 'ndjson', parts, { signal }))).toBe(
    '{"_id":"a"}\n{"_id":"c"}\n',
  );
  const ended = AbortSignal.abort(new Error('ended'));
  await expect(textOf(exportText({ ...source, rows }, 'json', undefined, { signal: ended }))).rejects.toThrow(
    'ended',
  );
  await source.close();
});

const HOSTILE_DOCS = HOSTILE_IDS.map((id) =>
  withEveryName(id, (name, at) => (at % 2 === 0 ? name : { [name]: at })),
);

test.each(FORMATS)('exports fields and ids of any name as %s, and imports them unchanged', async (format) => {
  const source = open(`hostile-source-${format}`);
  await source.bulk(HOSTILE_DOCS);
  const rows = rowsOf(source);
  const text = await textOf(exportText({ ...source, rows }, format, undefined, { signal }));
  const { problems } = await checkOne(`a.${format}`, text);
  expect(problems).toEqual([]);
  const target = open(`hostile-target-${format}`);
  expect(await importFiles(target, [[`a.${format}`, text]])).toMatchObject({ documents: HOSTILE_IDS.length });
  const [before, after] = await Promise.all([source.allDocs(), target.allDocs()]);
  expect(after.rows).toEqual(before.rows);
  for (const { value } of after.rows)
    expect(Object.keys(value).sort()).toEqual(['_id', ...HOSTILE_NAMES].sort());
  await Promise.all([source.close(), target.close()]);
});

const FORMULAS = ['=1+1', '+1', '-1+cmd', '@SUM(1)', '\t=1', '\r=1', "'=1", "''=1", '＝1+1', "'quoted", '-5'];

test('exports CSV that spreadsheets do not execute, and removes the added apostrophes on import', async () => {
  const source = open('formulas');
  await source.put({
    _id: '=id',
    ...Object.fromEntries(FORMULAS.map((text) => [text, text])),
    n: -5,
    e: -1e-7,
  });
  const rows = rowsOf(source);
  const write = (isSafe?: boolean) =>
    textOf(
      exportText({ ...source, rows }, 'csv', undefined, { signal, ...(isSafe !== undefined && { isSafe }) }),
    );
  const text = await write();
  const dialect = {
    delimiter: ',',
    newline: '\r\n',
    hasQuotes: true,
    hasHeader: true,
    isExported: true,
  } as const;
  for (const { cells } of new CsvRows(dialect).push(text))
    for (const cell of cells) if (!/^-(5|1e-7)$/.test(cell)) expect(cell).not.toMatch(/^[=+\-@\t\r＝]/);
  expect(text).toContain("'=1+1");
  const [doc] = (await source.allDocs()).rows.map(({ value }) => value);
  expect((await checkOne('a.csv', text)).docs).toEqual([doc]);
  const exact = await write(false);
  expect(exact).not.toContain("''=1+1");
  const kept = await checkOne('a.csv', exact, { keepsApostrophes: true });
  expect(kept.docs).toEqual([doc]);
  expect(kept.facts).toMatchObject({ safeCells: 4 });
  await source.close();
});
