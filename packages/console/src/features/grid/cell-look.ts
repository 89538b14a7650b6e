/** Returns the look and the text of a cell in a table of documents, by the kind of its value. */
import type { Cell } from 'fixpoint/rows';
import { textOfPreview } from '../../values/cell-text.ts';
import type { CellLook } from './grid-column.ts';
import { nestedText } from './nested-text.ts';

const FILE_FIELDS: ReadonlySet<string> = new Set(['_files', '_publicFiles']);
/** Matches names at the first level of a JSON object, which may be cut off. */
const NAME_AT_TOP = /"((?:[^"\\]|\\.)*)": \{/g;

const LARGE = /^(-?)(\d{5,})(\.\d+)?$/;
const ANY = /^(-?)(\d+)(\.\d+)?$/;

export function lookOf(cell: Cell | undefined): CellLook {
  switch (cell?.kind) {
    case 'number':
      return 'number';
    case 'null':
    case 'bytes':
    case 'link':
    case 'list':
    case 'object':
      return 'muted';
    default:
      return 'plain';
  }
}

/**
 * Returns the text of a cell: for attached files, their names.
 * @param groupsAll whether the digits of small numbers are grouped too, for columns with large ones
 */
export function textOfCell(field: string, cell: Cell | undefined, groupsAll = false): string {
  if (cell === undefined) return '';
  if (FILE_FIELDS.has(field) && cell.kind === 'object') return fileNames(cell);
  if (cell.kind === 'list' || cell.kind === 'object') return nestedText(cell);
  return cell.kind === 'number' ? grouped(textOfPreview(cell), groupsAll ? ANY : LARGE) : textOfPreview(cell);
}

/** Groups the digits by thousands. With `LARGE`, years stay as they are. */
function grouped(text: string, which: RegExp): string {
  const [, sign = '', digits, rest = ''] = which.exec(text) ?? [];
  return digits === undefined ? text : sign + digits.replace(/\B(?=(?:\d{3})+$)/g, ',') + rest;
}

function fileNames({ text, cut }: Cell): string {
  const names = [...text.matchAll(NAME_AT_TOP)].map(([, name]) => String(JSON.parse(`"${name}"`)));
  return `${names.join(', ')}${cut ? ' …' : ''}`;
}
