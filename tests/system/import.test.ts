/**
 * Imports files of each form in the console, and compares what is stored with what the files
 * contain, document by document.
 */
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { budget } from '../../packages/engine/tests/budget.fixture.ts';
import { faultsOf, LOOKS, makeDatabase, openImport, wear, withConsole } from './local.fixture.ts';
import { savedText, type Visitor } from './product.fixture.ts';

let url: string;
let ada: Visitor;
let page: Page;

withConsole(async (opened) => {
  ({ url, ada } = opened);
  page = ada.page;
});

type Doc = Readonly<Record<string, unknown>>;

interface NamedFile {
  readonly name: string;
  readonly mimeType: string;
  readonly buffer: Buffer;
}

const fileOf = (name: string, content: string | Buffer): NamedFile => ({
  name,
  mimeType: 'text/plain',
  buffer: typeof content === 'string' ? Buffer.from(content) : content,
});

async function openNew(name: string): Promise<void> {
  await makeDatabase(page, url, name, []);
  await openImport(page);
}

const choose = (file: NamedFile | readonly NamedFile[]) =>
  page.getByLabel('Choose files to import').setInputFiles(Array.isArray(file) ? file : [file as NamedFile]);

const countText = (documents: number) =>
  `${documents.toLocaleString('en')} ${documents === 1 ? 'document' : 'documents'}`;

const undoBar = () => page.getByRole('region', { name: 'Undo' });

async function confirmImport(documents: number): Promise<void> {
  await page.getByRole('button', { name: `Import ${countText(documents)}`, exact: true }).click();
  await page.getByRole('dialog', { name: 'Import documents' }).waitFor({ state: 'hidden' });
  await undoBar()
    .getByText(`Imported ${countText(documents)}.`, { exact: true })
    .waitFor({ state: 'visible' });
}

/** Returns all documents of the page's database, in the order of their ids. */
async function stored(): Promise<Doc[]> {
  const text = await savedText(page, async () => {
    await page.getByRole('button', { name: 'More table actions' }).click();
    await page
      .getByRole('menuitem', { name: /NDJSON/ })
      .first()
      .click();
  });
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Doc);
}

const withoutIds = (docs: readonly Doc[]) => docs.map(({ _id, ...fields }) => fields);

/** Like the languages of iso-codes: an object whose only list contains the rows. */
const LANGUAGES = Array.from({ length: 7910 }, (_, n) => ({
  alpha_3: `a${n.toString(36).padStart(3, '0')}`,
  name: `Language ${n} of Köln`,
  scope: n % 50 === 0 ? 'M' : 'I',
  type: 'L',
  ...(n % 7 === 0 && { alpha_2: `${n % 10}x` }),
}));

/** Like GeoNames: no header, 19 columns, quotes that quote nothing, many empty cells. */
const PLACES = Array.from({ length: 3000 }, (_, n) => [
  `${3_038_832 + n}`,
  n % 100 === 0 ? `"Pic ${n}` : `Vila, ${n}`,
  '',
  `Vila ${n};V${n}`,
  `${(42 + n / 10_000).toFixed(5)}`,
  '1.5',
  'P',
  'PPL',
  'AD',
  '',
  `0${n % 9}`,
  '',
  '',
  '',
  '1418',
  '',
  '1318',
  'Europe/Andorra',
  '2025-11-03',
]);

const placeDoc = (cells: readonly string[]): Doc =>
  Object.fromEntries(
    cells.flatMap((cell, at): [string, unknown][] => {
      const isNumber = [0, 4, 5, 14, 16].includes(at);
      return cell === '' ? [] : [[`column${at + 1}`, isNumber ? Number(cell) : cell]];
    }),
  );

describe('files of each form', () => {
  test('imports the only list of an object as rows', async () => {
    await openNew('languages');
    await choose(fileOf('iso_639-3.json', JSON.stringify({ '639-3': LANGUAGES }, undefined, 2)));
    await page.getByText('7,910 rows in "639-3"').waitFor({ state: 'visible' });
    await page.getByLabel('Document id').selectOption({ label: 'alpha_3' });
    await ada.shot('import-languages');
    await confirmImport(LANGUAGES.length);
    const expected = LANGUAGES.map(({ alpha_3, ...fields }) => ({ _id: alpha_3, ...fields }));
    expect(await stored()).toEqual(expected.sort((a, b) => (a._id < b._id ? -1 : 1)));
  });

  test('imports a TSV without a header, in its order', async () => {
    await openNew('places');
    await choose(fileOf('AD.txt', PLACES.map((cells) => `${cells.join('\t')}\n`).join('')));
    await page.getByText('Tab, UTF-8, no header').waitFor({ state: 'visible' });
    await confirmImport(PLACES.length);
    expect(withoutIds(await stored())).toEqual(PLACES.map(placeDoc));
  });

  test('imports the lock file of this repository as one document', async () => {
    await openNew('locked');
    const text = readFileSync('package-lock.json', 'utf8');
    await choose(fileOf('package-lock.json', text));
    await confirmImport(1);
    expect(withoutIds(await stored())).toEqual([JSON.parse(text)]);
  });

  test('imports a CSV with semicolons, a byte-order mark, quotes and Windows line ends', async () => {
    await openNew('orders');
    const text =
      '\uFEFForder;zip;paid;total;note\r\n1;01234;true;9.5;"two\r\nlines; ""quoted"""\r\n2;99999;false;12;\r\n';
    await choose(fileOf('orders.csv', text));
    await page.getByText('Semicolon, UTF-8, header in line 1').waitFor({ state: 'visible' });
    await page.getByLabel('Type of order').selectOption('text');
    await confirmImport(2);
    expect(withoutIds(await stored())).toEqual([
      { order: '1', zip: '01234', paid: true, total: 9.5, note: 'two\r\nlines; "quoted"' },
      { order: '2', zip: '99999', paid: false, total: 12 },
    ]);
  });

  const LINES = budget({ commit: 20_000, night: 200_000, release: 200_000 });

  test(`imports ${LINES.toLocaleString('en')} lines of NDJSON, and draws its progress while it does`, async () => {
    await openNew('events');
    const docs = Array.from({ length: LINES }, (_, n) => ({
      _id: `e-${String(n).padStart(6, '0')}`,
      n,
      kind: 'click',
    }));
    // Between two changes of the progress, the page had a turn, in which it also handles input.
    await page.evaluate(() => {
      const drawn = new Set<string>();
      Object.assign(window, { drawn });
      const look = () => drawn.add(document.querySelector('progress')?.getAttribute('value') ?? '');
      const what = { subtree: true, childList: true, attributes: true, attributeFilter: ['value'] };
      new MutationObserver(look).observe(document.body, what);
    });
    await choose(fileOf('events.ndjson', docs.map((doc) => `${JSON.stringify(doc)}\n`).join('')));
    await confirmImport(LINES);
    const drawn = await page.evaluate(() => [...(window as unknown as { drawn: Set<string> }).drawn]);
    // Reading the whole file, or writing all documents at once, would draw only the first value.
    expect(drawn.length).toBeGreaterThan(5);
    expect(await stored()).toEqual(docs);
  });

  test('stops an import at any time, says what was written, and undoes it', async () => {
    await openNew('stopped');
    const lines = Array.from({ length: LINES }, (_, n) => `{"n":${n},"text":"${'x'.repeat(200)}"}\n`);
    await choose(fileOf('events.ndjson', lines.join('')));
    await page.getByRole('button', { name: `Import ${countText(LINES)}` }).click();
    const bar = page.getByRole('progressbar', { name: 'Importing' });
    await expect.poll(() => bar.getAttribute('value')).not.toBe('0');
    await page.getByRole('button', { name: 'Cancel' }).click();
    const message = undoBar().getByText(/^Imported [\d,]+ of [\d,]+ documents\.$/);
    await message.waitFor({ state: 'visible' });
    const text = (await message.innerText()).replace('.', '');
    const [, written = ''] = /^Imported ([\d,]+)/.exec(text) ?? [];
    const docs = await stored();
    expect(docs.length).toBe(Number(written.replaceAll(',', '')));
    expect(docs.map(({ n }) => n)).toEqual(docs.map((_, n) => n));
    await undoBar().getByRole('button', { name: 'Undo' }).click();
    await undoBar().getByText(`Undid “${text}”.`).waitFor({ state: 'visible' });
    await page.getByText('No documents found.').waitFor({ state: 'visible' });
    await undoBar().getByRole('button', { name: 'Redo' }).click();
    await undoBar().getByText(`Redid “${text}”.`).waitFor({ state: 'visible' });
    expect(await stored()).toEqual(docs);
  });
});

describe('problems', () => {
  const PROBLEMS = [
    '{"_id":"Zürich","n":1}',
    '{"_id":"b","n":-0,"big":12345678901234567890}',
    '{"_id":"b","n":3}',
    '{"_id":"c","n":}',
    '{"_id":"d","n":4}',
  ].join('\n');

  test('lists problems with their lines, and stores the chosen fixes', async () => {
    await openNew('problems');
    await choose(fileOf('problems.ndjson', PROBLEMS));
    const problems = page.getByRole('region', { name: 'Problems' });
    await problems.getByRole('heading', { name: '5 problems in 4 rows' }).waitFor({ state: 'visible' });
    await problems.getByText('Line 4, column 16').waitFor({ state: 'visible' });
    await page.keyboard.press('n');
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.hasAttribute('data-problem')))
      .toBe(true);
    await problems.getByLabel('Keep last').check();
    await confirmImport(3);
    expect(await stored()).toEqual([
      { _id: 'Zurich', n: 1 },
      { _id: 'b', n: 3 },
      { _id: 'd', n: 4 },
    ]);
  });

  test('skips all rows with problems with one button, and undoes the import', async () => {
    await openImport(page);
    await choose(fileOf('problems.ndjson', `${PROBLEMS}\n{"_id":"new"}`));
    await page.getByRole('button', { name: 'Skip these' }).click();
    await page.getByLabel('Replace', { exact: true }).check();
    await confirmImport(3);
    await page.getByText('4 documents', { exact: true }).waitFor({ state: 'visible' });
    await page.keyboard.press('ControlOrMeta+z');
    await undoBar().getByText('Undid “Imported 3 documents”.').waitFor({ state: 'visible' });
    expect(await stored()).toEqual([
      { _id: 'Zurich', n: 1 },
      { _id: 'b', n: 3 },
      { _id: 'd', n: 4 },
    ]);
  });

  test('previews files that are dropped on the table', async () => {
    await page.evaluate(() => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(['{"_id":"dropped"}'], 'dropped.json'));
      const target = document.querySelector('main') ?? document.body;
      for (const type of ['dragenter', 'dragover', 'drop'])
        target.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
    });
    await page.getByRole('button', { name: 'Import 1 document' }).waitFor({ state: 'visible' });
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
  });

  test.each(LOOKS)('fits at $width px in the $theme theme', async (worn) => {
    await wear(page, worn);
    await page.goto(`${url}/fp/databases/problems`);
    await openImport(page);
    const shown = `import-${worn.width}-${worn.theme}`;
    await ada.shot(`${shown}-empty`);
    const faults = await faultsOf(page);
    await choose([
      fileOf('problems.ndjson', PROBLEMS),
      fileOf('orders.csv', 'order;when;total\n1;2026-11-01;9.5\n2;2026-11-02;-0\n'),
    ]);
    await page.getByRole('heading', { name: '5 problems in 4 rows' }).waitFor({ state: 'visible' });
    const rows = await page.getByRole('group', { name: 'First rows' }).boundingBox();
    expect(rows?.height).toBeGreaterThan(150);
    await ada.shot(shown);
    faults.push(...(await faultsOf(page)));
    await page.getByRole('button', { name: /^orders\.csv/ }).click();
    await page.getByRole('button', { name: 'Change' }).click();
    await ada.shot(`${shown}-csv`);
    faults.push(...(await faultsOf(page)));
    await page.keyboard.press('Escape');
    expect(faults).toEqual([]);
  });

  test('reports no hidden problems', () => {
    expect(ada.problems).toEqual([]);
  });
});
