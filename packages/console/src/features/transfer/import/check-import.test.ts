import { describe, expect, test } from 'vitest';
import { countFates } from './check-import.ts';
import { checkFiles, checkOne } from './imported.fixture.ts';
import { FIXED, SKIPPED, SUGGESTED } from './problems.ts';

const kindsOf = ({ problems }: { problems: readonly { kind: string }[] }) => problems.map(({ kind }) => kind);

describe('JSON', () => {
  test('reads a list, one document, and the only list of an object as rows', async () => {
    const list = await checkOne('a.json', '[{"a": 1}, {"b": 2}]');
    expect([list.rows, list.docs]).toEqual([2, [{ a: 1 }, { b: 2 }]]);
    const one = await checkOne('a.json', '{"a": [1, 2], "b": {}}');
    expect([one.rows, one.docs]).toEqual([1, [{ a: [1, 2], b: {} }]]);
    const nested = await checkOne('iso.json', '{"639-3": [{"name": "Ghotuo"}, {"name": "Alumu"}]}');
    expect(nested.facts).toMatchObject({
      itemsIn: { field: '639-3' },
      lists: [{ field: '639-3', items: 2 }],
    });
    expect(nested.docs).toEqual([{ name: 'Ghotuo' }, { name: 'Alumu' }]);
    const whole = await checkOne('iso.json', '{"639-3": [{"name": "Ghotuo"}]}', { itemsIn: 'whole' });
    expect(whole.docs).toEqual([{ '639-3': [{ name: 'Ghotuo' }] }]);
  });

  test('offers all lists of an object, and chooses none if there are several', async () => {
    const { facts, rows } = await checkOne('a.json', '{"a": [{}], "b": [{}, {}]}');
    expect(facts).toMatchObject({ itemsIn: 'whole', lists: [{ field: 'a' }, { field: 'b' }] });
    expect(rows).toBe(1);
  });

  test('offers an object of objects, and reads the names as ids', async () => {
    const text = JSON.stringify({
      name: 'app',
      packages: { '': { name: 'app' }, 'node_modules/a': { version: '1' }, b: { _id: 'own' } },
      engines: { node: '>=20' },
      empty: {},
    });
    const { facts, rows } = await checkOne('package-lock.json', text);
    expect(facts).toMatchObject({
      itemsIn: 'whole',
      lists: [{ field: 'packages', items: 3, isMap: true }],
    });
    expect(rows).toBe(1);
    const { docs, problems } = await checkOne('package-lock.json', text, {
      itemsIn: { field: 'packages', isMap: true },
    });
    expect(docs).toEqual([{ name: 'app' }, { _id: 'node_modules/a', version: '1' }, { _id: 'own' }]);
    expect(problems).toMatchObject([{ kind: 'id', why: 'An id has at least one character.' }]);
  });

  test.each(['a.ndjson', 'a.jsonl', 'a.json'])('reads one document per line in %s', async (name) => {
    const { docs, facts } = await checkOne(name, '{"a":1}\r\n\r\n{"b":2}\n');
    expect([docs, facts.kind]).toEqual([[{ a: 1 }, { b: 2 }], 'ndjson']);
  });

  test('reads UTF-16 and byte-order marks', async () => {
    const text = '[{"name": "Zoë"}]';
    const utf16 = new Uint8Array(Buffer.from(`\uFEFF${text}`, 'utf16le'));
    const big = utf16.map((_, at) => utf16[at % 2 === 0 ? at + 1 : at - 1] ?? 0);
    const bare = new Uint8Array(Buffer.from(text, 'utf16le'));
    for (const content of [`\uFEFF${text}`, utf16, big, bare])
      expect((await checkOne('a.json', content)).docs).toEqual([{ name: 'Zoë' }]);
  });

  test('lists faults with line and column, in words of its own, and reads the other rows', async () => {
    const read = await checkOne('a.ndjson', '{"a": 1}\n{"a": 1,, "b": 2}\n[7]\n{"b": 2}\n');
    expect(read.docs).toEqual([{ a: 1 }, { b: 2 }]);
    expect(read.problems).toMatchObject([
      { kind: 'syntax', line: 2, column: 9, why: expect.stringMatching(/^Expected the name of a field/) },
      { kind: 'shape', line: 3 },
    ]);
    const list = await checkOne('a.json', '[\n  {"a": 1},\n  {"b": tru},\n  {"c": 3}\n]');
    expect(list.problems).toMatchObject([{ kind: 'syntax', line: 3, column: 9 }]);
    expect(list.docs).toEqual([{ a: 1 }, { c: 3 }]);
    const cut = await checkOne('a.json', '[{"a": 1}, {"b": ');
    expect([cut.docs, kindsOf(cut)]).toEqual([[{ a: 1 }], ['syntax']]);
  });

  test('notices numbers that JSON.parse would change, also in nested fields', async () => {
    const read = await checkOne(
      'a.json',
      '[{"a": -0, "b": {"c": [1, 12345678901234567890]}, "d": -0.0, "e": 1e999, "f": -0.5, "g": 9007199254740992}]',
    );
    expect(read.problems.map(({ kind, path, text }) => [kind, path?.join('.'), text])).toEqual([
      ['zero', 'a', '-0'],
      ['zero', 'd', '-0.0'],
      ['long', 'b.c.1', '12345678901234567890'],
      ['long', 'e', '1e999'],
    ]);
    expect(read.docs).toEqual([
      { a: 0, b: { c: [1, '12345678901234567890'] }, d: 0, e: '1e999', f: -0.5, g: 9007199254740992 },
    ]);
  });

  test('finds nesting that the database would reject, and keeps it as text', async () => {
    const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
    const read = await checkOne(
      'a.json',
      `[{"a": ${deep(200)}}, {"a": ${deep(201)}}, {"a": ${deep(50_000)}}]`,
    );
    expect(kindsOf(read)).toEqual(['depth', 'shape']);
    expect(read.docs[1]).toEqual({ a: deep(201) });
  });

  test('finds halves of characters, deletions, and files without content', async () => {
    const read = await checkOne(
      'a.ndjson',
      [
        '{"a": "x\\ud800", "\\udc00": 1}',
        '{"_id": "a", "_deleted": true}',
        '{"_files": {"a.txt": {"base64": "aGk=", "type": "text/plain"}, "b.txt": {"cid": {"/": "x"}}}}',
      ].join('\n'),
    );
    expect(kindsOf(read)).toEqual(['half', 'half', 'deleted', 'file']);
    expect(read.docs).toEqual([
      { a: 'x\uFFFD', '\uFFFD': 1 },
      { _id: 'a' },
      { _files: { 'a.txt': { bytes: new TextEncoder().encode('hi'), type: 'text/plain' } } },
    ]);
  });
});

describe('ids', () => {
  test('converts ids that the database would reject', async () => {
    const ids = ['Zürich', 'a\nb', 'straße', '東', 7, '', null, { $oid: '65a' }, 'x'.repeat(4097), ' ~'];
    const read = await checkOne('a.ndjson', ids.map((_id) => JSON.stringify({ _id })).join('\n'));
    const all = await checkFiles([['a.ndjson', ids.map((_id) => JSON.stringify({ _id })).join('\n')]]);
    expect(all.files[0]?.kinds).toMatchObject([{ kind: 'id', rows: 9 }]);
    expect(read.docs.slice(0, 5)).toEqual([
      { _id: 'Zurich' },
      { _id: 'a%0Ab' },
      { _id: 'strasse' },
      { _id: '%E6%9D%B1' },
      { _id: '7' },
    ]);
    expect(read.docs.at(-1)).toEqual({ _id: ' ~' });
  });

  test('makes another field the id, or leaves ids to the database', async () => {
    const text = '[{"_id": "x", "code": 7, "name": "a"}]';
    const code = await checkOne('a.json', text, { idField: 'code' });
    expect([code.docs, code.problems]).toEqual([[{ _id: '7', name: 'a' }], []]);
    expect((await checkOne('a.json', text, { idField: null })).docs).toEqual([{ code: 7, name: 'a' }]);
    const csv = await checkOne('a.csv', 'code,name\n007,a\n', { idField: 'code' });
    expect(csv.docs).toEqual([{ _id: '007', name: 'a' }]);
  });

  test('finds documents with the same id, also in different files, and counts each fate', async () => {
    const check = await checkFiles([
      ['a.ndjson', '{"_id":"a","n":1}\n{"_id":"b"}\n{"_id":"a","n":2}\n'],
      ['b.ndjson', '{"_id":"a","n":3}\n{"_id":"c","n":-0}\n'],
    ]);
    const { files } = check;
    expect(files.map(({ kinds }) => kinds.map(({ kind, rows }) => [kind, rows]))).toEqual([
      [['twice', 1]],
      [
        ['twice', 1],
        ['zero', 1],
      ],
    ]);
    expect(files[0]?.kinds[0]?.found).toMatchObject([{ line: 3, text: 'a', why: 'Also in line 1.' }]);
    const counts = (choices = SUGGESTED) => countFates(check, choices);
    expect(countFates(check, SUGGESTED, 0)).toMatchObject({ added: 2, skipped: 1 });
    expect(countFates(check, SUGGESTED, 1)).toMatchObject({ added: 1, skipped: 1 });
    expect(counts()).toEqual({ added: 3, replaced: 0, kept: 0, skipped: 2 });
    expect(counts({ ...SUGGESTED, twice: 'last' })).toMatchObject({ added: 3, skipped: 2 });
    expect(counts({ ...SUGGESTED, twice: 'new' })).toMatchObject({ added: 5, skipped: 0 });
    expect(counts(SKIPPED)).toMatchObject({ added: 2, skipped: 3 });
    expect(counts(FIXED)).toMatchObject({ added: 3, skipped: 2 });
  });
});

describe('CSV', () => {
  test.each([
    ['a.csv', 'name;year\r\nZoë;1999\r\n', { delimiter: ';', newline: '\r\n' }],
    ['a.csv', '\uFEFFname,year\nZoë,1999\n', { delimiter: ',', newline: '\n' }],
    ['a.tsv', 'name\tyear\nZoë\t1999', { delimiter: '\t' }],
    ['a.txt', 'name|year\rZoë|1999\r', { delimiter: '|', newline: '\r' }],
    ['Pasted text', '"name","year"\n"Zoë","1999"\n', { delimiter: ',' }],
    [
      'a.csv',
      new Uint8Array(Buffer.from('name;year\nZo\xeb;1999\n', 'latin1')),
      { encoding: 'windows-1252' },
    ],
    [
      'a.csv',
      new Uint8Array(Buffer.from('\uFEFFname\tyear\r\nZoë\t1999\r\n', 'utf16le')),
      { encoding: 'utf-16le' },
    ],
  ])('detects how %s %j is written', async (name, content, expected) => {
    const { facts, docs, problems } = await checkOne(name, content);
    expect(facts).toMatchObject({ kind: 'csv', hasHeader: true, fields: ['name', 'year'], ...expected });
    expect([docs, problems]).toEqual([[{ name: 'Zoë', year: 1999 }], []]);
  });

  test('infers one type for each whole column', async () => {
    const { facts, docs } = await checkOne(
      'a.csv',
      'n,zip,flag,day,mixed,empty,list\n1,01234,true,2026-11-01,7,,"[1,{""a"":2}]"\n-2.5e3,1,FALSE,2026-11-02,x,,[]\n,,,,,,\n',
    );
    expect(facts).toMatchObject({ types: ['number', 'text', 'boolean', 'date', 'text', 'text', 'json'] });
    expect(docs).toEqual([
      { n: 1, zip: '01234', flag: true, day: '2026-11-01', mixed: '7', list: [1, { a: 2 }] },
      { n: -2500, zip: '1', flag: false, day: '2026-11-02', mixed: 'x', list: [] },
    ]);
  });

  test('reads a column as the type that people choose, and lists cells that don’t match', async () => {
    const types = new Map([['n', 'number' as const]]);
    const { docs, problems } = await checkOne('a.csv', 'n,t\n1,a\nnone,b\n', { types });
    expect(docs).toEqual([
      { n: 1, t: 'a' },
      { n: 'none', t: 'b' },
    ]);
    expect(problems).toMatchObject([{ kind: 'cell', line: 3, path: ['n'], text: 'none' }]);
    const text = await checkOne('a.csv', 'n\n1\n', { types: new Map([['n', 'text' as const]]) });
    expect(text.docs).toEqual([{ n: '1' }]);
  });

  test('keeps a column of numbers with few texts, and lists these texts', async () => {
    const numbers = Array.from({ length: 20_000 }, (_, at) => String(at));
    numbers[7] = 'n/a';
    numbers[19_000] = '?';
    const { facts, problems } = await checkOne('a.csv', `n,t\n${numbers.map((n) => `${n},x`).join('\n')}\n`);
    expect(facts).toMatchObject({ types: ['number', 'text'] });
    expect(problems.map(({ kind, line, text }) => [kind, line, text])).toEqual([
      ['cell', 9, 'n/a'],
      ['cell', 19_002, '?'],
    ]);
  });

  test('lists problems with their line and field, after quoted line ends, too', async () => {
    const { docs, problems } = await checkOne(
      'a.csv',
      'id,note,tax\n1,"two\nlines",12345678901234567890\n2,b,-0\n3,c\n4,d,5,6,7\n5,"{""a"": 1}",6\n',
    );
    expect(problems.map(({ kind, line, path }) => [kind, line, path?.join('.')])).toEqual([
      ['long', 2, 'tax'],
      ['zero', 4, 'tax'],
      ['columns', 5, undefined],
      ['columns', 6, undefined],
      ['json', 7, 'note'],
    ]);
    expect(docs).toEqual([
      { id: 1, note: 'two\nlines', tax: '12345678901234567890' },
      { id: 2, note: 'b', tax: 0 },
      { id: 3, note: 'c' },
      { id: 4, note: 'd', tax: 5, column4: '6', column5: '7' },
      { id: 5, note: { a: 1 }, tax: 6 },
    ]);
  });

  test('reads a TSV without header and with plain quotes, as GeoNames has', async () => {
    const { facts, docs, problems } = await checkOne(
      'AD.txt',
      '3038814\t"Costa; de, Xurius\t42.5\t"El Pla\n3038815\tFont "de" la Xona\t42.55\t\n',
    );
    expect(facts).toMatchObject({ delimiter: '\t', hasHeader: false, hasQuotes: false });
    expect(docs).toEqual([
      { column1: 3038814, column2: '"Costa; de, Xurius', column3: 42.5, column4: '"El Pla' },
      { column1: 3038815, column2: 'Font "de" la Xona', column3: 42.55 },
    ]);
    expect(problems).toEqual([]);
  });

  test('names columns without a name, and columns with the same name', async () => {
    const { docs } = await checkOne('a.csv', 'a,,a\n1,2,3\n', { hasHeader: true });
    expect(docs).toEqual([{ a: 1, column2: 2, a_2: 3 }]);
  });

  test('ignores delimiters behind the last cell, and lines without content', async () => {
    const { docs, problems } = await checkOne('a.csv', 'a;b\n1;2;\n;;\n3;4;;\n');
    expect([docs, problems]).toEqual([
      [
        { a: 1, b: 2 },
        { a: 3, b: 4 },
      ],
      [],
    ]);
  });

  test('lists a quote without its partner', async () => {
    const { problems } = await checkOne('a.csv', 'a,b\n1,"open\n2,3\n');
    expect(problems).toMatchObject([{ kind: 'quote', line: 2 }]);
  });
});

test('keeps the first rows, some rows of each problem and the last rows for the preview', async () => {
  const rows = Array.from({ length: 2000 }, (_, n) => `{"_id":"r${n}","n":${n % 100 === 50 ? '-0' : n}}\n`);
  const { preview, rows: count, kinds } = await checkOne('a.ndjson', rows.join(''));
  expect(count).toBe(2000);
  expect(preview.map(({ line }) => line)).toEqual([1, 2, 3, 4, 5, 6, 51, 52, 151, 152, 251, 252, 1999, 2000]);
  expect(kinds).toMatchObject([{ kind: 'zero', rows: 20 }]);
});

test('orders the preview by line if one of the last rows has a problem', async () => {
  const rows = Array.from({ length: 40 }, (_, n) => `{"_id":"r${n}","n":${n === 39 ? '-0' : n}}\n`);
  const { preview } = await checkOne('a.ndjson', rows.join(''));
  const lines = preview.map(({ line }) => line);
  expect(lines.slice(-2)).toEqual([39, 40]);
});
