/** Reads the values of blocks of cells, from the loaded rows or from the database. */
import type { Database } from 'fixpoint';
import type { Cell } from 'fixpoint/rows';
import { valueIn } from '../../../values/document-fields.ts';
import type { CellBlock } from '../../grid/grid-column.ts';
import type { LiveRows, TableRow } from '../table/live-rows.ts';
import type { Values } from './block-text.ts';

const BATCH = 500;

/** Returns the values if the table has loaded all of them completely; otherwise undefined. */
export function loadedValues(
  { fromAt, toAt, columns }: CellBlock,
  live: Pick<LiveRows, 'rowAt'>,
  cellOf: (row: TableRow, field: string) => Cell | undefined,
): Values | undefined {
  const values: unknown[][] = [];
  for (let at = fromAt; at <= toAt; at += 1) {
    const row = live.rowAt(at);
    if (row === undefined) return undefined;
    const line: unknown[] = [];
    for (const field of columns) {
      const cell = field === '_id' ? undefined : cellOf(row, field);
      if (field !== '_id' && !isWhole(cell, row.has(field))) return undefined;
      line.push(field === '_id' ? row.id : wholeValue(cell));
    }
    values.push(line);
  }
  return values;
}

function isWhole(cell: Cell | undefined, isRead: boolean): boolean {
  if (cell === undefined) return isRead;
  // A long integer has more digits than a number.
  if (cell.kind === 'number') return !cell.cut && String(Number(cell.text)) === cell.text;
  return !cell.cut && ['text', 'boolean', 'null'].includes(cell.kind);
}

function wholeValue(cell: Cell | undefined): unknown {
  switch (cell?.kind) {
    case 'number':
      return Number(cell.text);
    case 'boolean':
      return cell.text === 'true';
    case 'null':
      return null;
    default:
      return cell?.text;
  }
}

/** @throws FixpointError */
export async function readValues(
  database: Pick<Database, 'allDocs'>,
  ids: readonly string[],
  columns: readonly string[],
): Promise<Values> {
  const values: unknown[][] = [];
  for (let at = 0; at < ids.length; at += BATCH) {
    const keys = ids.slice(at, at + BATCH);
    const { rows } = await database.allDocs({ keys });
    const docs = new Map(rows.map(({ key, value }) => [key, value]));
    for (const id of keys) {
      const doc = docs.get(id);
      values.push(columns.map((field) => doc && valueIn(doc, field)));
    }
  }
  return values;
}
