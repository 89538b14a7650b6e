import { act, screen, within } from '@testing-library/react';
import type { Cell } from 'fixpoint/rows';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { freshDatabase } from '../../../local/fresh-database.fixture.ts';
import { drawPages, withPages } from '../../../ui/pages.fixture.tsx';
import { undoStackOf } from '../../../undo/undo-stack.ts';
import type { BlockActions, CellBlock } from '../../grid/grid-column.ts';
import { withConflict } from '../../history/conflicts/real-conflict.fixture.ts';
import type { LiveRows, TableRow } from '../table/live-rows.ts';
import type { Selection } from '../table/use-selection.ts';
import { rememberCopied } from './copied.ts';
import { type BlockContext, useBlockActions } from './use-block-actions.tsx';

withPages();
const copied: string[] = [];
const readText = vi.fn<() => Promise<string>>();
beforeEach(() => {
  copied.length = 0;
  rememberCopied('', []);
  vi.stubGlobal('ClipboardItem', undefined);
  readText.mockReset().mockResolvedValue('');
  const writeText = async (text: string) => void copied.push(text);
  vi.stubGlobal('navigator', { clipboard: { writeText, readText } });
});
afterEach(() => vi.unstubAllGlobals());

type Doc = Readonly<Record<string, unknown>> & { readonly _id: string };
const block = (fromAt: number, toAt: number, ...columns: string[]): CellBlock => ({ fromAt, toAt, columns });
const numbered = (count: number): Doc[] =>
  Array.from({ length: count }, (_, n) => ({ _id: `d${String(n).padStart(5, '0')}`, n }));

const cellFor = (value: unknown): Cell | undefined => {
  const kind = { string: 'text', number: 'number', boolean: 'boolean' }[typeof value as string];
  return kind === undefined ? undefined : ({ kind, text: String(value), cut: false } as Cell);
};

/** Renders the actions for a table of these documents, of which the rows are loaded. */
async function drawActions(docs: readonly Doc[], given: Partial<BlockContext> & { chosen?: string[] } = {}) {
  const database = given.database ?? (await freshDatabase(docs));
  const ids = docs.map(({ _id }) => _id);
  const { chosen = [], ...more } = given;
  const live = {
    rowAt: (at: number) => (ids[at] === undefined ? undefined : { id: ids[at], has: () => true }),
    idsAt: async (from: number, count: number) => ids.slice(from, from + count),
  } as unknown as LiveRows;
  const selection = {
    count: chosen.length,
    chosen: async function* () {
      yield chosen;
    },
  } as unknown as Selection;
  const byId = new Map(docs.map((doc) => [doc._id, doc]));
  const context: BlockContext = {
    database,
    live,
    columns: ['_id', 'n', 'name'],
    selection,
    cellOf: (row: TableRow, field: string) => cellFor(byId.get(row.id)?.[field]),
    canWrite: true,
    selectsByTap: false,
    ...more,
  };
  let actions: BlockActions | undefined;
  function Page() {
    const used = useBlockActions(context);
    actions = used.actions;
    return used.parts;
  }
  await drawPages([{ path: '/', Component: Page }], '/');
  const now = () => {
    if (actions === undefined) throw new Error('nothing was rendered');
    return actions;
  };
  const steps = () => undoStackOf('pantry').current().done;
  return {
    database,
    steps,
    now,
    paste: (of: CellBlock, text: string) => act(async () => now().paste?.(of, text)),
    fill: (of: CellBlock) => act(async () => now().fillDown?.(of)),
    select: (of: CellBlock | undefined, clear = () => undefined) =>
      act(async () => now().changed?.(of, clear)),
    recorded: (label: string) => expect.poll(() => steps().at(-1)?.label).toBe(label),
  };
}

const press = async (name: string) => {
  const button = await screen.findByRole('button', { name });
  await act(async () => button.click());
};

describe('the buttons for selected cells', () => {
  test('pastes the text of the clipboard', async () => {
    const { select, recorded, database } = await drawActions([{ _id: 'a', n: 1 }]);
    readText.mockResolvedValue('5');
    await select(block(0, 0, 'n'));
    await press('Paste');
    await recorded('Pasted 1 cell');
    expect(await database.get('a')).toMatchObject({ n: 5 });
  });

  test('says why nothing was pasted', async () => {
    const { select, steps } = await drawActions([{ _id: 'a', n: 1 }]);
    await select(block(0, 0, 'n'));
    await press('Paste');
    await screen.findByText('Nothing to paste: the clipboard contains no text.');
    readText.mockRejectedValue(new Error('denied'));
    await press('Paste');
    await screen.findByText('Couldn’t paste: the browser didn’t allow this page to read the clipboard.');
    expect(steps()).toEqual([]);
  });

  test('clears the block, and lets taps select cells when the user wants that', async () => {
    const clear = vi.fn();
    const { select, now } = await drawActions([{ _id: 'a', n: 1 }], { selectsByTap: true });
    expect(now().byTap).toBe(true);
    await select(block(0, 0, 'n'), clear);
    await press('Clear');
    expect(clear).toHaveBeenCalledTimes(1);
  });
});

describe('a paste', () => {
  test('writes few cells at once, with the types of their columns, and can be undone', async () => {
    const docs = [
      { _id: 'a', n: 1, name: '007' },
      { _id: 'b', n: 2, name: 'x' },
    ];
    const { paste, recorded, database, steps } = await drawActions(docs);
    await paste(block(0, 0, 'n'), '1,000\t008\n3\t9');
    await recorded('Pasted 4 cells');
    expect(await database.get('a')).toEqual({ _id: 'a', n: 1000, name: '008' });
    expect(await database.get('b')).toEqual({ _id: 'b', n: 3, name: '9' });
    expect((await steps()[0]?.undo('ask'))?.written).toBe(2);
    expect((await database.allDocs()).rows.map(({ value }) => value)).toEqual(docs);
  });

  test('says that nothing would change, and records no step', async () => {
    const { paste, steps } = await drawActions([{ _id: 'a', n: 1 }]);
    await paste(block(0, 0, 'n'), '1');
    await screen.findByText('The cells already have these values.');
    expect(steps()).toEqual([]);
  });

  test('asks before it creates documents, and writes nothing on Cancel', async () => {
    const { paste, database, steps, recorded } = await drawActions([{ _id: 'a', n: 1 }]);
    await paste(block(0, 0, 'n'), '5\n6\n7');
    const dialog = await screen.findByRole('dialog', { name: 'Paste cells' });
    expect(dialog.textContent).toContain(
      '1 cell in 1 document will change, and 2 documents will be created.',
    );
    await press('Cancel');
    expect([(await database.allDocs()).rows.length, steps()]).toEqual([1, []]);
    expect(screen.queryByRole('dialog')).toBeNull();
    await paste(block(0, 0, 'n'), '5\n6\n7');
    await press('Paste');
    await recorded('Pasted 1 cell, created 2 documents');
    const { rows } = await database.allDocs();
    expect(rows.map(({ value }) => value['n']).sort()).toEqual([5, 6, 7]);
    await expect.poll(() => screen.queryByRole('dialog')).toBeNull();
  });

  test('writes 200 cells at once, but asks before it writes 201', async () => {
    const { paste, recorded, steps } = await drawActions(numbered(201));
    const lines = (count: number) => Array.from({ length: count }, (_, n) => n + 1000).join('\n');
    await paste(block(0, 0, 'n'), lines(200));
    await recorded('Pasted 200 cells');
    await paste(block(0, 200, 'n'), '5');
    const dialog = await screen.findByRole('dialog');
    expect(within(dialog).getAllByRole('listitem')).toHaveLength(5);
    expect(within(dialog).getAllByRole('listitem')[0]?.textContent).toBe('n of d000001000 → becomes  5');
    expect(steps()).toHaveLength(1);
  });

  test('says how many cells it left out', async () => {
    const { paste, recorded } = await drawActions([{ _id: 'a', n: 1, name: 'x' }]);
    await paste(block(0, 0, '_id'), 'b\t2\ty\tmore');
    await recorded('Pasted 2 cells');
    await screen.findByText(/^Left out 2 cells beyond the last column/);
    await paste(block(0, 0, 'name'), 'y\tmore');
    await screen.findByText(/^The cells already have these values\. Left out 1 cell/);
  });

  test('refuses more than 10,000 rows, and names the import', async () => {
    const { paste, steps } = await drawActions([{ _id: 'a', n: 1 }]);
    await paste(block(0, 0, 'n'), 'x\n'.repeat(10_001));
    const message = await screen.findByText(/Couldn’t paste the cells/);
    expect(message.textContent).toContain('at most 10,000 rows. Import the data instead.');
    expect(steps()).toEqual([]);
  });

  test('says how many cells a failed paste wrote, and undoes them', async () => {
    const docs = numbered(600);
    const { paste, recorded, steps, database } = await drawActions(docs);
    const write = database.transact;
    const failing = vi.spyOn(database, 'transact');
    failing.mockImplementationOnce(write).mockRejectedValueOnce(new Error('the disk is full'));
    await paste(block(0, 599, 'n'), 'x');
    await press('Paste');
    await screen.findByText('Pasted 500 cells, but not the rest: the disk is full');
    await recorded('Pasted 500 cells');
    failing.mockRestore();
    await steps()[0]?.undo('ask');
    expect((await database.allDocs()).rows.map(({ value }) => value)).toEqual(docs);
  });

  test('says what a failed write means for the cells', async () => {
    const docs = [{ _id: 'a', n: 1 }];
    const { paste, database, steps } = await drawActions(docs);
    await database.close();
    await paste(block(0, 0, 'n'), '2');
    await screen.findByText(/Couldn’t paste the cells/);
    expect(steps()).toEqual([]);
  });
});

describe('filling down', () => {
  test('copies whole values of the first row, and removes fields that it doesn’t have', async () => {
    const docs = [
      { _id: 'a', name: { deep: [1] } },
      { _id: 'b', n: 2 },
      { _id: 'c', name: 'x' },
    ];
    const { fill, recorded, database } = await drawActions(docs);
    await fill(block(0, 2, '_id', 'n', 'name'));
    await recorded('Filled 3 cells');
    expect((await database.allDocs()).rows.map(({ value }) => value)).toEqual([
      { _id: 'a', name: { deep: [1] } },
      { _id: 'b', name: { deep: [1] } },
      { _id: 'c', name: { deep: [1] } },
    ]);
  });

  test('removes no fields if the document of the first row was deleted', async () => {
    const { fill, database, steps } = await drawActions(numbered(2));
    await database.del('d00000');
    await fill(block(0, 1, 'n'));
    const message = await screen.findByText(/Couldn’t fill the cells/);
    expect(message.textContent).toContain('somebody deleted the document of the first row.');
    expect([await database.get('d00001'), steps()]).toEqual([{ _id: 'd00001', n: 1 }, []]);
  });

  test('says what to do if part of the block is no longer loaded', async () => {
    const { now } = await drawActions(numbered(2));
    await act(async () => now().lost?.('fill'));
    const message = await screen.findByText(/Couldn’t fill the cells/);
    expect(message.textContent).toContain('Scroll to it, or select the cells again.');
  });

  test('refuses more than 10,000 rows before it reads any of them', async () => {
    const { fill } = await drawActions([{ _id: 'a', n: 1 }]);
    await fill(block(0, 10_000, 'n'));
    const message = await screen.findByText(/Couldn’t fill the cells/);
    expect(message.textContent).toContain('at most 10,000 rows. Edit the field instead.');
  });
});

describe('the bar of a block', () => {
  test('counts rows and columns, and copies in each format', async () => {
    const docs = [
      { _id: 'a', n: 1, name: 'x|y' },
      { _id: 'b', name: 'z' },
    ];
    const { select } = await drawActions(docs);
    await select(block(0, 1, 'n', 'name'));
    const bar = screen.getByRole('region', { name: 'Selected cells' });
    expect(within(bar).getByRole('status').textContent).toBe('2 rows × 2 columns');
    for (const format of ['TSV', 'JSON', 'Markdown']) {
      await press('Copy');
      const item = await screen.findByRole('menuitem', { name: `Copy as ${format}` });
      await act(async () => item.click());
      await expect.poll(() => copied.length).toBeGreaterThan(0);
    }
    await expect.poll(() => copied.length).toBe(3);
    expect(copied).toEqual([
      '1\tx|y\n\tz',
      JSON.stringify([{ n: 1, name: 'x|y' }, { name: 'z' }], undefined, 2),
      '| n | name |\n| --- | --- |\n| 1 | x\\|y |\n|  | z |',
    ]);
    await select(undefined);
    expect(screen.queryByRole('region', { name: 'Selected cells' })).toBeNull();
  });

  test('offers no fill for one row, and none to users who can’t write', async () => {
    const { select, now } = await drawActions(numbered(2), { canWrite: false });
    await select(block(0, 1, 'n'));
    expect(screen.queryByRole('button', { name: 'Fill down' })).toBeNull();
    expect([now().paste, now().fillDown]).toEqual([undefined, undefined]);
  });

  test('fills by its button, which is absent for one row', async () => {
    const { select, recorded } = await drawActions(numbered(2));
    await select(block(0, 0, 'n', 'name'));
    expect(screen.queryByRole('button', { name: 'Fill down' })).toBeNull();
    await select(block(0, 1, 'n'));
    await press('Fill down');
    await recorded('Filled 1 cell');
  });

  test('gives way to the bar of selected rows', async () => {
    const { select } = await drawActions(numbered(2), { chosen: ['d00000'] });
    await select(block(0, 1, 'n'));
    expect(screen.queryByRole('region', { name: 'Selected cells' })).toBeNull();
  });
});

describe('the key that copies', () => {
  /** Copies a block; returns what the event got, or else the clipboard. */
  async function copy(of: CellBlock, given: Parameters<typeof drawActions>[1] = {}) {
    const { now } = await drawActions(
      [
        { _id: 'a', n: 1, name: 'x' },
        { _id: 'b', n: 2 },
      ],
      given,
    );
    const set: string[] = [];
    const clipboardData = { setData: (_type: string, text: string) => void set.push(text) };
    const event = { clipboardData, preventDefault: () => undefined } as unknown as ClipboardEvent;
    await act(async () => now().copy(of, event));
    const message = await screen.findByText(/cells?\.$/);
    return { set, message: message.textContent };
  }

  test('hands loaded cells to the event at once', async () => {
    const { set, message } = await copy(block(0, 1, 'n', 'name'));
    expect([set, copied, message]).toEqual([['1\tx\n2\t'], [], 'Copied 4 cells.']);
  });

  test('reads cells that aren’t loaded completely', async () => {
    const cellOf = () => ({ kind: 'text', text: 'cut', cut: true }) as Cell;
    const { set, message } = await copy(block(0, 1, 'n'), { cellOf });
    expect([set, copied, message]).toEqual([[], ['1\n2'], 'Copied 2 cells.']);
  });

  test('copies the selected rows with all columns if only one cell has the focus', async () => {
    const { set } = await copy(block(0, 0, 'n'), { chosen: ['b'] });
    expect([set, copied]).toEqual([[], ['b\t2\t']]);
  });

  test('copies the block even if rows are selected', async () => {
    expect((await copy(block(0, 0, 'n', 'name'), { chosen: ['b'] })).set).toEqual(['1\tx']);
  });

  test('says why nothing was copied', async () => {
    const writeText = () => Promise.reject(new Error('the page has no permission'));
    vi.stubGlobal('navigator', { clipboard: { writeText } });
    const cellOf = () => ({ kind: 'object', text: '{', cut: true }) as Cell;
    const { now } = await drawActions([{ _id: 'a', n: 1 }], { cellOf });
    const event = { clipboardData: null, preventDefault: () => undefined } as unknown as ClipboardEvent;
    await act(async () => now().copy(block(0, 0, 'n'), event));
    const message = await screen.findByText(/Couldn’t copy the cells/);
    expect(message.textContent).toContain('the page has no permission');
  });
});

test.each(['paste', 'fill'] as const)(
  'leaves documents with a conflict out of a %s, and says how many',
  async (what) => {
    const { database, seen } = await withConflict([{ _id: 'butter', n: 9 }]);
    const docs = [{ _id: 'butter', n: 9 }, { _id: 'milk' }];
    const { paste, fill } = await drawActions(docs, { database });
    if (what === 'paste') await paste(block(0, 1, 'n'), '7\n8');
    else await fill(block(0, 1, 'n'));
    await screen.findByText('Left out 1 document with a conflict. Open it to merge the versions.');
    expect(await database.conflicts('milk')).toEqual(seen);
    expect(await database.get('butter')).toEqual({ _id: 'butter', n: what === 'paste' ? 7 : 9 });
  },
);
