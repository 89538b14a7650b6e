/** Tells from the first rows of a table what a column contains. */
import type { Cell } from 'fixpoint/rows';

/** The kind of all values of a column; text that is a date counts as a date. */
export type ColumnKind = Cell['kind'] | 'date';

export interface ColumnSample {
  /** Undefined if the values have several kinds, or if there are none. Values of null don't count. */
  readonly kind: ColumnKind | undefined;
  /** Whether some number has so many digits that they are shown in groups. */
  readonly hasLarge: boolean;
}

const DATE = /^\d{4}-\d\d-\d\d($|T\d\d:\d\d)/;
const LARGE = /^-?\d{5}/;

export function sampleOf(cells: readonly (Cell | undefined)[]): ColumnSample {
  const kinds = new Set<ColumnKind>();
  let hasLarge = false;
  for (const cell of cells) {
    if (cell === undefined || cell.kind === 'null') continue;
    kinds.add(kindOf(cell));
    if (cell.kind === 'number' && LARGE.test(cell.text)) hasLarge = true;
  }
  const [kind] = kinds;
  return { kind: kinds.size === 1 ? kind : undefined, hasLarge };
}

const kindOf = ({ kind, text }: Cell): ColumnKind => (kind === 'text' && DATE.test(text) ? 'date' : kind);
