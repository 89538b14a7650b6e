import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, fixpoint } from 'fixpoint';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { withConflict } from '../../history/conflicts/real-conflict.fixture.ts';
import { countFates } from './check-import.ts';
import { checkFiles, importFiles } from './imported.fixture.ts';
import { type Choices, SUGGESTED } from './problems.ts';
import { isUndoable, writeImport } from './write-import.ts';

const directory = mkdtempSync(join(tmpdir(), 'fixpoint-import-'));
const opened: Database[] = [];
afterAll(async () => {
  await Promise.all(opened.map((database) => database.close()));
  rmSync(directory, { recursive: true, force: true });
});

async function open(name: string, ...docs: object[]): Promise<Database> {
  const database = fixpoint(name, { directory });
  opened.push(database);
  if (docs.length > 0) await database.bulk(docs);
  return database;
}

const contentOf = async (database: Database) => (await database.allDocs()).rows.map(({ value }) => value);
const lines = (...docs: object[]) => docs.map((doc) => `${JSON.stringify(doc)}\n`).join('');

test('keeps, replaces or copies documents that exist, as chosen', async () => {
  const text = lines({ _id: 'a', n: 2 }, { _id: 'b', n: 2 });
  const mine = { _id: 'a', n: 1 };
  const kept = await open('kept', mine);
  await importFiles(kept, [['a.ndjson', text]]);
  expect(await contentOf(kept)).toEqual([mine, { _id: 'b', n: 2 }]);
  const replaced = await open('replaced', mine);
  await importFiles(replaced, [['a.ndjson', text]], { exists: 'replace' });
  expect(await contentOf(replaced)).toEqual([
    { _id: 'a', n: 2 },
    { _id: 'b', n: 2 },
  ]);
  const copied = await open('copied', mine);
  await importFiles(copied, [['a.ndjson', text]], { exists: 'new' });
  expect((await contentOf(copied)).map((doc) => doc['n'])).toEqual([2, 1, 2]);
});

test.each([
  ['first', [1]],
  ['last', [2]],
  ['new', [1, 2]],
])('writes documents with the same id as chosen: %s', async (twice, expected) => {
  const database = await open(`twice-${twice}`);
  // The first batch has 500 documents, so that the two documents are written at different times.
  const between = Array.from({ length: 600 }, (_, n) => ({ _id: `x${n}` }));
  const text = lines({ _id: 'a', n: 1 }, ...between, { _id: 'a', n: 2 });
  const { documents } = await importFiles(database, [['a.ndjson', text]], { twice });
  const numbers = (await contentOf(database)).flatMap(({ n }) => (n === undefined ? [] : [n]));
  expect([documents, numbers.sort()]).toEqual([600 + expected.length, expected]);
});

test.each([
  ['first', 'skip', [2]],
  ['last', 'skip', [3]],
  ['first', 'zero', [1]],
  ['last', 'zero', [4]],
  ['new', 'skip', [2, 3]],
])(
  'keeps the %s row of an id although another problem skips its neighbour: %s',
  async (twice, zero, expected) => {
    const database = await open(`rows-${twice}-${zero}`);
    const between = Array.from({ length: 600 }, (_, n) => ({ _id: `x${n}` }));
    const row = (n: number, more = '') => `{"_id":"a","n":${n}${more}}\n`;
    const first = `${row(1, ',"zero":-0')}${row(2)}`;
    const text = `${first}${lines(...between)}${row(3)}${row(4, ',"zero":-0')}`;
    const check = await checkFiles([['a.ndjson', text]], { database });
    const counted = countFates(check, { ...SUGGESTED, twice, zero });
    const { documents } = await importFiles(database, [['a.ndjson', text]], { twice, zero });
    const numbers = (await contentOf(database)).flatMap(({ n }) => (n === undefined ? [] : [n]));
    expect(numbers.sort()).toEqual(expected);
    expect([documents, counted.added, counted.skipped]).toEqual([
      600 + expected.length,
      documents,
      4 - expected.length,
    ]);
  },
);

test('keeps the order of the file for documents without ids', async () => {
  const database = await open('ordered');
  await importFiles(database, [
    ['a.csv', `n\n${Array.from({ length: 1200 }, (_, n) => n).join('\n')}\n`],
    ['b.json', '[{"n": 1200}]'],
  ]);
  expect((await contentOf(database)).map(({ n }) => n)).toEqual(Array.from({ length: 1201 }, (_, n) => n));
});

test('writes fixed values, files, and no row that is skipped', async () => {
  const database = await open('fixed');
  const text =
    '{"_id":"Zürich","a":-0}\n{"_id":"b","_deleted":true}\noops\n{"_id":"c","_files":{"a":{"base64":"aGk="}}}\n';
  const { documents } = await importFiles(database, [['a.ndjson', text]]);
  expect(documents).toBe(2);
  expect(await database.get('Zurich')).toEqual({ _id: 'Zurich', a: 0 });
  const { _files } = await database.get<{ _files: Record<string, { file(): Promise<File> }> }>('c');
  expect(await (await _files['a']?.file())?.text()).toBe('hi');
});

test.each([
  ['last', [{ _id: 'a', n: 2 }]],
  ['skip', []],
])('keeps or skips an object with the same field twice, as chosen: %s', async (again, expected) => {
  const database = await open(`field-${again}`);
  await importFiles(database, [['a.json', '[{"_id": "a", "n": 1,\n "n": 2}]']], { again });
  expect(await contentOf(database)).toEqual(expected);
});

test('undoes an import: restores what it replaced, deletes what it added, and does both again', async () => {
  const docs = [{ _id: 'a', n: 1, raw: Uint8Array.of(1) }, { _id: 'other' }];
  const database = await open('undone', ...docs);
  const more = Array.from({ length: 1200 }, (_, n) => ({ _id: `x${n}` }));
  const text = lines({ _id: 'a', n: 2 }, ...more, {});
  const imported = await importFiles(database, [['a.ndjson', text]], { exists: 'replace' });
  expect(imported.documents).toBe(1202);
  const all = await contentOf(database);
  const { step } = imported;
  expect(step).toMatchObject({ label: 'Imported 1,202 documents', documents: 1202 });
  expect(await step?.undo('ask')).toEqual({ written: 1202, others: [] });
  expect(await contentOf(database)).toEqual(docs);
  expect(await step?.redo('ask')).toEqual({ written: 1202, others: [] });
  expect(await contentOf(database)).toEqual(all);
  expect(await step?.undo('ask')).toEqual({ written: 1202, others: [] });
  expect(await contentOf(database)).toEqual(docs);
});

test('asks before Undo deletes or restores documents that somebody changed since the import', async () => {
  const database = await open('changed', { _id: 'a', n: 1 }, { _id: 'b', n: 1 });
  const text = lines({ _id: 'a', n: 2 }, { _id: 'b', n: 2 }, { _id: 'c', n: 2 }, { _id: 'd', n: 2 });
  const imported = await importFiles(database, [['a.ndjson', text]], { exists: 'replace' });
  await database.bulk([
    { _id: 'a', n: 3 },
    { _id: 'c', n: 3 },
  ]);
  await database.del('d');
  const asked = await imported.step?.undo('ask');
  expect(asked).toEqual({
    written: 0,
    others: [
      { id: 'a', isGone: false, fields: [{ field: 'n', now: 3 }] },
      { id: 'c', isGone: false, fields: [{ field: 'n', now: 3 }] },
    ],
  });
  expect(await contentOf(database)).toHaveLength(3);
  expect(await imported.step?.undo('rest')).toMatchObject({ written: 1 });
  expect(await contentOf(database)).toEqual([
    { _id: 'a', n: 3 },
    { _id: 'b', n: 1 },
    { _id: 'c', n: 3 },
  ]);
});

test('restores what somebody wrote while the import was running', async () => {
  const database = await open('busy', { _id: 'late', n: 1 });
  const choices = { ...SUGGESTED, exists: 'replace' } as const;
  const rows = Array.from({ length: 600 }, (_, n) => ({ _id: `x${n}` }));
  const text = lines(...rows, { _id: 'late', n: 2 });
  const check = await checkFiles([['a.ndjson', text]], { database, choices });
  const bulk: Database['bulk'] = async (...given) => {
    const written = await database.bulk(...given);
    if ((await database.get<{ n: number }>('late')).n === 1) await database.put({ _id: 'late', n: 7 });
    return written;
  };
  const { signal } = new AbortController();
  const during = { ...database, bulk };
  const imported = await writeImport(during, check, choices, { signal, onProgress: () => undefined });
  expect(await database.get('late')).toMatchObject({ n: 2 });
  expect(await imported.step?.undo('ask')).toEqual({ written: 601, others: [] });
  expect(await contentOf(database)).toEqual([{ _id: 'late', n: 7 }]);
});

test('asks before Undo deletes a document that somebody changed while the import was running', async () => {
  const database = await open('edited-during');
  const text = lines(...Array.from({ length: 1200 }, (_, n) => ({ _id: `x${n}`, n: 1 })));
  const check = await checkFiles([['a.ndjson', text]]);
  // Before each batch, the import asks which of its documents exist.
  const allDocs: Database['allDocs'] = async (...given) => {
    const seen = await database.get<{ n: number }>('x7').catch(() => undefined);
    if (seen?.n === 1) await database.put({ _id: 'x7', n: 9 });
    return database.allDocs(...given);
  };
  const { signal } = new AbortController();
  const during = { ...database, allDocs };
  const imported = await writeImport(during, check, SUGGESTED, { signal, onProgress: () => undefined });
  const changed = { id: 'x7', isGone: false, fields: [{ field: 'n', now: 9 }] };
  expect(await imported.step?.undo('ask')).toEqual({ written: 0, others: [changed] });
  expect(await imported.step?.undo('rest')).toMatchObject({ written: 1199 });
  expect(await contentOf(database)).toEqual([{ _id: 'x7', n: 9 }]);
});

test('stops when it is cancelled, and undoes what was written', async () => {
  const database = await open('cancelled');
  const text = lines(...Array.from({ length: 2000 }, (_, n) => ({ _id: `x${n}` })));
  const check = await checkFiles([['a.ndjson', text]]);
  const ending = new AbortController();
  const onProgress = (documents: number) => documents >= 1000 && ending.abort();
  const imported = await writeImport(database, check, SUGGESTED, { signal: ending.signal, onProgress });
  expect([imported.documents, imported.error]).toEqual([1000, undefined]);
  expect(await contentOf(database)).toHaveLength(1000);
  expect(imported.step?.label).toBe('Imported 1,000 of 2,000 documents');
  await imported.step?.undo('ask');
  expect(await contentOf(database)).toEqual([]);
});

test('reports a batch that couldn’t be written, together with the documents before it', async () => {
  const database = await open('failing');
  const text = lines(...Array.from({ length: 600 }, (_, n) => ({ _id: `x${n}` })));
  const check = await checkFiles([['a.ndjson', text]]);
  const bulk = vi
    .fn(database.bulk)
    .mockImplementationOnce(database.bulk)
    .mockRejectedValueOnce(new Error('full'));
  const { signal } = new AbortController();
  const imported = await writeImport({ ...database, bulk }, check, SUGGESTED, {
    signal,
    onProgress: () => undefined,
  });
  expect([imported.documents, imported.error]).toEqual([500, new Error('full')]);
  await imported.step?.undo('ask');
  expect(await contentOf(database)).toEqual([]);
});

describe('a second attempt after a failure', () => {
  const { signal } = new AbortController();
  const rows = Array.from({ length: 700 }, (_, n) => ({ n }));
  const FILES = [
    ['a.ndjson', lines(...rows, { _id: 'mine', n: 700 }, { _id: 'mine', n: 701 })],
    ['b.ndjson', lines({ n: 702 })],
  ] as const;

  /** Fails after the first batch, and tries again with these choices. */
  async function twoAttempts(database: Database, more: Partial<Choices>, first = more) {
    const once = await checkFiles(FILES, { database, choices: { ...SUGGESTED, ...first } });
    const bulk: Database['bulk'] = async (docs, options) => {
      if (docs.length < 500) throw new Error('full');
      return database.bulk(docs, options);
    };
    const failing = { ...database, bulk };
    const progress = { signal, onProgress: () => undefined };
    const failed = await writeImport(failing, once, { ...SUGGESTED, ...first }, progress);
    expect([failed.documents, failed.error]).toEqual([500, new Error('full')]);
    const choices = { ...SUGGESTED, ...more };
    const newIds = { ...once.newIds, areWritten: true };
    const again = await checkFiles(FILES, { database, choices, newIds });
    const counts = countFates(again, choices);
    return { failed, counts, imported: await writeImport(database, again, choices, progress) };
  }

  test('writes only documents that the first one didn’t write', async () => {
    const database = await open('again');
    const { counts, imported } = await twoAttempts(database, {});
    expect(counts).toEqual({ added: 202, replaced: 0, kept: 500, skipped: 1 });
    expect(imported.documents).toBe(202);
    const numbers = (await contentOf(database)).map(({ n }) => Number(n));
    expect(numbers.sort((a, b) => a - b)).toEqual([...rows.map(({ n }) => n), 700, 702]);
  });

  test.each([['replace'], ['new']])('adds no document twice if existing ones become %s', async (exists) => {
    const database = await open(`again-${exists}`, { _id: 'mine', n: -1 });
    const { failed, imported } = await twoAttempts(database, { exists, twice: 'new' });
    const numbers = (await contentOf(database)).map(({ n }) => Number(n)).sort((a, b) => a - b);
    const all = [...rows.map(({ n }) => n), 700, 701, 702];
    expect(numbers).toEqual(exists === 'new' ? [-1, ...all] : all);
    await imported.step?.undo('ask');
    expect(await contentOf(database)).toHaveLength(501);
    await failed.step?.undo('ask');
    expect(await contentOf(database)).toEqual([{ _id: 'mine', n: -1 }]);
  });
});

/** Stands for a database that stores nothing, because a huge import would take minutes. */
function sink() {
  let heads = 0;
  const bulk = (docs: readonly { readonly _id?: string }[]) =>
    Promise.resolve({ ids: docs.map(({ _id = 'new' }) => _id) });
  const allDocs = () => Promise.resolve({ rows: [] });
  const head = () => Promise.resolve([`head-${heads++}`]);
  return { database: { allDocs, bulk, head } as unknown as Database, heads: () => heads };
}

describe('an import that is too large to undo', () => {
  const { database } = sink();
  const { signal } = new AbortController();
  const ids = (count: number) =>
    lines(...Array.from({ length: count }, (_, n) => ({ _id: `${n}`.padEnd(4000, '-') })));

  test('has no step, which is known before it starts', async () => {
    const check = await checkFiles([['a.ndjson', ids(3500)]]);
    expect(isUndoable(check, SUGGESTED)).toBe(false);
    const { documents, step } = await writeImport(database, check, SUGGESTED, {
      signal,
      onProgress: () => undefined,
    });
    expect([documents, step]).toEqual([3500, undefined]);
  });

  test('has a step if it was cancelled early', async () => {
    const check = await checkFiles([['a.ndjson', ids(3500)]]);
    const ending = new AbortController();
    const { step } = await writeImport(database, check, SUGGESTED, {
      signal: ending.signal,
      onProgress: () => ending.abort(),
    });
    expect([step?.documents, step?.bytes]).toEqual([500, 500 * (32 + 8000)]);
  });

  test('ignores rows that are skipped', async () => {
    const text = `${ids(3500).replaceAll('"}', '","n":-0}')}{"_id":"a"}\n`;
    const check = await checkFiles([['a.ndjson', text]]);
    expect(isUndoable(check, SUGGESTED)).toBe(false);
    expect(isUndoable(check, { ...SUGGESTED, zero: 'skip' })).toBe(true);
  });
});

test('opens one version for all batches that replace documents, unless somebody else wrote', async () => {
  const rows = Array.from({ length: 1500 }, (_, n) => ({ _id: `x${n}`, n: 1 }));
  const database = await open('shared', ...rows);
  const text = lines(...rows.map((row) => ({ ...row, n: 2 })));
  const { step } = await importFiles(database, [['a.ndjson', text]], { exists: 'replace' });
  const at = vi.spyOn(database, 'at');
  await step?.undo('ask');
  const opened = new Set(at.mock.calls.map(([head]) => JSON.stringify(head)));
  // The versions before and after the import.
  expect(opened.size).toBe(2);
  expect(await contentOf(database)).toEqual(rows.toSorted((a, b) => (a._id < b._id ? -1 : 1)));
});

test('leaves documents with a conflict as they are, and imports the others', async () => {
  const { database, seen } = await withConflict([{ _id: 'rice', litres: 0 }]);
  const rows = lines({ _id: 'milk', litres: 9 }, { _id: 'rice', litres: 9 }, { _id: 'tea' });
  const imported = await importFiles(database, [['rows.ndjson', rows]], { exists: 'replace' });
  expect(imported).toMatchObject({
    documents: 2,
    conflicts: 1,
    step: { label: 'Imported 2 of 3 documents' },
  });
  expect(await database.conflicts('milk')).toEqual(seen);
  expect(await database.get('rice')).toEqual({ _id: 'rice', litres: 9 });
  const milk = lines({ _id: 'milk' });
  const alone = await importFiles(database, [['milk.ndjson', milk]], { exists: 'replace' });
  expect(alone).toMatchObject({ documents: 0, conflicts: 1, step: undefined });
});
