import { FixpointError } from '@fixpoint/protocol';
import { describe, expect, test } from 'vitest';
import type { FileArchive } from '../../archive/file-archive.ts';
import { utf8 } from '../../base/bytes.ts';
import { type Cid, cidOf, RAW } from '../../codec/cid.ts';
import { parseDocKey } from '../../documents/doc-key.ts';
import { encodeDocument } from '../../documents/encode.ts';
import { FileArchives } from '../../store/file-archives.ts';
import { FILES, fileKey, LOOSE_FILES, looseFileKey } from '../../store/names.ts';
import { commit } from '../commit.ts';
import { code, copyOf, deletion, fileOf, full, keys, openedHead, operation } from '../head.fixture.ts';
import { collectFiles, LOOSE_MS } from './collect-files.ts';

/** Returns the operation that writes a document with one attached file. */
function attached(id: string, archive: FileArchive) {
  const file = { cid: cidOf(RAW, archive.bytes), type: 'text/plain', size: 3, car: archive.cid };
  const key = parseDocKey(id);
  return {
    key,
    value: encodeDocument({ _id: id, _files: { one: file } }, key),
    files: { archives: [archive], staged: [] },
  };
}

/** Creates a database whose unreferenced files are removed only by calls of `collect`. */
async function collecting() {
  const opened = await openedHead(new Map(), operation('plain', 1));
  const { head, store, time, values } = opened;
  const archives = new FileArchives(store, keys);
  const collect = () =>
    collectFiles({ store, archives, time }, head.snapshot, head.readers, {
      key: head.key,
      bytes: head.bytes,
      frees: 'now',
    });
  const under = (prefix: string) => [...values.keys()].filter((key) => key.startsWith(prefix));
  return { ...opened, archives, collect, under };
}

describe('collecting files', () => {
  test('[R8] keeps a file for as long as a document refers to it', async () => {
    const { head, time, collect, under } = await collecting();
    const archive = await fileOf(1);
    await commit(head, [attached('a', archive)]);
    for (let hour = 0; hour < 3; hour++) {
      await collect();
      await time.pass(LOOSE_MS);
    }
    expect([under(FILES), under(LOOSE_FILES)]).toEqual([[fileKey(archive.cid)], []]);
  });

  test('[R8] keeps a file that another document still refers to', async () => {
    const { head, time, collect, under } = await collecting();
    const archive = await fileOf(1);
    await commit(head, [attached('a', archive)]);
    await commit(head, [attached('b', archive)]);
    await commit(head, [deletion('a')]);
    await collect();
    await time.pass(LOOSE_MS);
    await collect();
    expect(under(FILES)).toEqual([fileKey(archive.cid)]);
  });

  test('[R11] removes a file one hour after the first run that finds the file unreferenced', async () => {
    const { head, time, collect, under, values } = await collecting();
    const archive = await fileOf(1);
    await commit(head, [attached('a', archive)]);
    await time.pass(LOOSE_MS * 5);
    await commit(head, [deletion('a')]);
    await collect();
    expect(values.get(looseFileKey(archive.cid))).toEqual(utf8(String(time.now())));
    await time.pass(LOOSE_MS - 1);
    await collect();
    expect(under(FILES)).toHaveLength(1);
    await time.pass(1);
    await collect();
    expect([under(FILES), under(LOOSE_FILES)]).toEqual([[], []]);
  });

  test('[R11] starts counting the hour again after a document referred to the file', async () => {
    const { head, time, collect, under } = await collecting();
    const archive = await fileOf(1);
    await head.files.stage(archive);
    await time.pass(LOOSE_MS - 1);
    await commit(head, [{ ...attached('a', archive), files: { archives: [], staged: [archive.cid] } }]);
    expect(under(LOOSE_FILES)).toEqual([]);
    await commit(head, [deletion('a')]);
    await time.pass(LOOSE_MS);
    await collect();
    expect(under(FILES)).toHaveLength(1);
    await time.pass(LOOSE_MS);
    await collect();
    expect(under(FILES)).toEqual([]);
  });

  test('[R11] removes the time row of a referenced file, even if the write of its document left the row', async () => {
    const { head, time, collect, under } = await collecting();
    const archive = await fileOf(1);
    await head.files.stage(archive);
    await commit(head, [{ ...attached('a', archive), files: { archives: [], staged: [] } }]);
    await time.pass(LOOSE_MS);
    await collect();
    expect([under(FILES).length, under(LOOSE_FILES)]).toEqual([1, []]);
  });

  test('removes all files that were unreferenced for an hour in one write, and no other files', async () => {
    const { head, time, collect, under, writes } = await collecting();
    const [old, young, fresh] = [await fileOf(1), await fileOf(2), await fileOf(3)];
    await head.files.stage(old);
    await time.pass(LOOSE_MS / 2);
    await head.files.stage(young);
    await time.pass(LOOSE_MS / 2);
    await head.files.fetched(fresh, []);
    writes.length = 0;
    await collect();
    expect(under(FILES).toSorted()).toEqual([young, fresh].map(({ cid }) => fileKey(cid)).toSorted());
    expect(under(LOOSE_FILES).toSorted()).toEqual(
      [young, fresh].map(({ cid }) => looseFileKey(cid)).toSorted(),
    );
    expect(writes.map(({ guard }) => guard?.frees)).toEqual(['now']);
  });

  test('keeps files when the clock was set back', async () => {
    const { head, values, collect, under, time } = await collecting();
    const archive = await fileOf(1);
    await head.files.stage(archive);
    values.set(looseFileKey(archive.cid), utf8(String(time.now() + 10 * LOOSE_MS)));
    await collect();
    expect(under(FILES)).toHaveLength(1);
  });

  test('writes nothing when nothing changed', async () => {
    const { head, collect, writes } = await collecting();
    await commit(head, [attached('a', await fileOf(1))]);
    await head.files.stage(await fileOf(2));
    await collect();
    writes.length = 0;
    await collect();
    expect(writes).toEqual([]);
  });

  test('reads no document of a database without files', async () => {
    const { head, archives, store, time } = await collecting();
    const readers = {
      ...head.readers,
      block: () => Promise.reject(new Error('read')),
      shard: () => Promise.reject(new Error('read')),
    };
    await collectFiles({ store, archives, time }, head.snapshot, readers, {
      key: head.key,
      bytes: head.bytes,
    });
  });
});

describe('a run that fails', () => {
  test('[R3] keeps listing a file that could not be removed', async () => {
    const { head, time, collect, archives, values, failOnce } = await collecting();
    const archive = await fileOf(1);
    await head.files.stage(archive);
    await time.pass(LOOSE_MS);
    const before = copyOf(values);
    failOnce('write', full);
    await expect(collect()).rejects.toThrow(code('STORE_FULL'));
    expect(values).toEqual(before);
    expect([...archives.list]).toEqual([archive.cid]);
    await collect();
    expect([...archives.list]).toEqual([]);
  });

  test('[R8] removes nothing when another tab writes a document with the file during the run', async () => {
    const { head, time, collect, hooks, values, under } = await collecting();
    const archive = await fileOf(1);
    await head.files.stage(archive);
    await time.pass(LOOSE_MS);
    hooks.write = async () => {
      hooks.write = undefined;
      const { head: other } = await openedHead(values);
      await commit(other, [{ ...attached('a', archive), files: { archives: [], staged: [archive.cid] } }]);
    };
    await collect();
    expect(under(FILES)).toEqual([fileKey(archive.cid)]);
  });

  test('[R4] removes nothing when a document cannot be read, because that document may refer to any file', async () => {
    const { head, store, archives, time, under } = await collecting();
    await head.files.stage(await fileOf(1));
    await time.pass(LOOSE_MS);
    const lost = operation('plain', 1).value.cid;
    const blocks = async (cids: readonly Cid[]) => {
      if (cids.includes(lost)) throw new FixpointError('MISSING_BLOCK', lost);
      return head.readers.blocks(cids);
    };
    const guard = { key: head.key, bytes: head.bytes };
    const readers = { ...head.readers, blocks };
    await expect(collectFiles({ store, archives, time }, head.snapshot, readers, guard)).rejects.toThrow(
      code('MISSING_BLOCK'),
    );
    expect(under(FILES)).toHaveLength(1);
  });
});
