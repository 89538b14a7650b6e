/** How a user arranged the columns of a table: kept in this browser, database by database. */

export interface TableLayout {
  /** Fields that were moved, in their order; others come behind them. */
  readonly order: readonly string[];
  readonly hidden: readonly string[];
  readonly pinned: readonly string[];
  /** In pixels, by field. Fields have any name, so no plain object can be asked for them. */
  readonly widths: ReadonlyMap<string, number>;
}

export const PLAIN_LAYOUT: TableLayout = { order: [], hidden: [], pinned: ['_id'], widths: new Map() };

/** The fields that are shown, in their order: pinned ones first. */
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

/** A column takes the place of another one, which moves aside; pinned columns and others do not mix. */
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

/** A column goes one place to the left or to the right, past those that are shown. */
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

/** A browser that keeps nothing, or kept something else, gives the plain layout. */
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
    // The table is arranged as long as it is open.
  }
}

/** The text that {@link parseLayout} reads. */
export const textOf = (layout: TableLayout): string =>
  JSON.stringify({ ...layout, widths: Object.fromEntries(layout.widths) });

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
