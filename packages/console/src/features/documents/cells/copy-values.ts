/** Copies blocks of cells and selected rows into the clipboard. */
import type { BridgedDatabase } from 'fixpoint/bridge';
import type { Cell } from 'fixpoint/rows';
import type { ShowToast } from '../../../ui/overlays/toaster.tsx';
import { failureText } from '../../../ui/text/failure-text.ts';
import type { CellBlock } from '../../grid/grid-column.ts';
import type { LiveRows, TableRow } from '../table/live-rows.ts';
import type { Selection } from '../table/use-selection.ts';
import { asJson, asMarkdown, asTsv, type CopyFormat, type Values } from './block-text.ts';
import { loadedValues, readValues } from './block-values.ts';
import { copyText, rememberCopied } from './copied.ts';

export interface CopyContext {
  readonly database: BridgedDatabase;
  readonly live: LiveRows;
  /** All shown columns, in order. */
  readonly columns: readonly string[];
  readonly selection: Selection;
  readonly cellOf: (row: TableRow, field: string) => Cell | undefined;
}

/** Copies a block, or the selected rows if the block is only the focused cell. */
export async function copyBlock(
  context: CopyContext,
  block: CellBlock,
  event: ClipboardEvent,
  toast: ShowToast,
): Promise<void> {
  const { live, selection, cellOf } = context;
  const isOne = block.fromAt === block.toAt && block.columns.length === 1;
  event.preventDefault();
  if (isOne && selection.count > 0) return copyRows(context, 'tsv', toast);
  const values = loadedValues(block, live, cellOf);
  if (values === undefined || event.clipboardData === null) return copyAs(context, block, 'tsv', toast);
  const text = asTsv(values);
  event.clipboardData.setData('text/plain', text);
  rememberCopied(text, values);
  toast(`Copied ${cellsText(values)}.`);
}

export async function copyAs(
  { live, database }: CopyContext,
  { fromAt, toAt, columns }: CellBlock,
  format: CopyFormat,
  toast: ShowToast,
): Promise<void> {
  const read = async () => readValues(database, await live.idsAt(fromAt, toAt - fromAt + 1), columns);
  await copyValues(read(), columns, format, toast);
}

/** Copies the selected rows with all shown columns. */
export async function copyRows(
  { database, columns, selection }: Pick<CopyContext, 'database' | 'columns' | 'selection'>,
  format: CopyFormat,
  toast: ShowToast,
): Promise<void> {
  const read = async () => {
    const ids: string[] = [];
    for await (const part of selection.chosen(new AbortController().signal))
      for (const id of part) ids.push(id);
    return readValues(database, ids, columns);
  };
  await copyValues(read(), columns, format, toast);
}

async function copyValues(
  reading: Promise<Values>,
  columns: readonly string[],
  format: CopyFormat,
  toast: ShowToast,
): Promise<void> {
  const textOf = async () => {
    const values = await reading;
    if (format === 'json') return asJson(columns, values);
    if (format === 'markdown') return asMarkdown(columns, values);
    const text = asTsv(values);
    rememberCopied(text, values);
    return text;
  };
  try {
    await copyText(textOf());
    toast(`Copied ${cellsText(await reading)}.`);
  } catch (error) {
    toast(`Couldn’t copy the cells: ${failureText(error)}`, { tone: 'error' });
  }
}

function cellsText(values: Values): string {
  const count = values.length * (values[0]?.length ?? 0);
  return count === 1 ? '1 cell' : `${count.toLocaleString('en')} cells`;
}
