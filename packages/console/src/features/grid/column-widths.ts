/** Widths of columns in pixels, from what stands in them. */
import { TEXT_SCALE } from '../../ui/text-scale.ts';

const CHAR_PX = 7.6 * TEXT_SCALE;
const PADDING_PX = 28 * TEXT_SCALE;
/** Room for what stands beside a label: the arrow of the sorting, and the menu. */
const LABEL_PADDING_PX = 76 * TEXT_SCALE;
export const COLUMN_PX = { min: 72 * TEXT_SCALE, max: 340 * TEXT_SCALE, widest: 900 * TEXT_SCALE };

/** Wide enough for the label and for the longest of some texts, within bounds. */
export function widthFor(label: string, texts: readonly string[]): number {
  const chars = texts.reduce((most, { length }) => Math.max(most, Math.min(length, 60)), 0);
  const widestPx = Math.max(label.length * CHAR_PX + LABEL_PADDING_PX, chars * CHAR_PX + PADDING_PX);
  return Math.round(Math.min(COLUMN_PX.max, Math.max(COLUMN_PX.min, widestPx)));
}

export const boundedWidth = (widthPx: number): number =>
  Math.round(Math.min(COLUMN_PX.widest, Math.max(COLUMN_PX.min, widthPx)));

/**
 * Columns that leave room free share it; the first one, which names the row, keeps its width when there are others, and so do those that are `fixed`
 * as long as another one can take the room.
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
