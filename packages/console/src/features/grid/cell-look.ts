/** Returns the look and the text of a cell in a table of documents, by the kind of its value. */
import type { Cell } from 'fixpoint/rows';
import { textOfPreview } from '../../values/cell-text.ts';
import type { CellLook } from './grid-column.ts';

const FILE_FIELDS: ReadonlySet<string> = new Set(['_files', '_publicFiles']);
/** Matches names at the first level of a JSON object, which may be cut off. */
const NAME_AT_TOP = /"((?:[^"\\]|\\.)*)": \{/g;

export function lookOf(cell: Cell | undefined): CellLook {
  switch (cell?.kind) {
    case 'number':
    case 'boolean':
      return 'number';
    case 'null':
    case 'bytes':
    case 'link':
      return 'muted';
    case 'list':
    case 'object':
      return 'code';
    default:
      return 'plain';
  }
}

/** Returns the text of a cell: for attached files, their names. */
export function textOfCell(field: string, cell: Cell | undefined): string {
  if (cell === undefined) return '';
  if (FILE_FIELDS.has(field) && cell.kind === 'object') return fileNames(cell);
  return textOfPreview(cell);
}

function fileNames({ text, cut }: Cell): string {
  const names = [...text.matchAll(NAME_AT_TOP)].map(([, name]) => String(JSON.parse(`"${name}"`)));
  return `${names.join(', ')}${cut ? ' …' : ''}`;
}
