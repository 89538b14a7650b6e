import { act, cleanup, fireEvent, render, screen, within } from '@testing-library/react';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { CheckedFile } from './check-import.ts';
import { FileDrop } from './file-drop.tsx';
import { FileTabs, ReadOptions } from './import-options.tsx';
import { checkFiles, type NamedFile } from './imported.fixture.ts';
import { PreviewTable } from './preview-table.tsx';
import { type Choices, SUGGESTED } from './problems.ts';
import { ProblemsPanel } from './problems-panel.tsx';
import type { Import } from './use-import.ts';

afterEach(cleanup);

async function importOf(files: readonly NamedFile[], more: Partial<Choices> = {}) {
  const choices = { ...SUGGESTED, ...more };
  const check = await checkFiles(files, { choices });
  const calls = { choose: vi.fn(), removeFile: vi.fn(), changeFile: vi.fn(), addFiles: vi.fn() };
  const planned = check.files.map(({ file, chosen }) => ({ file, chosen }));
  const now = { check, choices, planned, ...calls } as unknown as Import;
  const shown = check.files[0] as CheckedFile;
  return { now, shown, choices, ...calls };
}

const text = (element: Element | null | undefined) => element?.textContent ?? '';

describe('the options of a file', () => {
  const change = vi.fn();
  const drawn = async (...file: NamedFile) => {
    change.mockClear();
    render(<ReadOptions shown={(await importOf([file])).shown} change={change} />);
  };
  const choose = (label: string, value: string) =>
    act(() => void fireEvent.change(screen.getByLabelText(label), { target: { value } }));

  test('shows how a CSV file was read, and changes it', async () => {
    await drawn('a.csv', 'name;year\nx;1\n');
    expect(screen.getByText('Semicolon, UTF-8, header in line 1')).toBeDefined();
    expect(screen.queryByLabelText('Delimiter')).toBe(null);
    act(() => screen.getByRole('button', { name: 'Change' }).click());
    choose('Delimiter', '\t');
    choose('Encoding', 'windows-1252');
    act(() => screen.getByLabelText('First line has the field names').click());
    act(() => screen.getByLabelText('Quotes around cells').click());
    expect(change.mock.calls).toEqual([
      [{ delimiter: '\t' }],
      [{ encoding: 'windows-1252' }],
      [{ hasHeader: false }],
      [{ hasQuotes: false }],
    ]);
  });

  test('offers each field as the id', async () => {
    await drawn('a.json', '[{"code": 1, "name": "x"}, {"_id": "a", "new": 1}]');
    const select = screen.getByLabelText<HTMLSelectElement>('Document id');
    expect([...select.options].map(text)).toEqual(['_id, or a new id', 'code', 'name', 'new', 'New ids']);
    choose('Document id', '"new"');
    choose('Document id', 'new');
    expect(change.mock.calls).toEqual([[{ idField: 'new' }], [{ idField: null }]]);
  });

  test('shows the field that is the id', async () => {
    await drawn('a.json', '[{"code": 1}]', { idField: 'code' });
    const select = screen.getByLabelText<HTMLSelectElement>('Document id');
    expect(select.selectedOptions[0]?.textContent).toBe('code');
    expect(screen.queryByLabelText('Rows')).toBe(null);
  });

  test('offers all lists of an object as rows', async () => {
    await drawn('a.json', '{"a": [{}], "b": [{}, {}]}');
    const select = screen.getByLabelText<HTMLSelectElement>('Rows');
    expect([...select.options].map(text)).toEqual([
      '1 item of "a"',
      '2 items of "b"',
      'The whole file as one document',
    ]);
    choose('Rows', '"b"');
    choose('Rows', 'whole');
    expect(change.mock.calls).toEqual([[{ itemsIn: { field: 'b' } }], [{ itemsIn: 'whole' }]]);
  });

  test('offers the objects in an object as rows, and shows which are chosen', async () => {
    await drawn('a.json', '{"a": {"x": {}, "y": {}}}', { itemsIn: { field: 'a', isMap: true } });
    const select = screen.getByLabelText<HTMLSelectElement>('Rows');
    expect(select.selectedOptions[0]?.textContent).toBe('2 items of "a", with its names as ids');
    choose('Rows', 'whole');
    choose('Rows', '["a"]');
    expect(change.mock.calls[1]).toEqual([{ itemsIn: { field: 'a', isMap: true } }]);
  });
});

describe('the files', () => {
  test('shows how many of their rows become documents', async () => {
    const { now, removeFile } = await importOf(
      [
        ['a.ndjson', '{"n":-0}\n{}\n'],
        ['b.json', '{"rows": [{}]}'],
      ],
      { zero: 'skip' },
    );
    const onChoose = vi.fn();
    render(<FileTabs now={now} at={0} onChoose={onChoose} />);
    const [first, second] = screen.getAllByRole('listitem');
    expect([text(first), text(second)]).toEqual(['a.ndjson1 of 2 rows, 12 B', 'b.json1 row in "rows", 14 B']);
    expect(first?.querySelector('[aria-current="true"]')).not.toBe(null);
    act(() => screen.getByRole('button', { name: /^b\.json/ }).click());
    act(() => screen.getByRole('button', { name: 'Remove a.ndjson' }).click());
    expect([onChoose.mock.calls, removeFile.mock.calls]).toEqual([[[1]], [[0]]]);
  });
});

describe('the preview', () => {
  const drawn = async (file: NamedFile, more: Partial<Choices> = {}) => {
    const { shown, choices } = await importOf([file], more);
    const change = vi.fn();
    render(<PreviewTable {...{ shown, choices, change }} />);
    const rows = screen.getAllByRole('row').slice(1);
    return { change, rows: rows.map((row) => [...row.children].map(text)) };
  };
  const headings = () => screen.getAllByRole('columnheader').map(text);

  test('shows the fields of JSON documents with their types, the id first', async () => {
    const { rows } = await drawn([
      'a.json',
      '[{"n": 1, "_id": "a"}, {"n": "x", "day": "2026-11-01", "l": []}]',
    ]);
    expect(headings()).toEqual(['line', '_iddocument id', 'nnumber or text', 'daydate', 'llist']);
    expect(rows).toEqual([
      ['1', 'a', '1', '', ''],
      ['1', '', 'x', '2026-11-01', '[]'],
    ]);
  });

  test('shows a value and its fix, or that a row is skipped', async () => {
    const file: NamedFile = ['a.ndjson', '{"_id":"Ä","n":-0}\n{"_id":"b","n":-0}\noops\n'];
    const { rows } = await drawn(file);
    expect(rows).toEqual([
      ['1', 'ÄA', '-00'],
      ['2', 'b', '-00'],
      ['skipped 3', 'oops This word is unknown. Texts need quotes.'],
    ]);
    const titles = [...document.querySelectorAll<HTMLElement>('[data-problem]')].map(({ title }) => title);
    expect(titles).toEqual(['Id is not valid', 'Negative zero', 'Negative zero', 'Not valid JSON']);
    cleanup();
    const skipped = await drawn(file, { zero: 'skip' });
    expect(skipped.rows.map(([line]) => line)).toEqual(['skipped 1', 'skipped 2', 'skipped 3']);
    cleanup();
    expect((await drawn(file, { id: 'new', zero: 'text' })).rows[0]).toEqual(['1', 'Änew id', '-0']);
    cleanup();
    const long: NamedFile = ['a.ndjson', '{"n":12345678901234567890,"o":{"p":-0}}\n'];
    expect((await drawn(long)).rows[0]).toEqual(['1', '12345678901234567890', '{"p": 0}']);
    cleanup();
    expect((await drawn(long, { zero: 'skip' })).rows[0]).toEqual([
      'skipped 1',
      '12345678901234567890',
      '{"p": 0}',
    ]);
  });

  test('shows where rows are left out', async () => {
    const text = Array.from({ length: 40 }, (_, n) => `{"n":${n}}\n`).join('');
    const { rows } = await drawn(['a.ndjson', text]);
    expect(rows.map(([first]) => first)).toEqual(['1', '2', '3', '4', '5', '6', '39', '40']);
    expect(document.querySelectorAll('tr[aria-hidden]')).toHaveLength(1);
    expect(screen.getByText('Showing 8 of 40 rows.')).toBeDefined();
  });

  test('says that there are more columns than it shows', async () => {
    const doc = Object.fromEntries(Array.from({ length: 45 }, (_, n) => [`f${n}`, n]));
    await drawn(['a.json', JSON.stringify([doc])]);
    expect(headings()).toHaveLength(41);
    expect(screen.getByText('1 row. 5 more columns.')).toBeDefined();
  });

  test('changes the type of one column, and keeps those of others', async () => {
    const types = new Map([['a', 'text' as const]]);
    const { change } = await drawn(['a.csv', 'a,b\n1,2\n', { types }]);
    act(() => void fireEvent.change(screen.getByLabelText('Type of b'), { target: { value: 'json' } }));
    expect(change.mock.calls).toEqual([
      [
        {
          types: new Map([
            ['a', 'text'],
            ['b', 'json'],
          ]),
        },
      ],
    ]);
  });
});

describe('the list of problems', () => {
  test('shows an example, the number of rows and their lines', async () => {
    const lines = Array.from({ length: 30 }, (_, n) => `{"n":{"x":${n % 2 === 0 ? '-0' : '1'}}}\n`).join('');
    const { now, shown, choose } = await importOf([['a.ndjson', lines]]);
    render(<ProblemsPanel now={now} shown={shown} />);
    expect(screen.getByRole('heading').textContent).toBe('1 problem in 15 rows');
    const [item] = screen.getAllByRole('listitem');
    expect(text(item)).toMatch(/^Negative zero15 rows-0 in n\.x\. It would be stored as 0\.Use 0TextSkip/);
    expect(screen.getByText(/^Lines 1, column 11; 3, column 11; 5, column 11 and more$/)).toBeDefined();
    const group = screen.getByRole('group', { name: 'Negative zero' });
    expect(within(group).getByLabelText<HTMLInputElement>('Use 0').checked).toBe(true);
    act(() => within(group).getByLabelText('Skip').click());
    expect(choose.mock.calls).toEqual([[{ zero: 'skip' }]]);
  });

  test('says so if there are none', async () => {
    const { now, shown } = await importOf([['a.json', '[{}]']]);
    render(<ProblemsPanel now={now} shown={shown} />);
    expect(screen.getByText('No problems')).toBeDefined();
    expect(screen.queryByRole('button')).toBe(null);
  });

  test('keeps the choice for existing documents when all problems are skipped or fixed', async () => {
    const { now, shown, choose } = await importOf([['a.ndjson', '{"n":-0}']], { exists: 'replace' });
    render(<ProblemsPanel now={now} shown={shown} />);
    act(() => screen.getByRole('button', { name: 'Skip these' }).click());
    act(() => screen.getByRole('button', { name: 'Fix these' }).click());
    expect(choose.mock.calls.map(([choices]) => [choices.zero, choices.exists])).toEqual([
      ['skip', 'replace'],
      ['zero', 'replace'],
    ]);
  });
});

describe('dropped files', () => {
  const drag = (type: string, dataTransfer: object, relatedTarget: unknown = null) => {
    const event = new Event(type, { cancelable: true });
    Object.assign(event, { dataTransfer, relatedTarget });
    act(() => void window.dispatchEvent(event));
    return event.defaultPrevented;
  };
  const FILE = { types: ['Files'], files: [new File(['{}'], 'a.json')] };

  test('shows that files are over the page, and takes them when they are dropped', () => {
    const onFiles = vi.fn();
    render(<FileDrop onFiles={onFiles} />);
    expect(drag('dragenter', FILE)).toBe(true);
    expect(screen.getByText('Drop to preview')).toBeDefined();
    drag('dragleave', FILE, document.body);
    expect(screen.queryByText('Drop to preview')).not.toBe(null);
    drag('dragleave', FILE);
    expect(screen.queryByText('Drop to preview')).toBe(null);
    expect([drag('dragover', FILE), drag('drop', FILE)]).toEqual([true, true]);
    expect(onFiles.mock.calls).toEqual([[FILE.files]]);
    expect(screen.queryByText('Drop to preview')).toBe(null);
  });

  test('ignores dragged texts', () => {
    const onFiles = vi.fn();
    render(<FileDrop onFiles={onFiles} />);
    const dragged = { types: ['text/plain'], files: [] };
    expect([drag('dragover', dragged), drag('drop', dragged)]).toEqual([false, false]);
    expect([onFiles.mock.calls, screen.queryByText('Drop to preview')]).toEqual([[], null]);
  });
});
