/** Databases that move from IndexedDB to OPFS in a real browser, and their deletion. */
import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { connectEngine } from '../../packages/engine/src/entries/bridge.ts';
import { budget, patienceMs } from '../../packages/engine/tests/budget.fixture.ts';
import { type Mode, opfsPagesOfEachTest } from './opfs-pages.fixture.ts';
import { launchProfile, removeFolder, temporaryFolder } from './product.fixture.ts';

/** Globals of the page. */
declare const engine: ReturnType<typeof connectEngine>;
declare let db: ReturnType<typeof engine.open>;
declare let acknowledged: string[];
declare let closedBy: string | undefined;

const ROUNDS = budget({ commit: 2, night: 40, release: 150 });
const DOCUMENTS = 3000;
const options = { timeout: patienceMs() };
const pages = opfsPagesOfEachTest();

/** Opens a page without waiting until the database is open. */
async function tab(mode: Mode): Promise<Page> {
  const page = await pages.open(mode);
  await page.evaluate(() => {
    [acknowledged, closedBy] = [[], undefined];
    db = engine.open('moved');
    db.onClosed((reason) => {
      closedBy = reason?.code ?? 'no reason';
    });
  });
  return page;
}

async function tabWithDatabase(mode: Mode): Promise<Page> {
  const page = await tab(mode);
  await page.evaluate(() => db.ready());
  return page;
}

/** Stores documents with attachments, past versions and deletions. */
const fill = (page: Page) =>
  page.evaluate(async (count) => {
    const ids = Array.from({ length: count }, (_, n) => `doc-${n}`);
    for (let from = 0; from < count; from += 500)
      await db.bulk(
        ids.slice(from, from + 500).map((_id, n) => ({ _id, text: `text ${from + n} `.repeat(20) })),
      );
    for (let n = 0; n < 5; n++) {
      const file = new File([new Uint8Array(150_000 + n).fill(n)], `file-${n}`);
      await db.put({ _id: `with-file-${n}`, _files: { file } });
      await db.put({ _id: 'note', version: n });
      await db.del(`doc-${n}`);
    }
  }, DOCUMENTS);

/** Returns everything that a move must keep. */
const contentOf = (page: Page) =>
  page.evaluate(async () => {
    const files: unknown[] = [];
    for (let n = 0; n < 5; n++) {
      const { _files } = await db.get<{ _files: Record<string, { file(): Promise<File> }> }>(
        `with-file-${n}`,
      );
      const bytes = new Uint8Array(
        await (await (_files['file'] as { file(): Promise<File> }).file()).arrayBuffer(),
      );
      files.push([bytes.length, bytes.every((one) => one === n)]);
    }
    const { damaged, missing } = await db.verify();
    return {
      head: await db.head(),
      rows: JSON.stringify((await db.allDocs()).rows.filter(({ key }) => !key.startsWith('with-file'))),
      versions: (await db.history('note')).map((entry) => JSON.stringify(entry)),
      files,
      faults: { damaged, missing },
    };
  });

/** Returns the folders in OPFS, and how many rows are in IndexedDB. */
const placesOf = (page: Page) =>
  page.evaluate(async () => {
    const root = await navigator.storage.getDirectory();
    const folders: string[] = [];
    try {
      // biome-ignore lint/suspicious/noExplicitAny: TypeScript declares no iterator for folders
      for await (const name of ((await root.getDirectoryHandle('fixpoint')) as any).keys())
        folders.push(name);
    } catch {
      // No store has ever been in OPFS.
    }
    const isInIndexedDb = (await indexedDB.databases()).some(({ name }) => name === 'fp.moved');
    return { folders, isInIndexedDb };
  });

/** Writes documents until a call fails. */
const startWriting = (page: Page, prefix: string) =>
  page.evaluate((name) => {
    const write = async () => {
      for (let n = 0; ; n++) {
        await db.put({ _id: `${name}-${n}` });
        acknowledged.push(`${name}-${n}`);
      }
    };
    void write().catch(() => undefined);
  }, prefix);

const idsIn = (page: Page) => page.evaluate(async () => (await db.allDocs()).rows.map(({ key }) => key));

test('[R1] moves documents, files and history, and serves several tabs afterwards', options, async () => {
  const plain = await tabWithDatabase('plain');
  await fill(plain);
  await plain.evaluate(() => db.close());
  await plain.close();
  const again = await tabWithDatabase('plain');
  const before = await contentOf(again);
  expect(before.faults).toEqual({ damaged: [], missing: [] });
  expect(before.versions).toHaveLength(5);
  await again.close();
  const first = await tabWithDatabase('moves');
  expect(await placesOf(first)).toEqual({ folders: ['fp.moved'], isInIndexedDb: true });
  expect(await contentOf(first)).toEqual(before);
  const [second, third] = [await tabWithDatabase('moves'), await tabWithDatabase('opfs')];
  expect(await contentOf(second)).toEqual(before);
  await third.evaluate(() => db.put({ _id: 'later', n: 1 }));
  await first.close();
  // Tabs learn of each other's writes a moment later.
  await expect.poll(() => idsIn(second), options).toContain('later');
  const reader = await tab('plain');
  const refused = reader.evaluate(() => db.ready().catch(({ code, message }) => `${code}: ${message}`));
  expect(await refused).toMatch(/STORE_UNREADABLE.*opfsStore/);
});

test(
  '[R2] [R9] loses no write of a tab that has the database open in IndexedDB during the move',
  options,
  async () => {
    const plain = await tabWithDatabase('plain');
    await fill(plain);
    await startWriting(plain, 'meanwhile');
    await plain.waitForFunction(() => acknowledged.length > 20);
    const moving = await tabWithDatabase('moves');
    await plain.waitForFunction(() => closedBy !== undefined);
    expect(await plain.evaluate(() => closedBy)).toBe('STORE_UNREADABLE');
    expect(await plain.evaluate(() => db.get('note').catch(({ code }) => code))).toBe('STORE_UNREADABLE');
    const written = await plain.evaluate(() => acknowledged);
    expect(await idsIn(moving)).toEqual(expect.arrayContaining(written));
    expect((await contentOf(moving)).faults).toEqual({ damaged: [], missing: [] });
  },
);

test('[R9] lets tabs that open the database together all work after the move', options, async () => {
  const plain = await tabWithDatabase('plain');
  await fill(plain);
  await plain.close();
  const tabs = await Promise.all([1, 2, 3].map(() => tab('moves')));
  await Promise.all(tabs.map((page, n) => page.evaluate((id) => db.put({ _id: id }), `tab-${n}`)));
  for (const page of tabs)
    await expect
      .poll(() => idsIn(page), options)
      .toEqual(expect.arrayContaining(['tab-0', 'tab-1', 'tab-2']));
});

test('removes the files when an engine without the option destroys the database', options, async () => {
  const first = await tabWithDatabase('opfs');
  await first.evaluate(() => db.put({ _id: 'a' }));
  const plain = await tab('plain');
  await plain.evaluate(() => db.destroy());
  expect(await placesOf(plain)).toEqual({ folders: [], isInIndexedDb: false });
  await first.waitForFunction(() => closedBy !== undefined);
  const again = await tabWithDatabase('plain');
  expect(await idsIn(again)).toEqual([]);
});

/** Writes in two tabs, and closes them after a moment. Returns the acknowledged ids. */
async function writeAndClose(mode: Mode, prefix: string, waitMs: number): Promise<string[]> {
  const tabs = [await tab(mode), await tab(mode)];
  await Promise.all(tabs.map((page, n) => startWriting(page, `${prefix}-${n}`)));
  await new Promise((resolve) => setTimeout(resolve, waitMs));
  const seen: string[] = [];
  for (const page of tabs) {
    seen.push(...(await page.evaluate(() => acknowledged)));
    await page.close();
  }
  return seen;
}

const MODES = ['moves', 'opfs', 'plain'] as const;

// Tabs in OPFS (`opfs`) and in IndexedDB (`plain`) are also closed in the tests of these stores.
test.each(MODES.slice(0, budget({ commit: 1, night: 3, release: 3 })))(
  '[R2] [R9] keeps all documents while tabs open, write and are closed (%s)',
  options,
  async (mode) => {
    for (let round = 0; round < ROUNDS; round++) {
      const first = await tabWithDatabase(mode === 'opfs' ? 'opfs' : 'plain');
      await first.evaluate(() => db.bulk([{ _id: 'first' }, { _id: 'second' }]));
      const seen = ['first', 'second'];
      // The tabs of some rounds open while this one writes, in others they move the database first.
      if (round % 2 === 0) await first.close();
      else await startWriting(first, 'beside');
      for (const closing of [1, 2, 3])
        seen.push(...(await writeAndClose(mode, `closing-${closing}`, closing * 60 + ((round * 37) % 60))));
      if (round % 2 === 1) seen.push(...(await first.evaluate(() => acknowledged)));
      const last = await tabWithDatabase(mode);
      expect(await idsIn(last)).toEqual(expect.arrayContaining(seen));
      const { damaged, missing } = await last.evaluate(() => db.verify());
      expect({ damaged, missing }).toEqual({ damaged: [], missing: [] });
      await pages.context.close();
      pages.context = await pages.browser.newContext();
    }
  },
);

describe('a move during which the browser is killed', () => {
  let folder: string;
  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(() => removeFolder(folder));

  /** Kills all processes of the browser that has this profile. */
  async function kill(): Promise<void> {
    const { stdout } = await promisify(execFile)('pgrep', ['-f', `user-data-dir=${folder}`]);
    for (const pid of stdout.trim().split('\n').map(Number)) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // Processes of the browser end when its main process does.
      }
    }
    await pages.context.close().catch(() => undefined);
    for (const name of ['SingletonLock', 'SingletonSocket', 'SingletonCookie'])
      rmSync(join(folder, name), { force: true });
  }

  test('[R2] keeps all documents, whichever step it was at', options, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      await pages.context.close();
      pages.context = await launchProfile(folder);
      const plain = await tabWithDatabase('plain');
      await fill(plain);
      const before = await contentOf(plain);
      await plain.close();
      await tab('moves');
      await new Promise((resolve) => setTimeout(resolve, (round * 53) % 300));
      await kill();
      pages.context = await launchProfile(folder);
      expect(await contentOf(await tabWithDatabase('moves'))).toEqual(before);
      await pages.context.close();
      removeFolder(folder);
    }
  });
});
