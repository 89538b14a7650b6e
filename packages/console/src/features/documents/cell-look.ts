/** How a cell of the table of documents looks: short text of a value, by its kind. */
import type { Cell } from 'fixpoint/rows';
import { cellText, textOfPreview } from '../../values/cell-text.ts';
import { shownId } from '../../values/shown-id.ts';
import type { CellLook } from '../grid/grid-column.ts';

const FILE_FIELDS: ReadonlySet<string> = new Set(['_files', '_publicFiles']);
/** The names at the first level of a JSON object, as long as it goes. */
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

/** Attachments are told by their names. */
export function textOfCell(field: string, cell: Cell | undefined): string {
  if (cell === undefined) return '';
  if (FILE_FIELDS.has(field) && cell.kind === 'object') return fileNames(cell);
  return textOfPreview(cell);
}

/** The same for a value that is here whole. */
export function textOfValue(field: string, value: unknown): string {
  if (field === '_id' && typeof value === 'string') return shownId(value);
  const isFiles = FILE_FIELDS.has(field) && typeof value === 'object' && value !== null;
  return isFiles ? Object.keys(value).join(', ') : cellText(value);
}

function fileNames({ text, cut }: Cell): string {
  const names = [...text.matchAll(NAME_AT_TOP)].map(([, name = '']) => name);
  return `${names.join(', ')}${cut ? ' …' : ''}`;
}
