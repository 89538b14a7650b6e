/**
 * Fixtures for the local half of the console. They create databases and documents with the console
 * itself.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';
import { budget } from '../../packages/engine/tests/budget.fixture.ts';
import { chooseIn, inFirefox, type Visitor, visitor, withProduct } from './product.fixture.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export interface Look {
  readonly width: 1280 | 375;
  readonly height: number;
  readonly theme: 'light' | 'dark';
}

const ALL_LOOKS: readonly Look[] = [
  { width: 375, height: 740, theme: 'dark' },
  { width: 1280, height: 800, theme: 'light' },
  { width: 1280, height: 800, theme: 'dark' },
  { width: 375, height: 740, theme: 'light' },
];

/**
 * Looks in which tests check the states of a page, such as its dialogs. The commit budget checks
 * them only in a narrow window, where they have the least room.
 */
export const LOOKS = ALL_LOOKS.slice(0, budget({ commit: 1, night: 4, release: 4 }));

/** Looks in which the test of the routes checks all pages: in the commit budget, both widths. */
export const ROUTE_LOOKS = ALL_LOOKS.slice(0, budget({ commit: 2, night: 4, release: 4 }));

/** Sets the window size and the theme. The theme applies from the next page load. */
export async function wear(page: Page, { width, height, theme }: Look): Promise<void> {
  await page.setViewportSize({ width, height });
  await page.evaluate((dark) => localStorage.setItem('darkMode', String(dark)), theme === 'dark');
}

export interface OpenConsole {
  readonly url: string;
  readonly ada: Visitor;
  readonly browser: Browser;
}

/**
 * Starts the product and a visitor for all tests of a file. `prepare` creates the data of these
 * tests.
 */
export function withConsole(prepare: (opened: OpenConsole) => Promise<void>): void {
  withProduct(async ({ product, browser }) => {
    const ada = await visitor(browser);
    await ada.page.emulateMedia({ reducedMotion: 'reduce' });
    await prepare({ url: product.url, ada, browser });
  });
}

/** Creates a database, and imports documents into its table. */
export async function makeDatabase(
  page: Page,
  url: string,
  name: string,
  docs: readonly object[],
): Promise<void> {
  await page.goto(`${url}/fp/databases/new`);
  await page.getByRole('textbox', { name: /name/i }).fill(name);
  await page.getByRole('button', { name: /create/i }).click();
  await page.waitForURL(
    (now) => now.pathname === `${new URL(url).pathname.replace(/\/$/, '')}/fp/databases/${name}`,
  );
  if (docs.length > 0) await importDocuments(page, docs);
}

/** Opens the import dialog: by a button of an empty database, else by the menu of the table. */
export async function openImport(page: Page): Promise<void> {
  const button = page.getByRole('button', { name: 'Import', exact: true });
  await button.or(page.locator('[data-row="0"]')).waitFor({ state: 'visible' });
  if (await button.isVisible()) await button.click();
  else await chooseIn(page, 'More table actions', 'Import');
}

export async function importDocuments(page: Page, docs: readonly object[]): Promise<void> {
  await openImport(page);
  await page.getByLabel('Choose files to import').setInputFiles({
    name: 'documents.ndjson',
    mimeType: 'application/x-ndjson',
    buffer: Buffer.from(docs.map((doc) => `${JSON.stringify(doc)}\n`).join('')),
  });
  await page.getByRole('button', { name: /^Import [\d,]+ document/ }).click();
  const count = `${docs.length.toLocaleString('en')} ${docs.length === 1 ? 'document' : 'documents'}`;
  // Waits until the dialog closes, because the message of an earlier import may have the same text.
  await page.getByRole('dialog', { name: 'Import documents' }).waitFor({ state: 'hidden' });
  const bar = page.getByRole('region', { name: 'Undo' });
  await bar.getByText(`Imported ${count}.`, { exact: true }).waitFor({ state: 'visible' });
}

export interface SlowWay {
  readonly page: Page;
  /** Stops the page's clock. */
  stopTime(): Promise<void>;
  /** Lets the delayed script load. */
  come(): void;
  /**
   * Waits until the navigation starts, lets all delays of the page elapse, then lets the delayed
   * script load.
   */
  arrive(): Promise<void>;
}

/**
 * Opens a page in a new browser profile. Requests that match `script` wait until the test releases
 * them.
 */
export async function slowWay(browser: Browser, script: RegExp): Promise<SlowWay> {
  const context = await browser.newContext({ serviceWorkers: 'block' });
  const page = await context.newPage();
  const gate: { open?: () => void } = {};
  const held = new Promise<void>((resolve) => {
    gate.open = resolve;
  });
  await page.route(script, async (route) => {
    await held;
    return route.fallback();
  });
  return {
    page,
    stopTime: async () => {
      await page.clock.install();
      await page.clock.pauseAt(Date.now() + 3_600_000);
    },
    arrive: async () => {
      await page.getByRole('progressbar', { name: 'Working' }).waitFor({ state: 'attached' });
      await page.clock.runFor(1000);
      await page.clock.resume();
      gate.open?.();
    },
    come: () => gate.open?.(),
  };
}

/** Replaces the whole text of an editor. */
export async function typeText(page: Page, editor: RegExp | string, text: string): Promise<void> {
  await page.getByRole('textbox', { name: editor }).click();
  await page.keyboard.press('ControlOrMeta+a');
  // Over WebDriver BiDi, the inserted text would leave empty lines of the selected text.
  if (inFirefox) await page.keyboard.press('Delete');
  await page.keyboard.insertText(text);
}

/** Maximum duration of a fade. Longer animations show that work is in progress. */
const FADING_MS_MAX = 1000;

/**
 * Returns axe's accessibility faults, and by how much the page is wider than the window. First
 * waits until fades end.
 * @param more axe rules that are off by default
 */
export async function faultsOf(page: Page, more: readonly string[] = []): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(AXE);
  await page.evaluate(async (fadingMsMax) => {
    const fading = () =>
      document
        .getAnimations()
        .filter(
          ({ effect, playState }) =>
            playState === 'running' && Number(effect?.getComputedTiming().endTime) <= fadingMsMax,
        );
    // The fade of an inner element may start only when the fade of its container has ended.
    for (let now = fading(); now.length > 0; now = fading()) {
      await Promise.allSettled(now.map(({ finished }) => finished));
      await new Promise(requestAnimationFrame);
    }
  }, FADING_MS_MAX);
  return page.evaluate(
    async (rules) => {
      const { axe } = window as unknown as {
        axe: {
          run(
            where: object,
            options: object,
          ): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
        };
      };
      // Bars that stay in the window cover half of a control by chance, and scrolling uncovers it.
      const bars = [...document.querySelectorAll<HTMLElement>('header, .thumb-bar, .undo-bar')];
      for (const bar of bars) bar.style.position = 'static';
      // Guards around a menu pass the focus on at once, so nobody can stay on them.
      const where = { exclude: ['[data-base-ui-focus-guard]'] };
      const { violations } = await axe.run(where, {
        runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
        rules: Object.fromEntries(rules.map((rule) => [rule, { enabled: true }])),
        // Only collects what the test reads, and loads no style sheets a second time.
        resultTypes: ['violations'],
        preload: false,
      });
      for (const bar of bars) bar.style.position = '';
      const wide = document.documentElement.scrollWidth - window.innerWidth;
      return [
        ...violations.map(
          ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`,
        ),
        ...(wide > 0 ? [`${wide} px wider than the window`] : []),
      ];
    },
    ['target-size', ...more],
  );
}
