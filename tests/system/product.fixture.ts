import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  firefox,
  type Locator,
  type Page,
} from 'playwright-core';
import { afterAll, beforeAll, onTestFinished, TestRunner } from 'vitest';
import { budget } from '../../packages/engine/tests/budget.fixture.ts';

const ARTEFACTS = 'artefacts';
/** Whether the run has time for pictures, and for the service worker in each profile. */
const NIGHTLY = budget({ commit: 0, night: 1, release: 1 }) === 1;
/**
 * Timeout for elements that a page must show. The timeout is long, because the machine may be busy.
 */
const PATIENCE_MS = 90_000;
const READY_MS = 120_000;

export interface Product {
  readonly url: string;
  readonly data: string;
  /** The lines that the process printed. */
  readonly lines: readonly string[];
  /** Sends the signal and waits until the process exits. Resolves with the exit code. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

export function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), 'fixpoint-system-'));
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

/**
 * Ports below the range of ephemeral ports, so that no other process gets the port while the
 * product is down.
 */
const [PORT_MIN, PORT_MAX] = [30_000, 32_767];

/** Finds a free port for a product that restarts on the same port. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(PORT_MIN, PORT_MAX + 1);
    const isFree = await new Promise<boolean>((resolve) => {
      const server = createServer().once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
}

/**
 * Starts the product as `npm start` does, and waits for the line with its URL.
 * @param port the port to listen on; 0 for any free port
 */
export async function startProduct(
  data: string,
  port: number,
  env: Record<string, string> = {},
): Promise<Product> {
  const child = spawn(process.execPath, ['scripts/start.mjs'], {
    env: { ...process.env, FIXPOINT_DATA: data, PORT: String(port), LOG_LEVEL: 'error', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  const url = await readyUrl(child, ended).catch((cause: unknown) => {
    child.kill('SIGKILL');
    throw cause;
  });
  return {
    url,
    data,
    lines,
    end: (signal) => {
      child.kill(signal);
      return ended;
    },
  };
}

export interface Opened {
  readonly product: Product;
  readonly browser: Browser;
}

/**
 * Starts the product and a browser for all tests of a file. `prepare` creates the data of these
 * tests.
 */
export function withProduct(
  prepare: (opened: Opened) => Promise<void> | void,
  env: Record<string, string> = {},
): void {
  const data = temporaryFolder();
  let product: Product | undefined;
  let browser: Browser | undefined;
  beforeAll(async () => {
    product = await startProduct(data, 0, env);
    browser = await launchBrowser();
    await prepare({ product, browser });
  });
  afterAll(async () => {
    await browser?.close();
    await product?.end('SIGTERM');
    removeFolder(data);
  });
}

/** Waits for the first line with a URL, and returns the URL. */
export async function readyUrl(child: ChildProcess, ended: Promise<number | null>): Promise<string> {
  if (child.stdout === null) throw new Error('the product has no stdout');
  const lines = createInterface({ input: child.stdout });
  const line = new Promise<string>((resolve) => {
    lines.on('line', (text) => {
      const url = /https?:\/\/\S+/.exec(text)?.[0];
      if (url !== undefined) resolve(url.replace(/[/.]+$/, ''));
    });
  });
  const tooLate = new Promise<never>((_, reject) =>
    setTimeout(() => reject(new Error(`no URL after ${READY_MS} ms`)), READY_MS).unref(),
  );
  const died = ended.then((code) => Promise.reject(new Error(`the product ended with code ${code}`)));
  return Promise.race([line, tooLate, died]);
}

/** Headless Chromium from Debian, with background requests turned off. */
const CHROMIUM = {
  executablePath: process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium',
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
};

/** Debian's Firefox, headless. See `firefox-over-bidi.mjs`. */
const FIREFOX = {
  executablePath: new URL('firefox-over-bidi.mjs', import.meta.url).pathname,
  channel: 'moz-firefox',
  firefoxUserPrefs: {
    // Answers two questions that nobody would answer: for the clipboard, and for lasting storage.
    'dom.events.testing.asyncClipboard': true,
    'permissions.default.persistent-storage': 1,
  },
};

/** Whether the tests of the console run in Firefox instead of Chromium. */
export const inFirefox = process.env['TEST_BROWSER'] === 'firefox';

/** Launches the browser in which tests of the console run: Chromium, or Firefox if it is set. */
export async function launchBrowser(): Promise<Browser> {
  if (!inFirefox) return launchChromium();
  const browser = withPatience(await firefox.launch({ ...FIREFOX, timeout: PATIENCE_MS }));
  await typeInsteadOfFill(browser);
  return browser;
}

/** @param more further arguments of the command line */
export const launchChromium = async (...more: readonly string[]): Promise<Browser> =>
  withPatience(
    await chromium.launch({ ...CHROMIUM, args: [...CHROMIUM.args, ...more], timeout: PATIENCE_MS }),
  );

/** Options of every context, unless a test sets them itself. */
const CONTEXT: BrowserContextOptions = {
  // Software draws each frame of an animation, and the placeholders of a busy page pulse for long.
  reducedMotion: 'reduce',
  // The service worker stores all files of the console in each new profile, which takes longer than
  // most tests. In the commit budget, only tests of pages without a network pass `allow`.
  serviceWorkers: NIGHTLY ? 'allow' : 'block',
};

function withPatience(browser: Browser): Browser {
  const { newContext } = browser;
  // `browser.newPage` also calls `newContext`, so every page gets the timeout and the options.
  browser.newContext = async (options) => patient(await newContext.call(browser, { ...CONTEXT, ...options }));
  return browser;
}

/**
 * Makes `fill` type the text. Over WebDriver BiDi, Playwright sets the value of a field by a
 * script, which React doesn't notice.
 */
async function typeInsteadOfFill(browser: Browser): Promise<void> {
  const page = await browser.newPage();
  const prototype = Object.getPrototypeOf(page.locator('body')) as Locator;
  const { fill } = prototype;
  prototype.fill = async function (text, options) {
    // A date can't be typed as one text.
    if ((await this.getAttribute('type', options)) === 'date') return fill.call(this, text, options);
    await this.press('ControlOrMeta+a', options);
    await this.press('Delete', options);
    await this.pressSequentially(text, options);
  };
  await page.close();
}

/** Launches Chromium with a profile that is stored on disk. */
export const launchProfile = async (folder: string): Promise<BrowserContext> =>
  patient(await chromium.launchPersistentContext(folder, { ...CHROMIUM, timeout: PATIENCE_MS }));

function patient(context: BrowserContext): BrowserContext {
  context.setDefaultTimeout(PATIENCE_MS);
  return context;
}

/** Lets pages read and write the clipboard. In Firefox, a preference of the launch does that. */
export async function allowClipboard(context: BrowserContext, origin: string): Promise<void> {
  if (!inFirefox) await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin });
}

/**
 * Returns the text of the file that the page saves after `start`. Over WebDriver BiDi, Firefox
 * saves no files, so the text comes from the page.
 */
export async function savedText(page: Page, start: () => Promise<void>): Promise<string> {
  if (!inFirefox) {
    const download = page.waitForEvent('download');
    await start();
    return readFileSync(await (await download).path(), 'utf8');
  }
  await page.evaluate(() => {
    const { createObjectURL } = URL;
    const saved = new Promise<string>((resolve) => {
      URL.createObjectURL = (file: Blob) => {
        URL.createObjectURL = createObjectURL;
        resolve(file.text());
        return createObjectURL(file);
      };
    });
    Object.assign(window, { saved });
  });
  await start();
  return page.evaluate(() => (window as unknown as { saved: Promise<string> }).saved);
}

export interface Visitor {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Script errors and logged errors of the page. Tests expect that there are none. */
  readonly problems: string[];
  shot(name: string): Promise<void>;
}

/** Messages of Firefox when a test leaves a page whose scripts still load. */
const ABORTED =
  /^console: (React Router caught the following error during render )?Error http|A ServiceWorker intercepted/;

/**
 * Opens a page in a new browser profile. If a test opens the profile, it closes when the test ends:
 * an open page keeps its sockets, and asks the server every few seconds.
 * @param more options of the profile, such as `serviceWorkers: 'allow'` for a page that must load
 *   without a network
 */
export async function visitor(browser: Browser, more: BrowserContextOptions = {}): Promise<Visitor> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...more });
  if (TestRunner.getCurrentTest()) onTestFinished(() => context.close());
  const page = await context.newPage();
  const problems: string[] = [];
  const report = (text: string) => {
    if (!inFirefox || !ABORTED.test(text)) problems.push(text);
  };
  page.on('pageerror', (error) => report(`page error: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error') report(`console: ${message.text()} ${message.location().url}`);
  });
  return {
    page,
    context,
    problems,
    shot: async (name) => {
      // In Firefox, Playwright first adds an inline style, which the security policy rejects.
      if (inFirefox || !NIGHTLY) return;
      mkdirSync(ARTEFACTS, { recursive: true });
      await page.screenshot({ path: join(ARTEFACTS, `${name}.png`) });
    },
  };
}

/** Chooses an item of the menu that a button opens. */
export async function chooseIn(page: Page, button: string, item: string): Promise<void> {
  await page.getByRole('button', { name: button }).click();
  await page.getByRole('menuitem', { name: item, exact: true }).click();
}
