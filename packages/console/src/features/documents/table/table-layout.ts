/** Stores how a user arranged a table's columns: in this browser, per database. */

export interface TableLayout {
  /** Moved fields, in order; other fields follow. */
  readonly order: readonly string[];
  readonly hidden: readonly string[];
  readonly pinned: readonly string[];
  /**
   * Widths in pixels, by field. This is a Map, because a field can have any name, even one of
   * Object's properties.
   */
  readonly widths: ReadonlyMap<string, number>;
}

export const PLAIN_LAYOUT: TableLayout = { order: [], hidden: [], pinned: ['_id'], widths: new Map() };

/** Returns the visible fields in order, pinned ones first. */
export function arranged(fields: readonly string[], layout: TableLayout): readonly string[] {
  const hidden = new Set(layout.hidden);
  const pinned = new Set(layout.pinned);
  const ordered = inOrder(fields, layout.order).filter((field) => !hidden.has(field));
  return [...ordered.filter((field) => pinned.has(field)), ...ordered.filter((field) => !pinned.has(field))];
}

function inOrder(fields: readonly string[], order: readonly string[]): readonly string[] {
  if (order.length === 0) return fields;
  const places = new Map(order.map((field, at) => [field, at]));
  const moved = fields.filter((field) => places.has(field));
  moved.sort((a, b) => (places.get(a) ?? 0) - (places.get(b) ?? 0));
  return [...moved, ...fields.filter((field) => !places.has(field))];
}

export const withHidden = (layout: TableLayout, field: string, isHidden: boolean): TableLayout => ({
  ...layout,
  hidden: toggled(layout.hidden, field, isHidden),
});

export const withPinned = (layout: TableLayout, field: string, isPinned: boolean): TableLayout => ({
  ...layout,
  pinned: toggled(layout.pinned, field, isPinned),
});

export function withWidth(layout: TableLayout, field: string, widthPx: number | undefined): TableLayout {
  const widths = new Map(layout.widths);
  if (widthPx === undefined) widths.delete(field);
  else widths.set(field, widthPx);
  return { ...layout, widths };
}

/** Moves a column to the position of another one. Pinned columns stay before the others. */
export function withMoved(
  layout: TableLayout,
  fields: readonly string[],
  field: string,
  onto: string,
): TableLayout {
  const shown = inOrder(fields, layout.order);
  const [from, to] = [shown.indexOf(field), shown.indexOf(onto)];
  if (from < 0 || to < 0 || from === to) return layout;
  const order = shown.filter((one) => one !== field);
  order.splice(to, 0, field);
  return { ...layout, order };
}

/** Moves a column one position left or right among the visible ones. */
export function withStep(
  layout: TableLayout,
  fields: readonly string[],
  field: string,
  step: -1 | 1,
): TableLayout {
  const shown = arranged(fields, layout);
  const other = shown[shown.indexOf(field) + step];
  const isPinned = (one: string) => layout.pinned.includes(one);
  if (other === undefined || isPinned(other) !== isPinned(field)) return layout;
  return withMoved(layout, fields, field, other);
}

const toggled = (list: readonly string[], field: string, isIn: boolean): readonly string[] => {
  const others = list.filter((one) => one !== field);
  return isIn ? [...others, field] : others;
};

const keyOf = (database: string): string => `fixpoint:table:${database}`;

/**
 * Returns the stored layout; the default one when the browser stored nothing, or something invalid.
 */
export function readLayout(database: string): TableLayout {
  try {
    return parseLayout(JSON.parse(localStorage.getItem(keyOf(database)) ?? 'null'));
  } catch {
    return PLAIN_LAYOUT;
  }
}

export function writeLayout(database: string, layout: TableLayout): void {
  try {
    localStorage.setItem(keyOf(database), textOf(layout));
  } catch {
    // Without storage the layout lasts while the table is open.
  }
}

/** Returns the text that {@link parseLayout} reads. */
export const textOf = (layout: TableLayout): string =>
  JSON.stringify({ ...layout, widths: Object.fromEntries(layout.widths) });

/** Returns a short text of a layout for an address, which {@link layoutIn} reads. */
export function addressOfLayout({ order, hidden, pinned, widths }: TableLayout): string {
  const isPlain = JSON.stringify(pinned) === JSON.stringify(PLAIN_LAYOUT.pinned);
  return JSON.stringify({
    ...(order.length > 0 && { order }),
    ...(hidden.length > 0 && { hidden }),
    ...(!isPlain && { pinned }),
    ...(widths.size > 0 && { widths: Object.fromEntries(widths) }),
  });
}

/** Returns the layout in an address; undefined for none. */
export function layoutIn(text: string | null): TableLayout | undefined {
  if (text === null) return undefined;
  try {
    return parseLayout(JSON.parse(text));
  } catch {
    return undefined;
  }
}

export function parseLayout(value: unknown): TableLayout {
  if (typeof value !== 'object' || value === null) return PLAIN_LAYOUT;
  const { order, hidden, pinned, widths } = value as Record<keyof TableLayout, unknown>;
  const texts = (list: unknown, otherwise: readonly string[]) =>
    Array.isArray(list) ? list.filter((one): one is string => typeof one === 'string') : otherwise;
  const known: [string, unknown][] = Object.entries(
    typeof widths === 'object' && widths !== null ? widths : {},
  );
  return {
    order: texts(order, []),
    hidden: texts(hidden, []),
    pinned: texts(pinned, PLAIN_LAYOUT.pinned),
    widths: new Map(known.filter((one): one is [string, number] => typeof one[1] === 'number' && one[1] > 0)),
  };
}
