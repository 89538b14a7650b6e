import { Braces, Brackets, Calendar, CircleDot, Hash, Link2, ToggleLeft, Type } from 'lucide-react';
import type { ColumnKind } from './column-sample.ts';

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
