/**
 * Finds the rows and cells of a table that React rendered again, even if nothing changed visibly.
 * React gives new props to the elements that it renders again.
 */
import type { Page } from 'playwright-core';

/**
 * Stores the props of all rows and cells, so that `drawnAgain` can compare later props with them.
 */
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

/**
 * Counts the rows and cells that are still in the page, and how many of these React rendered again.
 */
export const drawnAgain = (page: Page) =>
  page.evaluate(() =>
    (
      window as unknown as {
        drawnAgain: () => { rows: number; rowsAgain: number; cells: number; cellsAgain: number };
      }
    ).drawnAgain(),
  );
