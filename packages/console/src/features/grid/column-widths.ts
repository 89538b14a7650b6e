/** Widths of columns in pixels, from what stands in them. */

const CHAR_PX = 7.6;
const PADDING_PX = 28;
const COLUMN_PX = { min: 96, max: 340 };

/** Wide enough for the label and for the longest of some texts, within bounds. */
export function widthFor(label: string, texts: readonly string[]): number {
  const chars = Math.max(label.length, ...texts.map((text) => Math.min(text.length, 60)));
  return Math.round(Math.min(COLUMN_PX.max, Math.max(COLUMN_PX.min, chars * CHAR_PX + PADDING_PX)));
}

/** Columns that leave room free share it; the first one, which names the row, keeps its width when there are others. */
export function filled(widths: readonly number[], availablePx: number): number[] {
  const total = widths.reduce((sum, width) => sum + width, 0);
  const freePx = Math.floor(availablePx) - total;
  if (freePx <= 0 || widths.length === 0) return [...widths];
  const [first = 0, ...others] = widths;
  if (others.length === 0) return [first + freePx];
  let givenPx = 0;
  const grown = others.map((width, at) => {
    const isLast = at === others.length - 1;
    const sharePx = isLast ? freePx - givenPx : Math.floor((freePx * width) / (total - first));
    givenPx += sharePx;
    return width + sharePx;
  });
  return [first, ...grown];
}
