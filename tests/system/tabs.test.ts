/**
 * Several tabs of a real browser open the same database: they write at the same time, one tab syncs
 * for all, tabs crash or freeze, and the disk is full.
 */
import { join } from 'node:path';
import { type Cloud, defaultConfig, startCloud } from '@fixpoint/cloud';
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type {
  Attached,
  Database,
  fixpoint as openFixpoint,
  toCloud as toCloudType,
} from '../../packages/engine/src/entries/index.ts';
import { budget, patienceMs } from '../../packages/engine/tests/budget.fixture.ts';
import { newLedger } from './ledger.fixture.ts';
import { launchChromium, launchProfile, removeFolder, temporaryFolder } from './product.fixture.ts';
import { type ServedPage, servedPage } from './served-page.fixture.ts';

/** Globals of the page, and variables in which the tests store values there. */
declare const fixpoint: typeof openFixpoint;
declare const toCloud: typeof toCloudType;
declare let db: Database;
declare let sync: Attached;
declare let heard: Map<string, number>;
declare let pauseOutsideTransactions: () => void;

const TABS = 5;
const WRITES = budget({ commit: 100, night: 5000, release: 5000 });
const options = { timeout: patienceMs() };
const folder = temporaryFolder();
let browser: Browser;
let served: ServedPage;
let cloud: Cloud;
let url: string;
let context: BrowserContext;

beforeAll(async () => {
  served = await servedPage('tabs-page.fixture.ts');
  ({ url } = served);
  cloud = await startCloud({ ...defaultConfig(folder), allowedOrigins: [url] });
  browser = await launchChromium();
});

afterEach(() => context?.close());

afterAll(async () => {
  await browser?.close();
  await cloud?.stop();
  served?.close();
  removeFolder(folder);
});

/**
 * Opens the database in a new tab.
 * @param opened runs before the tab opens the database
 */
async function tab(opened?: (page: Page) => Promise<unknown>): Promise<Page> {
  const page = await context.newPage();
  await page.goto(url);
  await opened?.(page);
  await page.waitForFunction(() => 'fixpoint' in globalThis);
  await page.evaluate(async () => {
    db = fixpoint('shared');
    heard = new Map();
    db.subscribe((docs) => {
      for (const { _id } of docs) if (!heard.has(_id)) heard.set(_id, Date.now());
    }, true);
    await db.ready();
  });
  return page;
}

const idsOf = (page: Page) => page.evaluate(async () => (await db.allDocs()).rows.map(({ key }) => key));

/**
 * Crashes a tab. Doesn't wait for the answer to the command, because a crashed tab doesn't answer.
 */
async function crash(page: Page): Promise<void> {
  const session = await context.newCDPSession(page);
  const crashed = new Promise<void>((resolve) => page.once('crash', () => resolve()));
  void session.send('Page.crash').catch(() => undefined);
  return crashed;
}

/**
 * Counts the transactions of IndexedDB that are open in a page, and offers to stop the page's
 * scripts while there is none.
 */
function countTransactions(): void {
  const begin = IDBDatabase.prototype.transaction;
  const open = new Set<IDBTransaction>();
  IDBDatabase.prototype.transaction = function (...args) {
    const transaction = begin.apply(this, args);
    open.add(transaction);
    const end = () => void open.delete(transaction);
    for (const type of ['complete', 'abort']) transaction.addEventListener(type, end);
    return transaction;
  };
  pauseOutsideTransactions = () => {
    const look = setInterval(() => {
      if (open.size > 0) return;
      clearInterval(look);
      // biome-ignore lint/suspicious/noDebugger: this is how the test stops the page's scripts
      debugger;
    }, 5);
  };
}

/**
 * Pauses all scripts of a tab. Returns a function that resumes the scripts.
 * `Page.setWebLifecycleState` doesn't help: an automated page counts as visible, and browsers
 * freeze only hidden pages. Browsers don't freeze pages that have open transactions, because these
 * block the other tabs, for a minute or longer.
 */
async function freeze(page: Page): Promise<() => Promise<unknown>> {
  const session = await context.newCDPSession(page);
  await session.send('Debugger.enable');
  const paused = new Promise<void>((resolve) => session.once('Debugger.paused', () => resolve()));
  await page.evaluate(() => pauseOutsideTransactions());
  await paused;
  return () => session.send('Debugger.disable');
}

test(
  '[R9] loses no write when five tabs write at once, notifies each tab, and destroys the database',
  options,
  async () => {
    context = await browser.newContext();
    const pages = await Promise.all(Array.from({ length: TABS }, () => tab()));
    const written = await Promise.all(
      pages.map((page, n) =>
        page.evaluate(
          async ([prefix, count]) => {
            const at: [string, number][] = [];
            for (let k = 0; k < count; k++) {
              const { id } = await db.put({ _id: `${prefix}-${k}` });
              at.push([id, Date.now()]);
            }
            return at;
          },
          [`tab${n}`, WRITES] as const,
        ),
      ),
    );
    const acknowledged = written.flat();
    expect(acknowledged.length).toBe(TABS * WRITES);
    for (const page of pages) {
      const ids = () => page.evaluate(() => [...heard.keys()].length);
      await expect.poll(ids).toBe(TABS * WRITES);
      expect((await idsOf(page)).length).toBe(TABS * WRITES);
    }
    const heardAt = await Promise.all(pages.map((page) => page.evaluate(() => [...heard])));
    const at = new Map(acknowledged);
    const delays = heardAt
      .flatMap((list) => list.map(([id, ms]) => ms - (at.get(id) ?? 0)))
      .sort((a, b) => a - b);
    const p99 = delays[Math.floor(delays.length * 0.99)] ?? Number.NaN;
    process.stdout.write(`changes were seen in other tabs after ${p99} ms (99 of 100)\n`);

    const closed = pages
      .slice(1)
      .map((page) => page.evaluate(() => new Promise<void>((resolve) => db.onClosed(() => resolve()))));
    await pages[0]?.evaluate(() => db.destroy());
    await Promise.all(closed);
    expect(await pages[1]?.evaluate(() => db.put({}).catch((error) => error.code))).toBe('DATABASE_CLOSED');
  },
);

test(
  '[R9] syncs through one tab; another tab takes over when this tab crashes, freezes or is closed',
  options,
  async () => {
    context = await browser.newContext();
    await context.addInitScript(countTransactions);
    const { token, ...ledger } = await newLedger(cloud.url);
    const cloudToken = await token();
    const sockets = new Map<Page, number>();
    const attachedTab = async () => {
      const page = await tab();
      sockets.set(page, 0);
      page.on('websocket', (socket) => {
        sockets.set(page, (sockets.get(page) ?? 0) + 1);
        socket.on('close', () => sockets.set(page, (sockets.get(page) ?? 0) - 1));
      });
      await page.evaluate(
        async (target) => {
          sync = await db.attach(toCloud(target));
        },
        { base: cloud.url, ...ledger, token: cloudToken },
      );
      return page;
    };
    const stateOf = (page: Page) => page.evaluate(() => sync.status().state);
    const holders = () => [...sockets].filter(([, count]) => count > 0).map(([page]) => page);
    /** Writes a document in a tab, and waits until the ledger has this document. */
    const writeAndSync = async (page: Page, id: string) => {
      await page.evaluate((_id) => db.put({ _id }), id);
      await expect.poll(() => stateOf(page)).toBe('in-sync');
    };
    const first = await attachedTab();
    await expect.poll(() => stateOf(first)).toBe('in-sync');
    const [second, third, fourth] = [await attachedTab(), await attachedTab(), await attachedTab()];
    await writeAndSync(second, 'one');
    for (const page of [first, third, fourth]) await expect.poll(() => stateOf(page)).toBe('in-sync');
    /**
     * Waits until exactly one tab syncs, and returns this tab. On a busy machine, this may not be
     * the first tab, because other tabs treat a tab that doesn't answer as frozen.
     */
    const holder = async (): Promise<Page> => {
      await expect.poll(() => holders().length).toBe(1);
      return holders()[0] as Page;
    };
    const former = await holder();
    await crash(former);
    sockets.delete(former);
    const next = await holder();
    const [another, last] = [...sockets.keys()].filter((page) => page !== next) as [Page, Page];
    await writeAndSync(another, 'two');

    const thaw = await freeze(next);
    await expect.poll(() => holders().filter((page) => page !== next).length).toBe(1);
    await writeAndSync(another, 'three');
    await writeAndSync(last, 'four');
    await thaw();
    await expect.poll(() => holders().length).toBe(1);
    expect(holders()).not.toEqual([next]);
    await writeAndSync(next, 'five');

    const device = await (await browser.newContext()).newPage();
    await device.goto(url);
    await device.waitForFunction(() => 'fixpoint' in globalThis);
    await device.evaluate(
      async (target) => {
        db = fixpoint('other');
        sync = await db.attach(toCloud(target));
      },
      { base: cloud.url, ...ledger, token: cloudToken },
    );
    await expect.poll(() => idsOf(device)).toEqual(['five', 'four', 'one', 'three', 'two']);
    await device.context().close();
  },
);

/**
 * Puts documents of decreasing size until not even the smallest size fits. Returns the ids of the
 * stored documents.
 */
const fillQuota = (page: Page, sizes: readonly number[]): Promise<string[]> =>
  page.evaluate(async (all) => {
    const ids: string[] = [];
    for (const bytes of all)
      for (let n = 0; n < 2000; n++) {
        const values = crypto.getRandomValues(new Uint8Array(bytes));
        const text = Array.from(values, (byte) => String.fromCharCode(byte)).join('');
        const put = db.put({ _id: `of-${bytes}-${n}`, text });
        const code = await put.then(
          () => undefined,
          (error) => error.code as string,
        );
        if (code === 'STORE_FULL') break;
        if (code !== undefined) throw new Error(code);
        ids.push(`of-${bytes}-${n}`);
      }
    return ids;
  }, sizes);

/** Deletes documents. Returns the ids of documents that couldn't be deleted, with error codes. */
const deleteAll = (page: Page, ids: readonly string[]): Promise<string[]> =>
  page.evaluate(async (all) => {
    const refused: string[] = [];
    for (const id of all) await db.del(id).catch((error) => void refused.push(`${id}: ${error.code}`));
    return refused;
  }, ids);

/**
 * Opens a tab whose origin has a storage quota in bytes. Returns the tab, and a function that
 * removes the quota.
 */
async function tabWithQuota(quotaSize: number) {
  let session: CDPSession | undefined;
  const setQuota = (quota: { quotaSize?: number }) =>
    session?.send('Storage.overrideQuotaForOrigin', { origin: url, ...quota });
  // Sets the quota before the tab opens the database, because the browser caches the quota for some
  // time.
  const page = await tab(async (opened) => {
    session = await context.newCDPSession(opened);
    await setQuota({ quotaSize });
  });
  return { page, liftQuota: () => setQuota({}) };
}

const textOf = (page: Page, id: string) =>
  page.evaluate(async (_id) => (await db.get<{ text: string }>(_id)).text, id);

/**
 * Fills the quota. Checks all operations that must work while the quota is full, and after it was
 * removed.
 * @param mayReject whether deletes and compaction may fail with STORE_FULL while the quota is full
 */
async function emptyAtFullQuota(
  quotaSize: number,
  sizes: readonly number[],
  mayReject = false,
): Promise<void> {
  const { page, liftQuota } = await tabWithQuota(quotaSize);
  await page.evaluate(() => db.put({ _id: 'before', text: 'small' }));
  const written = await fillQuota(page, sizes);
  expect(written.length).toBeGreaterThan(50);
  const [first, second, left] = [written.slice(0, 25), written.slice(25, -5), written.slice(-5)];
  expect(await idsOf(page)).toEqual([...written, 'before'].sort());
  expect(await textOf(page, 'before')).toBe('small');
  /** Documents whose deletion was rejected. They must still exist. */
  const kept: string[] = [];
  const deleteSome = async (ids: readonly string[]) => {
    const rejected = await deleteAll(page, ids);
    expect(mayReject ? rejected.filter((line) => !line.endsWith(': STORE_FULL')) : rejected).toEqual([]);
    kept.push(...rejected.map((line) => line.slice(0, line.indexOf(':'))));
  };
  await deleteSome(first);

  await page.evaluate(async () => {
    await db.close();
    db = fixpoint('shared');
    await db.ready();
  });
  expect(await idsOf(page)).toEqual([...kept, ...second, ...left, 'before'].sort());
  expect(await textOf(page, 'before')).toBe('small');
  await deleteSome([...second, 'before']);
  const compacted = await page.evaluate(() => db.compact().catch((error) => error.code));
  if (!mayReject) expect(compacted).toBeUndefined();
  expect(await idsOf(page)).toEqual([...kept, ...left].sort());

  await liftQuota();
  expect(await deleteAll(page, kept)).toEqual([]);
  await page.evaluate(() => db.put({ _id: 'after', text: 'x'.repeat(100_000) }));
  expect(await idsOf(page)).toEqual([...left, 'after'].sort());
  expect((await page.evaluate(() => db.verify())).damaged).toEqual([]);
}

/** Bytes. With 6.5 or 16 MB, the reserves are too small in 1 of 20 trials (decision 0121). */
const QUOTA = 32_000_000;

/**
 * The first version of Chromium in which we saw that a private window frees the space of deleted
 * records at once (decision 0121). Version 150 doesn't.
 */
const FREES_AT_ONCE = 156;

test(
  '[R10] rejects puts with STORE_FULL at the full quota of a private window, but still opens, reads, deletes and compacts',
  options,
  async () => {
    context = await browser.newContext();
    const mayReject = Number.parseInt(browser.version(), 10) < FREES_AT_ONCE;
    await emptyAtFullQuota(QUOTA, [20_000, 500, 1], mayReject);
  },
);

test(
  '[R10] rejects puts at the full quota of a profile on disk too, although Chromium exceeds the quota by a few MB',
  options,
  async () => {
    context = await launchProfile(join(folder, 'full-quota'));
    await emptyAtFullQuota(QUOTA, [20_000, 500, 1]);
  },
);
