/** What is run in the page that is measured. Each function stands alone: only its text gets there. */

/** When two frames were drawn. */
export const afterFrames = () =>
  new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(undefined))));

/** As the paste of a user arrives. */
export function pasteText(element, text) {
  const clipboardData = new DataTransfer();
  clipboardData.setData('text/plain', text);
  element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
}

/** Scrolls the table so many pixels in each of so many frames. Gives how long the frames took. */
export async function scrollFrames({ count, px }) {
  const grid = document.querySelector('[role=grid]');
  const frames = [];
  let absent = 0;
  let rows = 0;
  let last = await new Promise(requestAnimationFrame);
  for (let n = 0; n < count; n += 1) {
    grid.scrollTop += px;
    const now = await new Promise(requestAnimationFrame);
    frames.push(now - last);
    last = now;
    const box = grid.getBoundingClientRect();
    for (const row of grid.querySelectorAll('[data-row]')) {
      const { top, bottom } = row.getBoundingClientRect();
      if (bottom < box.top + 40 || top > box.bottom) continue;
      rows += 1;
      if (row.querySelector('a') === null) absent += 1;
    }
  }
  return {
    frames,
    nodes: document.querySelectorAll('*').length,
    heapMb: Math.round((performance.memory?.usedJSHeapSize ?? 0) / 1e6),
    late: Math.round((1000 * absent) / Math.max(1, rows)) / 10,
  };
}
