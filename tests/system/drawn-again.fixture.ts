/** Which parts of a table React has drawn anew: it gives an element other properties then, even where nothing that is seen is another. */
import type { Page } from 'playwright-core';

/** Keeps what rows and cells of columns were drawn with, until it is asked. */
export const watchDrawing = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const drawnWith = (element: Element): unknown => {
      const key = Object.keys(element).find((name) => name.startsWith('__reactProps$'));
      return key === undefined ? undefined : (element as unknown as Record<string, unknown>)[key];
    };
    const before = new Map(
      [...document.querySelectorAll('[data-row], [data-row] [data-column]')].map((element) => [
        element,
        drawnWith(element),
      ]),
    );
    Object.assign(window, {
      drawnAgain: () => {
        const stayed = [...before].filter(([element]) => element.isConnected);
        const again = stayed.filter(([element, props]) => drawnWith(element) !== props);
        const rows = (list: typeof stayed) => list.filter(([one]) => one.matches('[data-row]')).length;
        return {
          rows: rows(stayed),
          rowsAgain: rows(again),
          cells: stayed.length - rows(stayed),
          cellsAgain: again.length - rows(again),
        };
      },
    });
  });

/** How many of the rows and cells that are still there were drawn again. */
export const drawnAgain = (page: Page) =>
  page.evaluate(() =>
    (
      window as unknown as {
        drawnAgain: () => { rows: number; rowsAgain: number; cells: number; cellsAgain: number };
      }
    ).drawnAgain(),
  );
