/** Computes column widths in pixels from their content. */
import { TEXT_SCALE } from '../../ui/theme/text-scale.ts';

const CHAR_PX = 7.2 * TEXT_SCALE;
const PADDING_PX = 24 * TEXT_SCALE;
/** Space next to a label, for the icon, the sort arrow and the menu. */
const LABEL_PADDING_PX = 56 * TEXT_SCALE;
const LABEL_CHAR_PX = 6.6 * TEXT_SCALE;
const COLUMN_PX = { min: 72 * TEXT_SCALE, max: 340 * TEXT_SCALE, widest: 900 * TEXT_SCALE };

/** Returns a width that fits the label and the longest of the texts, within bounds. */
export function widthFor(label: string, texts: readonly string[]): number {
  const chars = texts.reduce((most, { length }) => Math.max(most, Math.min(length, 60)), 0);
  const widestPx = Math.max(label.length * LABEL_CHAR_PX + LABEL_PADDING_PX, chars * CHAR_PX + PADDING_PX);
  return Math.round(Math.min(COLUMN_PX.max, Math.max(COLUMN_PX.min, widestPx)));
}

export const boundedWidth = (widthPx: number): number =>
  Math.round(Math.min(COLUMN_PX.widest, Math.max(COLUMN_PX.min, widthPx)));

/**
 * Distributes free space among the columns. The first column, which names the row, keeps its width
 * if there are others. Columns with `fixed` keep their width if another column can get the space.
 */
export function filled(
  widths: readonly number[],
  availablePx: number,
  fixed: readonly boolean[] = [],
): number[] {
  const total = widths.reduce((sum, width) => sum + width, 0);
  const freePx = Math.floor(availablePx) - total;
  if (freePx <= 0 || widths.length === 0) return [...widths];
  const grows = growing(widths.length, fixed);
  const growingPx = widths.reduce((sum, width, at) => sum + (grows.has(at) ? width : 0), 0);
  const last = [...grows].reduce((last, at) => Math.max(last, at), 0);
  let givenPx = 0;
  return widths.map((width, at) => {
    if (!grows.has(at)) return width;
    const sharePx = at === last ? freePx - givenPx : Math.floor((freePx * width) / growingPx);
    givenPx += sharePx;
    return width + sharePx;
  });
}

function growing(count: number, fixed: readonly boolean[]): ReadonlySet<number> {
  const all = Array.from({ length: count }, (_, at) => at);
  const free = all.filter((at) => at > 0 && fixed[at] !== true);
  return new Set(free.length > 0 ? free : [count - 1]);
}
