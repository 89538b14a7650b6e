/** Widths of columns in pixels, from what stands in them. */

const CHAR_PX = 7.6;
const PADDING_PX = 28;
const COLUMN_PX = { min: 96, max: 340 };

/** Wide enough for the label and for the longest of some texts, within bounds. */
export function widthFor(label: string, texts: readonly string[]): number {
  const chars = Math.max(label.length, ...texts.map((text) => Math.min(text.length, 60)));
  return Math.round(Math.min(COLUMN_PX.max, Math.max(COLUMN_PX.min, chars * CHAR_PX + PADDING_PX)));
}

/** Columns that leave room free share it in proportion to their widths. */
export function filled(widths: readonly number[], availablePx: number): number[] {
  const total = widths.reduce((sum, width) => sum + width, 0);
  if (total === 0 || total >= availablePx) return [...widths];
  const grown = widths.map((width) => Math.floor((width * availablePx) / total));
  const rest = availablePx - grown.reduce((sum, width) => sum + width, 0);
  return grown.map((width, at) => (at === grown.length - 1 ? width + Math.floor(rest) : width));
}
