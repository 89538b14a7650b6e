/** Tells from the first rows of a table what a column contains. */
import type { Cell } from 'fixpoint/rows';
import { Braces, Brackets, Calendar, CircleDot, Hash, Link2, ToggleLeft, Type } from 'lucide-react';

/** The kind of all values of a column; text that is a date counts as a date. */
type ColumnKind = Cell['kind'] | 'date';

interface ColumnSample {
  /** Undefined for several kinds, and for no values. Values of null don't count. */
  readonly kind: ColumnKind | undefined;
  /** Whether the column has a number that is shown with grouped digits. */
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

const ICONS = {
  text: Type,
  number: Hash,
  boolean: ToggleLeft,
  date: Calendar,
  list: Brackets,
  object: Braces,
  link: Link2,
  bytes: CircleDot,
  null: CircleDot,
} as const;

/** Renders an icon for the kind of a column's values; nothing if they have several kinds. */
export function KindIcon({ kind }: { kind: ColumnKind | undefined }) {
  if (kind === undefined) return null;
  const Icon = ICONS[kind];
  return <Icon size={12} strokeWidth={2} aria-hidden className="shrink-0 text-ink-3" />;
}
