/** What a cell shows of a value that is here whole, in the words of the engine, which makes the cells of big tables. */
import { type Cell, PREVIEW_MAX, previewOf } from 'fixpoint/rows';

export const CELL_CHARS_MAX = PREVIEW_MAX;

/** At most 256 characters, whatever the size of the value. Nothing is more than read as far as it is shown. */
export const cellText = (value: unknown): string =>
  value === undefined ? '' : textOfPreview(previewOf(value));

/** One that ends before the value is written out is marked by an ellipsis. */
export const textOfPreview = ({ text, cut }: Pick<Cell, 'text' | 'cut'>): string =>
  cut ? `${text.slice(0, CELL_CHARS_MAX - 1).replace(HALF_AT_END, '')}…` : text;

/** The half of a character that a cut may leave. */
const HALF_AT_END = /[\uD800-\uDBFF]$/;
