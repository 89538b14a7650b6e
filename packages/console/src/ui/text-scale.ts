const USUAL_PX = 16;

/** How much larger than usual the browser is set to show texts. What is placed by pixels grows with them. */
export const TEXT_SCALE =
  typeof document === 'undefined'
    ? 1
    : Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / USUAL_PX;
