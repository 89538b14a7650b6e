/** Databases in OPFS, and moves to OPFS, in a real browser whose quota is full. */
import type { Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { connectEngine } from '../../packages/engine/src/entries/bridge.ts';
import { patienceMs } from '../../packages/engine/tests/budget.fixture.ts';
import { type Mode, opfsPages } from './opfs-pages.fixture.ts';
import { launchProfile, removeFolder, temporaryFolder } from './product.fixture.ts';

/** Globals of the page. */
declare const engine: ReturnType<typeof connectEngine>;
declare let db: ReturnType<typeof engine.open>;

const DOCUMENTS = 400;
const options = { timeout: patienceMs() };
const pages = opfsPages();

/** Opens the database in a new page. Returns the code of the error if that fails. */
async function opened(mode: Mode): Promise<{ readonly page: Page; readonly code: string | undefined }> {
  const page = await pages.open(mode);
  const code = await page.evaluate(async () => {
    db = engine.open('full');
    return db.ready().then(
      () => undefined,
      (cause) => String(cause.code),
    );
  });
  return { page, code };
}

async function tab(mode: Mode): Promise<Page> {
  const { page, code } = await opened(mode);
  expect(code).toBeUndefined();
  return page;
}

/** Stores documents of about 2 kB. Returns their ids. */
const fill = (page: Page) =>
  page.evaluate(async (count) => {
    const ids = Array.from({ length: count }, (_, n) => `doc-${n}`);
    await db.bulk(ids.map((_id) => ({ _id, text: crypto.randomUUID().repeat(50) })));
    return ids;
  }, DOCUMENTS);

/** Writes documents until a write fails. Returns the ids of the others, and the error. */
const writeUntilFull = (page: Page) =>
  page.evaluate(async () => {
    const ids: string[] = [];
    for (let n = 0; ; n++) {
      try {
        await db.put({ _id: `more-${n}`, text: crypto.randomUUID().repeat(400) });
        ids.push(`more-${n}`);
      } catch (cause) {
        return { ids, code: (cause as { code: string }).code };
      }
    }
  });

const contentOf = (page: Page) =>
  page.evaluate(async () => {
    const { damaged, missing } = await db.verify();
    return { ids: (await db.allDocs()).rows.map(({ key }) => key), faults: [...damaged, ...missing] };
  });

/** Sets the quota of the origin to what it uses, plus some bytes. */
async function limitQuota(page: Page, spare: number) {
  const usage = await page.evaluate(async () => (await navigator.storage.estimate()).usage ?? 0);
  const session = await pages.context.newCDPSession(page);
  const setQuota = (quotaSize?: number) =>
    session.send('Storage.overrideQuotaForOrigin', {
      origin: pages.served.url,
      ...(quotaSize !== undefined && { quotaSize }),
    });
  await setQuota(usage + spare);
  return { lift: () => setQuota() };
}

describe.each(['a private window', 'a profile'])('a full quota in %s', (kind) => {
  let folder: string;

  // Private windows write to files in another way.
  beforeEach(async () => {
    folder = temporaryFolder();
    pages.context = kind === 'a profile' ? await launchProfile(folder) : await pages.browser.newContext();
  });

  afterEach(async () => {
    await pages.context?.close();
    removeFolder(folder);
  });

  test(
    '[R10] rejects writes with STORE_FULL, and loses no document, also after a new open',
    options,
    async () => {
      const page = await tab('opfs');
      const ids = await fill(page);
      const viewer = await pages.context.newPage();
      await viewer.goto(pages.served.url);
      const { lift } = await limitQuota(viewer, 3_000_000);
      const written = await writeUntilFull(page);
      expect(written.code).toBe('STORE_FULL');
      expect(written.ids.length).toBeGreaterThan(0);
      ids.push(...written.ids);
      const found = (from: Page) =>
        from.evaluate(async () => (await db.allDocs()).rows.map(({ key }) => key));
      expect(await found(page)).toEqual(ids.toSorted());
      await page.close();
      const again = await tab('opfs');
      expect(await found(again)).toEqual(ids.toSorted());
      const deletion = await again.evaluate(() =>
        db.del('doc-0').then(
          () => 'done',
          (cause) => String(cause.code),
        ),
      );
      expect(['done', 'STORE_FULL']).toContain(deletion);
      await lift();
      await again.evaluate(() => db.put({ _id: 'doc-0', n: 1 }));
      expect(await contentOf(again)).toEqual({ ids: ids.toSorted(), faults: [] });
    },
  );

  test(
    '[R10] leaves a database in IndexedDB if its move finds no space, and moves it later',
    options,
    async () => {
      const plain = await tab('plain');
      const ids = await fill(plain);
      await plain.close();
      const viewer = await pages.context.newPage();
      await viewer.goto(pages.served.url);
      const { lift } = await limitQuota(viewer, 200_000);
      const reports: string[] = [];
      pages.context.on('console', (message) => void reports.push(message.text()));
      const page = await tab('moves');
      const whole = async (from: Page) => {
        const found = await contentOf(from);
        expect(found.ids).toEqual(expect.arrayContaining(ids));
        expect(found.faults).toEqual([]);
      };
      await whole(page);
      expect(reports.join('\n')).toMatch(/STORE_FULL|no space|full/);
      await page.close();
      const still = await tab('plain');
      await whole(still);
      await still.close();
      await lift();
      const moved = await tab('moves');
      await whole(moved);
      await moved.evaluate(() => db.put({ _id: 'later' }));
      await moved.close();
      const { code } = await opened('plain');
      expect(code).toBe('STORE_UNREADABLE');
    },
  );

  test('[R10] opens a moved database again, at the latest when there is space', options, async () => {
    const plain = await tab('plain');
    const ids = await fill(plain);
    await plain.close();
    const moved = await tab('moves');
    await moved.evaluate(() => db.put({ _id: 'later' }));
    await moved.close();
    const viewer = await pages.context.newPage();
    await viewer.goto(pages.served.url);
    const { lift } = await limitQuota(viewer, 0);
    const { page, code } = await opened('opfs');
    expect([undefined, 'STORE_FULL']).toContain(code);
    await page.close();
    await lift();
    const again = await contentOf(await tab('opfs'));
    expect(again).toEqual({ ids: [...ids, 'later'].toSorted(), faults: [] });
  });
});
