/** Pages of a real browser whose engine stores databases in OPFS: see opfs-page.fixture.ts. */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { launchChromium } from './product.fixture.ts';
import { type ServedPage, servedPage } from './served-page.fixture.ts';

/** How the page opens databases: see opfs-worker.fixture.ts. */
export type Mode = 'plain' | 'moves' | 'opfs';

export interface OpfsPages {
  browser: Browser;
  served: ServedPage;
  /** The storage that the pages of a test share. Tests may replace it. */
  context: BrowserContext;
  /** Opens a page, which has no database open yet. */
  open(mode?: Mode): Promise<Page>;
}

/** Starts a browser for the tests of a file. */
export function opfsPages(): OpfsPages {
  const pages = {
    open: async (mode) => {
      const page = await pages.context.newPage();
      await page.goto(mode === undefined ? pages.served.url : `${pages.served.url}/#${mode}`);
      await page.waitForFunction(() => 'engine' in globalThis);
      return page;
    },
  } as OpfsPages;
  beforeAll(async () => {
    pages.served = await servedPage('opfs-page.fixture.ts');
    pages.browser = await launchChromium();
  });
  afterAll(async () => {
    await pages.browser?.close();
    pages.served?.close();
  });
  return pages;
}

/** Like {@link opfsPages}, with new storage for each test. */
export function opfsPagesOfEachTest(): OpfsPages {
  const pages = opfsPages();
  beforeEach(async () => {
    pages.context = await pages.browser.newContext();
  });
  afterEach(() => pages.context?.close());
  return pages;
}
