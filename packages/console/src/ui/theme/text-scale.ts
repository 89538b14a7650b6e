const USUAL_PX = 16;

/**
 * The browser's text size relative to its default. Layouts that are computed in pixels are
 * multiplied by it.
 */
export const TEXT_SCALE =
  typeof document === 'undefined'
    ? 1
    : Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / USUAL_PX;
