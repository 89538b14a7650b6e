import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fixpoint } from 'fixpoint';
import { rowsOf } from 'fixpoint/rows';
import { afterAll, expect, test } from 'vitest';
import { HOSTILE_IDS, HOSTILE_NAMES, withEveryName } from '../../values/hostile-names.fixture.ts';
import { csvReader } from './csv.ts';
import { exportText } from './export-documents.ts';
import { FORMATS, formatOfName } from './formats.ts';
import { readImport } from './read-import.ts';
import { planImport, writeImport } from './write-import.ts';

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
  const read = await readImport(new Blob([text]), format, { signal });
  expect(read.problems).toEqual([]);
  const target = open(`target-${format}`);
  await target.put({ _id: 'd-7', old: true });
  const plan = await planImport(target, read.docs, signal);
  expect([plan.fresh.length, plan.known.length]).toEqual([1202, 1]);
  await writeImport(target, [...plan.fresh, ...plan.known], { signal, onProgress: () => undefined });
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

test('reports the position of values that aren’t documents, and reads the rest', async () => {
  const text = '{"_id": "a"}\nnot json\n[1]\n{"_id": 7}\n\n{"x": 1}';
  const { docs, problems } = await readImport(new Blob([text]), 'ndjson', { signal });
  expect(docs).toEqual([{ _id: 'a' }, { x: 1 }]);
  expect(problems.map(({ at }) => at)).toEqual([2, 3, 4]);
  const list = await readImport(new Blob(['[{"_id": "a"}, 7]']), 'json', { signal });
  expect([list.docs.length, list.problems[0]?.at]).toEqual([1, 2]);
  const lines = await readImport(new Blob(['{"a": 1}\n{"b": 2}\n']), 'json', { signal });
  expect(lines.docs).toEqual([{ a: 1 }, { b: 2 }]);
  const nothing = await readImport(new Blob(['{"a":']), 'json', { signal });
  expect([nothing.docs.length, nothing.problems.length]).toEqual([0, 1]);
});

test('reports, before any write, ids that the database would reject', async () => {
  const ids = ['é', 'a\nb', 'x'.repeat(4097), 'x'.repeat(4096), ' ~'];
  const text = ids.map((_id) => JSON.stringify({ _id })).join('\n');
  const { docs, problems } = await readImport(new Blob([text]), 'ndjson', { signal });
  expect(problems.map(({ at }) => at)).toEqual([1, 2, 3]);
  const target = open('ids');
  const plan = await planImport(target, docs, signal);
  expect(await writeImport(target, plan.fresh, { signal, onProgress: () => undefined })).toBe(2);
  await target.close();
});

test('derives the format from the file name', () => {
  expect(['a.csv', 'a.JSONL', 'a.ndjson', 'a.json', 'a'].map(formatOfName)).toEqual([
    'csv',
    'ndjson',
    'ndjson',
    'json',
    'json',
  ]);
});

const HOSTILE_DOCS = HOSTILE_IDS.map((id) =>
  withEveryName(id, (name, at) => (at % 2 === 0 ? name : { [name]: at })),
);

test.each(FORMATS)('exports fields and ids of any name as %s, and imports them unchanged', async (format) => {
  const source = open(`hostile-source-${format}`);
  await source.bulk(HOSTILE_DOCS);
  const rows = rowsOf(source);
  const text = await textOf(exportText({ ...source, rows }, format, undefined, { signal }));
  const { docs, problems } = await readImport(new Blob([text]), format, { signal });
  expect(problems).toEqual([]);
  const target = open(`hostile-target-${format}`);
  const { fresh } = await planImport(target, docs, signal);
  expect(fresh).toHaveLength(HOSTILE_IDS.length);
  await writeImport(target, fresh, { signal, onProgress: () => undefined });
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
  for (const line of csvReader().push(text))
    for (const cell of line) if (!/^-(5|1e-7)$/.test(cell)) expect(cell).not.toMatch(/^[=+\-@\t\r＝]/);
  expect(text).toContain("'=1+1");
  const [doc] = (await source.allDocs()).rows.map(({ value }) => value);
  expect((await readImport(new Blob([text]), 'csv', { signal })).docs).toEqual([doc]);
  const exact = await write(false);
  expect(exact).not.toContain("''=1+1");
  const kept = await readImport(new Blob([exact]), 'csv', { signal, isSafe: false });
  expect(kept.docs).toEqual([doc]);
  expect(kept.safeCells).toBe(4);
  await source.close();
});
