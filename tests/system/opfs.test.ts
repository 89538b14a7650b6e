/** Stores in OPFS in a real browser: the contract, several tabs, and the death of the leader. */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { connectEngine } from '../../packages/engine/src/entries/bridge.ts';
import type { ByteStore } from '../../packages/engine/src/ports/byte-store.ts';
import { byteStoreSuite } from '../../packages/engine/src/testing/adapter-suites.ts';
import { budget, patienceMs } from '../../packages/engine/tests/budget.fixture.ts';
import { opfsPagesOfEachTest } from './opfs-pages.fixture.ts';

/** Globals of the page. */
declare const callStore: (...call: readonly unknown[]) => Promise<unknown>;
declare const engine: ReturnType<typeof connectEngine>;
declare let db: ReturnType<typeof engine.open>;
declare let acknowledged: string[];

const ROUNDS = budget({ commit: 3, night: 50, release: 200 });
const options = { timeout: patienceMs() };
const pages = opfsPagesOfEachTest();

async function tabWithDatabase(): Promise<Page> {
  const page = await pages.open();
  await page.evaluate(async () => {
    db = engine.open('shared');
    await db.ready();
  });
  return page;
}

/** Bytes can't be sent to a page as they are. */
type Sent = { readonly bytes: readonly number[] } | { readonly rows: readonly [string, unknown][] };

const packed = (_: string, value: unknown): unknown => {
  if (value instanceof Uint8Array) return { bytes: [...value] };
  if (value instanceof Map) return { rows: [...value] };
  return value;
};
const unpacked = (_: string, value: unknown): unknown => {
  const sent = value as Sent | null;
  if (sent !== null && typeof sent === 'object' && 'bytes' in sent && Array.isArray(sent.bytes))
    return Uint8Array.from(sent.bytes);
  if (sent !== null && typeof sent === 'object' && 'rows' in sent) return new Map(sent.rows);
  return value;
};

/** Calls a store in the worker of a page. */
async function called(page: Page, ...call: readonly unknown[]): Promise<unknown> {
  const text = await page.evaluate(
    async ([sent, pack, unpack]) => {
      const functionOf = (source: string) => new Function(`return ${source}`)();
      const result = await callStore(...JSON.parse(sent, functionOf(unpack)));
      return result === undefined ? undefined : JSON.stringify(result, functionOf(pack));
    },
    [JSON.stringify(call, packed), String(packed), String(unpacked)] as const,
  );
  return text === undefined ? undefined : JSON.parse(text, unpacked);
}

/** A store in the worker of a page. */
async function remoteStore(page: Page, name: string): Promise<ByteStore> {
  const id = await called(page, 'open', name);
  const method =
    (method: string) =>
    (...args: readonly unknown[]) =>
      called(page, method, id, ...args);
  const methods = ['read', 'readPart', 'readPrefix', 'keys', 'write', 'close', 'destroy'];
  return Object.fromEntries(methods.map((one) => [one, method(one)])) as unknown as ByteStore;
}

let places = 0;
const newName = () => {
  places += 1;
  return `fp.place-${places}`;
};

// A second tab calls the store of the first one, so the commit budget tries only the second tab.
if (budget({ commit: 0, night: 1, release: 1 }) === 1)
  byteStoreSuite('OPFS', async () => {
    const [page, name] = [await pages.open(), newName()];
    return { open: () => remoteStore(page, name) };
  });

byteStoreSuite('OPFS, in a second tab', async () => {
  const [first, second, name] = [await pages.open(), await pages.open(), newName()];
  return {
    open: async () => {
      const leader = await remoteStore(first, name);
      const store = await remoteStore(second, name);
      return {
        ...store,
        close: async () => {
          await store.close();
          await leader.close();
        },
      };
    },
  };
});

/** Returns the names of the stores in OPFS. */
const folders = (page: Page) =>
  page.evaluate(async () => {
    const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle('fixpoint');
    const found: string[] = [];
    // biome-ignore lint/suspicious/noExplicitAny: TypeScript declares no iterator for folders
    for await (const name of (folder as any).keys()) found.push(name);
    return found;
  });

describe('several tabs on OPFS', () => {
  test('[R1] keeps the documents after all tabs were closed', options, async () => {
    const page = await tabWithDatabase();
    await page.evaluate(() => db.put({ _id: 'kept', n: 1 }));
    expect(await folders(page)).toEqual(['fp.shared']);
    await page.close();
    const again = await tabWithDatabase();
    expect(await again.evaluate(() => db.get<{ n: number }>('kept').then(({ n }) => n))).toBe(1);
  });

  test(
    '[R9] loses no acknowledged write when the tab that leads is closed during writes',
    options,
    async () => {
      const tabs = [await tabWithDatabase(), await tabWithDatabase(), await tabWithDatabase()];
      const seen: string[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const writing = tabs.map((page, n) =>
          page.evaluate(
            async ([prefix]) => {
              acknowledged = [];
              for (let k = 0; k < 200; k++) {
                await db.put({ _id: `${prefix}-${k}` });
                acknowledged.push(`${prefix}-${k}`);
              }
            },
            [`round${round}-tab${n}`],
          ),
        );
        for (const one of writing) one.catch(() => undefined);
        const [leader] = tabs as [Page];
        await leader.waitForFunction(() => acknowledged?.length > 20);
        seen.push(...(await leader.evaluate(() => [...acknowledged])));
        await leader.close();
        tabs.shift();
        await Promise.all(writing.slice(1));
        for (const page of tabs) seen.push(...(await page.evaluate(() => acknowledged)));
        tabs.push(await tabWithDatabase());
        const ids = await Promise.all(
          tabs.map((page) => page.evaluate(async () => (await db.allDocs()).rows.map(({ key }) => key))),
        );
        for (const found of ids) expect(found).toEqual(expect.arrayContaining(seen));
        const { damaged, missing } = (await tabs[0]?.evaluate(() => db.verify())) ?? {};
        expect({ damaged, missing }).toEqual({ damaged: [], missing: [] });
      }
    },
  );

  test('[R9] destroys the database although other tabs have it open', options, async () => {
    const [first, second] = [await tabWithDatabase(), await tabWithDatabase()];
    await first.evaluate(() => db.put({ _id: 'a' }));
    const closed = first.evaluate(() => new Promise<void>((resolve) => db.onClosed(() => resolve())));
    await second.evaluate(() => db.destroy());
    await closed;
    expect(await folders(second)).toEqual([]);
    const again = await tabWithDatabase();
    expect(await again.evaluate(async () => (await db.allDocs()).rows.length)).toBe(0);
  });
});
