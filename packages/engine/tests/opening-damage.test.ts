/**
 * Tests databases that are opened through derived rows (docs/decisions/0209) while another writer
 * was killed, another tab fills an empty database, or the event of the head was lost.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import type { CommitParts } from '../src/commit/commits-interface.ts';
import { openCommits } from '../src/commit/open-commits.ts';
import { encodePending, pendingKey } from '../src/commit/pending/pending-rows.ts';
import { NO_KEYS } from '../src/crypto/keys.ts';
import { openDatabase } from '../src/database/open.ts';
import { parseDocKey } from '../src/documents/doc-key.ts';
import { encodeDocument } from '../src/documents/encode.ts';
import { loadOpenChunk } from '../src/open-chunk.ts';
import { memoryStore } from '../src/platform/memory-store.ts';
import { decodeHeadRecord } from '../src/store/head-record.ts';
import { memoryPlatform } from './memory-platform.fixture.ts';

const DOCUMENTS = 6000;
const NOTE = 'some text that gives the document a length '.repeat(4);
const documentOf = (n: number, version = 0) => ({
  _id: `doc-${(n * 7919) % DOCUMENTS}`,
  ...{ n, version, note: NOTE },
});

async function fill(values: Map<string, Uint8Array>): Promise<void> {
  const db = open(values);
  for (let from = 0; from < DOCUMENTS; from += 1000)
    await db.bulk(Array.from({ length: 1000 }, (_, n) => documentOf(from + n)));
  await db.close();
}

/** Opens a database without keys. Other writers of its store are dead. */
function open(values: Map<string, Uint8Array>) {
  const { platform } = memoryPlatform(values);
  const store = {
    ...memoryStore(values),
    writer: 1,
    isAlone: async () => true,
    ifAbandoned: async (_writer: number, work: () => Promise<void>) => {
      await work();
      return true;
    },
  };
  return openDatabase(
    'large',
    { ...platform, openingLimits: undefined, openStore: async () => store },
    { encrypted: false },
  );
}

const filled = new Map<string, Uint8Array>();
beforeAll(() => fill(filled));

describe('a database that is opened through derived rows', () => {
  test.each([
    ['of this writer', '1'],
    ['of another writer', '2'],
  ])('[R1] opens with a pending write %s that knew an earlier head', async (_, writer) => {
    const { head } = decodeHeadRecord(filled.get('head/1'));
    for (let n = 0; n < 4; n++) {
      const values = new Map(filled);
      const db = open(values);
      await db.put(documentOf(n, 1));
      await db.close();
      expect(values.has('local/places')).toBe(true);
      const key = parseDocKey(documentOf(n)._id);
      const operation = { key, value: encodeDocument(documentOf(n), key) };
      values.set(pendingKey(writer, 1), encodePending([operation], head, 5));
      const again = open(values);
      expect(await again.get(documentOf(n)._id)).toMatchObject({ n });
      expect(await again.count()).toBe(DOCUMENTS);
      await again.close();
    }
  });

  test('[R1] knows all indexes after it read them, if another tab filled it since', async () => {
    const values = new Map<string, Uint8Array>();
    const { platform } = memoryPlatform(values);
    const commits = await openCommits({
      ...{ store: memoryStore(values), keys: { keys: () => NO_KEYS }, time: platform.time },
      ...{ channel: platform.channel('large'), newWriter: () => 'x', report: platform.report },
      ...{ load: loadOpenChunk, commitEachWrite: false },
    } as unknown as CommitParts);
    await commits.readIndexes();
    await fill(values);
    await commits.refresh();
    const [event] = commits.snapshot().head;
    expect(commits.archiveOf(event as NonNullable<typeof event>)).toBeDefined();
    await commits.close();
  });

  test('[R3] commits nothing on an event that was lost', async () => {
    const values = new Map(filled);
    const db = open(values);
    await db.bulk([documentOf(5, 1)]);
    await db.close();
    const rows = (kept: Map<string, Uint8Array>) =>
      [...kept.keys()].filter((key) => key.startsWith('commit/'));
    const before = new Set(rows(filled));
    for (const key of rows(values)) if (!before.has(key)) values.delete(key);
    const head = values.get('head/1');
    const damaged = open(values);
    const direct = Array.from({ length: 30 }, (_, n) => documentOf(100 + n, 2));
    await expect(damaged.bulk(direct)).rejects.toMatchObject({ code: 'MISSING_BLOCK' });
    await damaged.close().catch(() => undefined);
    expect(values.get('head/1')).toEqual(head);
  });

  test('[R3] reports a damaged index as a finding, and reads what the index isn’t needed for', async () => {
    const values = new Map(filled);
    const key = [...values.keys()].find((one) => one.startsWith('idx/')) ?? '';
    values.set(key, (values.get(key) as Uint8Array).subarray(1));
    const db = open(values);
    expect(await db.get(documentOf(3)._id)).toMatchObject({ n: 3 });
    const { damaged, documents } = await db.verify();
    expect([damaged.map(({ cid }) => cid), documents]).toEqual([['store'], 0]);
    await expect(db.compact()).rejects.toMatchObject({ code: 'CORRUPT' });
    await db.close();
  });
});
