import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';

const ARTEFACTS = 'artefacts';
const READY_MS = 60_000;

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

/** A port that was free a moment ago. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() =>
        address && typeof address === 'object' ? resolve(address.port) : reject(new Error('no port')),
      );
    });
  });
}

/** Starts the product as `npm start` does, and waits for the line with its URL. */
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
  const url = await readyUrl(child, ended);
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
    product = await startProduct(data, await freePort(), env);
    browser = await launchChromium();
    await prepare({ product, browser });
  }, 120_000);
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

export const launchChromium = (): Promise<Browser> => chromium.launch(CHROMIUM);

/** The same with a profile that lies on the disk. */
export const launchProfile = (folder: string): Promise<BrowserContext> =>
  chromium.launchPersistentContext(folder, CHROMIUM);

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
