import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { openDatabase } from '../src/database/open.ts';
import { fixpoint } from '../src/node.ts';
import { memoryStore } from '../src/platform/memory-store.ts';
import { nodePlatform } from '../src/platform/node/node-platform.ts';
import type { ByteStore } from '../src/ports/byte-store.ts';

const base = mkdtempSync(join(tmpdir(), 'fixpoint-verify-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** A database of which the stored bytes are at hand. */
async function databaseOn(values: Map<string, Uint8Array>) {
  const platform = nodePlatform(mkdtempSync(join(base, 'db-')));
  const openStore = async (): Promise<ByteStore> => memoryStore(values);
  return openDatabase('looked-at', { ...platform, openStore }, { encrypted: false });
}

const archivesIn = (values: Map<string, Uint8Array>) =>
  [...values.keys()].filter((key) => key.startsWith('car/'));

describe('verify', () => {
  test('a whole database is whole, and its numbers are those of its content', async () => {
    const db = fixpoint('whole', { directory: mkdtempSync(join(base, 'db-')), durability: 'relaxed' });
    await db.bulk(Array.from({ length: 300 }, (_, n) => ({ _id: `doc-${n}`, n })));
    await db.del('doc-7');
    const heard: number[] = [];
    const found = await db.verify({ onProgress: (done, all) => heard.push(done / all) });
    expect(found).toMatchObject({ damaged: [], missing: [], documents: 299, events: 3 });
    expect(found.blocks).toBeGreaterThan(300);
    expect(heard.at(-1)).toBe(1);
    const aborted = new AbortController();
    aborted.abort();
    await expect(db.verify({ signal: aborted.signal })).rejects.toThrow();
    await db.close();
  });

  test('[R4] an archive with another byte is found, and what the head needs of it', async () => {
    const values = new Map<string, Uint8Array>();
    const writing = await databaseOn(values);
    await writing.put({ _id: 'a', text: 'hello' });
    await writing.put({ _id: 'b', text: 'hello' });
    await writing.close();
    for (const key of archivesIn(values)) {
      const before = values.get(key) ?? new Uint8Array();
      const after = before.slice();
      after[after.length >> 1] = (after[after.length >> 1] ?? 0) ^ 1;
      values.set(key, after);
      const db = await databaseOn(values);
      const found = await db.verify().catch((cause: { code: string }) => cause.code);
      expect(found === 'CORRUPT' || (typeof found === 'object' && found.damaged.length > 0)).toBe(true);
      await db.close().catch(() => undefined);
      values.set(key, before);
    }
  });

  test('an archive that is gone is missing', async () => {
    const values = new Map<string, Uint8Array>();
    const writing = await databaseOn(values);
    await writing.put({ _id: 'a', text: 'hello' });
    await writing.put({ _id: 'b', text: 'hello' });
    const [, second] = archivesIn(values);
    values.delete(second ?? '');
    const found = await writing.verify();
    expect(found.missing).toContain((second ?? '').slice('car/'.length));
    await writing.close();
  });
});
