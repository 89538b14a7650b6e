/** Closes a tab of a real browser during a write, at its calls to IndexedDB and WebCrypto. */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database, fixpoint as openFixpoint } from '../../packages/engine/src/entries/index.ts';
import { budget, patienceMs } from '../../packages/engine/tests/budget.fixture.ts';
import { launchChromium } from './product.fixture.ts';
import { type ServedPage, servedPage } from './served-page.fixture.ts';

declare const fixpoint: typeof openFixpoint;
declare let db: Database;
/**
 * `left` is the number of calls until all further calls are blocked. `isStopped` says whether calls
 * are blocked now.
 */
declare let steps: { left: number; isStopped: boolean };
declare let stopped: Promise<'stopped'>;

/** Maximum number of moments of a write at which the test closes the tab. */
const CLOSED_AT_MOST = budget({ commit: 4, night: 200, release: 200 });

let browser: Browser;
let served: ServedPage;
let context: BrowserContext;

beforeAll(async () => {
  served = await servedPage('tabs-page.fixture.ts');
  browser = await launchChromium();
  context = await browser.newContext();
});

afterAll(async () => {
  await browser?.close();
  served?.close();
});

/** Runs in the page before its script. Counts calls, and blocks all calls after the limit. */
function countSteps(): void {
  steps = { left: Number.POSITIVE_INFINITY, isStopped: false };
  let stop: (value: 'stopped') => void;
  stopped = new Promise((resolve) => {
    stop = resolve;
  });
  const isLast = () => {
    if (!steps.isStopped && steps.left <= 0) {
      steps.isStopped = true;
      stop('stopped');
    }
    steps.left -= 1;
    return steps.isStopped;
  };
  const wrap = (target: object, name: string, standing: () => unknown) => {
    // biome-ignore lint/suspicious/noExplicitAny: any method of the browser
    const method = (target as any)[name] as (...args: unknown[]) => unknown;
    Object.assign(target, {
      [name](this: unknown, ...args: unknown[]) {
        return isLast() ? standing() : method.apply(this, args);
      },
    });
  };
  // The blocked request never completes, but its transaction may still commit earlier requests, as
  // when a tab is closed.
  for (const name of ['put', 'add', 'delete', 'clear', 'get', 'getAll', 'getAllKeys', 'openCursor'])
    wrap(IDBObjectStore.prototype, name, () => new EventTarget());
  for (const name of ['encrypt', 'decrypt', 'digest', 'sign', 'importKey', 'deriveKey', 'deriveBits'])
    wrap(SubtleCrypto.prototype, name, () => new Promise(() => undefined));
}

async function tab(name: string): Promise<Page> {
  const page = await context.newPage();
  await page.addInitScript(countSteps);
  await page.goto(served.url);
  await page.waitForFunction(() => 'fixpoint' in globalThis);
  await page.evaluate(async (opened) => {
    db = fixpoint(opened);
    await db.ready();
  }, name);
  return page;
}

/** Counts the calls of a write without blocking any of them. */
async function callsOf(name: string, write: string): Promise<number> {
  const page = await tab(name);
  const calls = await page.evaluate(
    `(async () => { steps.left = 1e6; await ${write}; return 1e6 - steps.left; })()`,
  );
  await page.close();
  return Number(calls);
}

const documents = (page: Page) =>
  page.evaluate(async () => (await db.allDocs<{ n: number }>()).rows.map(({ key, value }) => [key, value.n]));

/**
 * Writes to interrupt. `after` returns the resulting documents as pairs `[id, n]`, sorted by id.
 */
const WRITES: Readonly<
  Record<string, { readonly run: (n: number) => Promise<unknown>; readonly after: (n: number) => unknown }>
> = {
  put: { run: (n) => db.put({ _id: 'a', n }), after: (n) => [['a', n]] },
  bulk: {
    run: (n) => db.bulk(Array.from({ length: 30 }, (_, at) => ({ _id: `b${at + 10}`, n }))),
    after: (n) => Array.from({ length: 30 }, (_, at) => [`b${at + 10}`, n]),
  },
  'put with a file': {
    run: (n) => db.put({ _id: 'a', n, _files: { it: new File([new Uint8Array(200_000).fill(n)], 'it') } }),
    after: (n) => [['a', n]],
  },
  'put and compact': {
    run: (n) => db.put({ _id: 'a', n }).then(() => db.compact()),
    after: (n) => [['a', n]],
  },
};

test.each(Object.entries(WRITES))(
  '[R1] keeps either all or nothing of a %s when the tab is closed at any step',
  { timeout: patienceMs() },
  async (name, { run, after }) => {
    const first = await tab(name);
    await first.evaluate(`(${run})(0)`);
    await first.close();
    let [kept, n] = [1, 1];
    const total = await callsOf(name, `(${run})(1)`);
    const stride = Math.max(1, Math.floor(total / CLOSED_AT_MOST));
    const closedAt = Array.from({ length: Math.ceil(total / stride) }, (_, at) => at * stride);
    // The final round has no limit, so its write completes before the tab is closed.
    for (const left of [...closedAt, Number.MAX_SAFE_INTEGER]) {
      n += 1;
      const page = await tab(name);
      await page.evaluate((count) => {
        steps.left = count;
      }, left);
      const outcome = await page.evaluate(
        `Promise.race([stopped, (${run})(${n}).then(() => 'acknowledged')])`,
      );
      await page.close();
      const next = await tab(name);
      const found = await documents(next);
      expect([after(kept), after(n)], `closed after ${left} of ${total} calls`).toContainEqual(found);
      if (outcome === 'acknowledged') expect(found).toEqual(after(n));
      if (JSON.stringify(found) === JSON.stringify(after(n))) kept = n;
      const { damaged, missing } = await next.evaluate(() => db.verify());
      expect({ damaged, missing }).toEqual({ damaged: [], missing: [] });
      await next.close();
    }
    expect(kept).toBe(n);
    process.stdout.write(`[R1] ${name}: closed at every ${stride} of ${total} calls\n`);
  },
);
