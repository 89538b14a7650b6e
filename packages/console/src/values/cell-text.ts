/** Formats a complete value for a cell, as the engine does for the cells of big tables. */
import { type Cell, PREVIEW_MAX, previewOf } from 'fixpoint/rows';

export const CELL_CHARS_MAX = PREVIEW_MAX;

/**
 * Returns at most 256 characters, whatever the size of the value. Reads only the part that is
 * shown.
 */
export const cellText = (value: unknown): string =>
  value === undefined ? '' : textOfPreview(previewOf(value));

/**
 * Returns the text of a preview, with an ellipsis if the preview contains only the start of the
 * value.
 */
export const textOfPreview = ({ text, cut }: Pick<Cell, 'text' | 'cut'>): string =>
  cut ? `${text.slice(0, CELL_CHARS_MAX - 1).replace(HALF_AT_END, '')}…` : text;

/** Matches the first half of a surrogate pair, which a cut may leave at the end. */
const HALF_AT_END = /[\uD800-\uDBFF]$/;
