import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';

const ARTEFACTS = 'artefacts';
/** For what a page is to show: a busy machine takes its time, and nothing waits longer than it has to. */
const PATIENCE_MS = 90_000;
const READY_MS = 120_000;

export interface Product {
  readonly url: string;
  readonly data: string;
  /** Sends the signal and waits for the end; gives the exit code. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

export function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), 'fixpoint-system-'));
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

/** Below those that systems give to connections: nothing that runs beside a test gets it while the product is not there. */
const [PORT_MIN, PORT_MAX] = [30_000, 32_767];

/** A port that was free a moment ago, for what is started there again. */
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

/** Starts the product as `npm start` does, and waits for the line with its URL. @param port 0 for any */
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
  const url = await readyUrl(child, ended).catch((cause: unknown) => {
    child.kill('SIGKILL');
    throw cause;
  });
  return {
    url,
    data,
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

/** The product and a browser, for all tests of a file. `prepare` is what they begin with. */
export function withProduct(
  prepare: (opened: Opened) => Promise<void> | void,
  env: Record<string, string> = {},
): void {
  const data = temporaryFolder();
  let product: Product | undefined;
  let browser: Browser | undefined;
  beforeAll(async () => {
    product = await startProduct(data, 0, env);
    browser = await launchChromium();
    await prepare({ product, browser });
  });
  afterAll(async () => {
    await browser?.close();
    await product?.end('SIGTERM');
    removeFolder(data);
  });
}

async function readyUrl(child: ChildProcess, ended: Promise<number | null>): Promise<string> {
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

/** Debian's Chromium, headless, which asks no outside host for anything. */
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

export async function launchChromium(): Promise<Browser> {
  const browser = await chromium.launch({ ...CHROMIUM, timeout: PATIENCE_MS });
  const { newContext } = browser;
  // Each page of the browser comes from here, that of `newPage`, too.
  browser.newContext = async (...options) => patient(await newContext.apply(browser, options));
  return browser;
}

/** The same with a profile that lies on the disk. */
export const launchProfile = async (folder: string): Promise<BrowserContext> =>
  patient(await chromium.launchPersistentContext(folder, { ...CHROMIUM, timeout: PATIENCE_MS }));

function patient(context: BrowserContext): BrowserContext {
  context.setDefaultTimeout(PATIENCE_MS);
  return context;
}

export interface Visitor {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Script errors, and errors that the page logged: a test asserts that there are none. */
  readonly problems: string[];
  shot(name: string): Promise<void>;
}

/** A person with a browser profile of their own. */
export async function visitor(browser: Browser, viewport = { width: 1280, height: 800 }): Promise<Visitor> {
  const context = await browser.newContext({ viewport });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(`page error: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(`console: ${message.text()} ${message.location().url}`);
  });
  return {
    page,
    context,
    problems,
    shot: async (name) => {
      mkdirSync(ARTEFACTS, { recursive: true });
      await page.screenshot({ path: join(ARTEFACTS, `${name}.png`) });
    },
  };
}
