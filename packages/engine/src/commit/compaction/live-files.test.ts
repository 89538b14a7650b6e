import { FixpointError } from '@fixpoint/protocol';
import { describe, expect, test } from 'vitest';
import { utf8 } from '../../base/bytes.ts';
import { type Block, encodeBlock } from '../../codec/block.ts';
import { CAR, type Cid, cidOf, RAW } from '../../codec/cid.ts';
import { NO_KEYS } from '../../crypto/keys.ts';
import { parseDocKey } from '../../documents/doc-key.ts';
import { encodeDocument, TOMBSTONE } from '../../documents/encode.ts';
import { memoryStore } from '../../platform/memory-store.ts';
import { FileArchives } from '../../store/file-archives.ts';
import { fileKey, looseFileKey } from '../../store/names.ts';
import { simulatedTime } from '../../testing/simulated-time.ts';
import { putMany } from '../../trie/put-many.ts';
import { EMPTY_SHARD } from '../../trie/shard.ts';
import { trieStore } from '../../trie/trie.fixture.ts';
import { createFiles } from '../attached-files.ts';
import type { Readers, Snapshot } from '../snapshot.ts';
import { collectFiles, LOOSE_MS } from './collect-files.ts';
import { liveFileArchives } from './live-files.ts';

const archive = cidOf(CAR, utf8('a file'));
const EMPTY: Snapshot = { head: [], root: undefined, merged: [] };
const keys = { keys: () => NO_KEYS };
const code = (name: string) => expect.objectContaining({ code: name }) as Error;

/** Creates a snapshot of these documents, and readers of it. */
async function snapshotOf(documents: Readonly<Record<string, Block>>) {
  const tries = trieStore();
  tries.add([EMPTY_SHARD]);
  const bytes = new Map(Object.values(documents).map((block) => [block.cid, block.bytes]));
  const { root, added } = await putMany(
    tries.read,
    EMPTY_SHARD.cid,
    Object.entries(documents).map(([key, { cid }]) => [key, cid] as const),
  );
  tries.add(added);
  const block = async (cid: Cid) => bytes.get(cid) ?? Promise.reject(new FixpointError('MISSING_BLOCK', cid));
  const blocks = (cids: readonly Cid[]) => Promise.all(cids.map(block));
  const readers = { shard: tries.read, blocks } as unknown as Readers;
  return { snapshot: { head: [], root, merged: [] }, readers };
}

describe('file archives that documents refer to', () => {
  test('finds the archives of existing documents, and ignores deletions, whatever they contain', async () => {
    const content = cidOf(RAW, utf8('content'));
    const fields = { _files: { a: { cid: content, type: 'text/plain', size: 1, car: archive } } };
    const doc = encodeDocument(fields, parseDocKey('doc'));
    const deleted = encodeBlock({ del: true, doc: { _files: fields._files } });
    const { snapshot, readers } = await snapshotOf({
      doc,
      deleted,
      gone: TOMBSTONE,
      other: encodeDocument({ text: 'miles and files' }, parseDocKey('other')),
    });
    expect([...(await liveFileArchives(snapshot, readers))]).toEqual([archive]);
    const ofIds = async (...ids: string[]) => [...(await liveFileArchives(snapshot, readers, ids))];
    expect(await ofIds('doc')).toEqual([archive]);
    expect(await ofIds('deleted', 'gone', 'other', 'never there')).toEqual([]);
    expect([...(await liveFileArchives(EMPTY, readers))]).toEqual([]);
  });
});

describe('file archives on this device', () => {
  test('[R4] keeps a file archive whose row has no valid time, and reports the row as CORRUPT', async () => {
    const values = new Map([
      [fileKey(archive), utf8('sealed')],
      [looseFileKey(archive), utf8('soon')],
    ]);
    const store = memoryStore(values);
    const { readers } = await snapshotOf({});
    const parts = { store, archives: new FileArchives(store, keys), time: simulatedTime() };
    const guard = { key: 'head', bytes: undefined };
    await expect(collectFiles(parts, EMPTY, readers, guard)).rejects.toThrow(code('CORRUPT'));
    expect(values.has(fileKey(archive))).toBe(true);
  });

  test('[R11] deletes a file archive one hour after its last reference, unless the head moved', async () => {
    const values = new Map([[fileKey(archive), utf8('sealed')]]);
    const time = simulatedTime();
    const archives = new FileArchives(memoryStore(values), keys);
    const { readers } = await snapshotOf({});
    const collect = () =>
      collectFiles({ store: memoryStore(values), archives, time }, EMPTY, readers, {
        key: 'head',
        bytes: undefined,
      });
    await collect();
    await time.pass(LOOSE_MS - 1);
    await collect();
    expect([values.has(fileKey(archive)), archives.list.size]).toEqual([true, 1]);
    await time.pass(1);
    values.set('head', utf8('moved'));
    await collect();
    expect([values.has(fileKey(archive)), archives.list.size]).toEqual([true, 1]);
    values.delete('head');
    await collect();
    expect([values.size, archives.list.size]).toEqual([0, 0]);
  });

  test('[R1] rejects a document whose file was removed during the write', async () => {
    const values = new Map<string, Uint8Array>();
    const store = memoryStore(values);
    const files = createFiles(store, new FileArchives(store, keys), simulatedTime());
    const staged = { cid: archive, bytes: utf8('a file') };
    await files.stage(staged as Parameters<typeof files.stage>[0]);
    expect(await files.changesFor([{ archives: [], staged: [archive] }])).toEqual([
      { key: looseFileKey(archive), bytes: undefined },
    ]);
    values.delete(fileKey(archive));
    await files.refresh();
    await expect(files.changesFor([{ archives: [], staged: [archive] }])).rejects.toThrow(
      code('STORE_FAILED'),
    );
  });
});
