import { FixpointError } from '@fixpoint/protocol';
import { describe, expect, test } from 'vitest';
import { OPENING_LIMITS } from '../../ports/opening-limits.ts';
import { ARCHIVES, COMMITS, localKey } from '../../store/names.ts';
import { commit } from '../commit.ts';
import { copyOf, documentAt, headOver, openedHead, operation } from '../head.fixture.ts';
import { readFirstBlocks, writeFirstBlocks } from './first-blocks.ts';

const FIRST = localKey('first');
const ids = Array.from({ length: 300 }, (_, n) => `doc-${n}`);

/** Stores many documents in one archive, and the first blocks of their head. */
async function stored() {
  const here = await openedHead();
  await commit(
    here.head,
    ids.map((id, n) => operation(id, n)),
  );
  await writeFirstBlocks(here.head, OPENING_LIMITS.firstBytesMax);
  return here;
}

/** Opens a copy of stored values, and counts the reads of archives. */
async function reopened(values: ReadonlyMap<string, Uint8Array>) {
  const next = await headOver(copyOf(values));
  const archives: string[] = [];
  next.hooks.read = (key) => {
    if (key.startsWith(ARCHIVES) || key.startsWith(COMMITS)) archives.push(key);
  };
  await next.open();
  return { ...next, archives };
}

describe('first blocks', () => {
  test('opens without reading an archive, and reads the first document from one', async () => {
    const { values, head } = await stored();
    const next = await reopened(values);
    expect(next.head.snapshot).toEqual(head.snapshot);
    expect(next.archives).toEqual([]);
    expect(await documentAt(next.head, 'doc-7')).toEqual(await documentAt(head, 'doc-7'));
    expect(next.archives).toHaveLength(1);
  });

  test('[R4] opens from the archives when the row is missing, damaged anywhere, or of another head', async () => {
    const { values, head } = await stored();
    const row = values.get(FIRST) as Uint8Array;
    const flipped = (at: number) => row.map((byte, index) => (index === at ? byte ^ 1 : byte));
    const damaged = [undefined, new Uint8Array(), row.slice(0, -1)];
    for (let at = 0; at < row.length; at += Math.ceil(row.length / 9)) damaged.push(flipped(at));
    for (const bytes of damaged) {
      const copy = copyOf(values);
      if (bytes === undefined) copy.delete(FIRST);
      else copy.set(FIRST, bytes);
      const next = await reopened(copy);
      expect(next.head.first).toBeUndefined();
      expect(next.head.snapshot).toEqual(head.snapshot);
      expect(next.archives).toHaveLength(1);
    }
    await commit(head, [operation('doc-7', 1000)]);
    const later = await reopened(values);
    expect(later.head.snapshot).toEqual(head.snapshot);
    expect(await documentAt(later.head, 'doc-7')).toEqual(await documentAt(head, 'doc-7'));
  });

  test('[R3] opens when the row can not be read', async () => {
    const { values, head } = await stored();
    const next = await headOver(copyOf(values));
    next.hooks.read = (key) => {
      if (key === FIRST) throw new FixpointError('STORE_FAILED', 'EIO');
    };
    await next.open();
    expect(next.head.snapshot).toEqual(head.snapshot);
  });

  test('stores at most 32 kB of shards, the highest ones', async () => {
    const { store, head } = await openedHead();
    await commit(
      head,
      Array.from({ length: 2000 }, (_, n) => operation(`${(n * 7919) % 2003}`, n)),
    );
    await writeFirstBlocks(head, OPENING_LIMITS.firstBytesMax);
    const { root, shards = [] } = (await readFirstBlocks(store)) ?? {};
    expect([root, shards[0]?.cid]).toEqual([head.snapshot.root, head.snapshot.root]);
    const bytes = shards.reduce((sum, shard) => sum + shard.bytes.length, 0);
    expect([bytes > 28_000, bytes <= 32_000]).toEqual([true, true]);
  });

  test('[R9] finds archives that another tab adds while the lists are read before the head', async () => {
    const { values } = await stored();
    const other = await headOver(values);
    await other.open();
    const next = await headOver(values);
    let isWritten = false;
    next.hooks.readPrefix = async (prefix) => {
      // Delays this read until all lists are read, as a store that runs reads in any order might.
      if (prefix !== 'head' || isWritten) return;
      isWritten = true;
      await new Promise((resolve) => setImmediate(resolve));
      await commit(other.head, [operation('doc-7', 1000)]);
    };
    await next.open();
    expect(next.head.snapshot).toEqual(other.head.snapshot);
    expect(await documentAt(next.head, 'doc-7')).toEqual(await documentAt(other.head, 'doc-7'));
  });
});
