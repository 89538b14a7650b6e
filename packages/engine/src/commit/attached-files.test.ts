import { FixpointError } from '@fixpoint/protocol';
import { describe, expect, test } from 'vitest';
import { utf8 } from '../base/bytes.ts';
import type { Cid } from '../codec/cid.ts';
import { FileArchives } from '../store/file-archives.ts';
import { fileKey, looseFileKey } from '../store/names.ts';
import { simulatedTime } from '../testing/simulated-time.ts';
import { createFiles } from './attached-files.ts';
import { code, fileOf, full, keys, watchedStore } from './head.fixture.ts';

/** Creates the files of a database in memory, and one file archive. */
async function filesOver() {
  const watched = watchedStore();
  const time = simulatedTime();
  const files = createFiles(watched.store, new FileArchives(watched.store, keys), time);
  const archive = await fileOf(1, 2, 3);
  return { ...watched, time, files, archive };
}
const fails =
  (name: 'CORRUPT' | 'KEY_UNKNOWN' | 'GATEWAY_GET' | 'MISSING_CARS') => async (): Promise<void> => {
    throw new FixpointError(name, 'of the remote');
  };

describe('reading a file archive', () => {
  test('reads an archive on this device without asking a remote', async () => {
    const { files, archive } = await filesOver();
    await files.stage(archive);
    files.onMissing(async () => {
      throw new Error('asked');
    });
    expect(await files.read(archive.cid)).toEqual(archive.bytes);
  });

  test('fetches a missing archive once, and stores it', async () => {
    const { files, archive, values } = await filesOver();
    const asked: Cid[] = [];
    files.onMissing(async (car) => {
      asked.push(car);
      await files.fetched(archive, []);
    });
    expect(await files.read(archive.cid)).toEqual(archive.bytes);
    expect(await files.read(archive.cid)).toEqual(archive.bytes);
    expect(asked).toEqual([archive.cid]);
    expect(values.has(fileKey(archive.cid))).toBe(true);
  });

  test('[R4] replaces a damaged archive with the copy of a remote', async () => {
    const { files, archive, values } = await filesOver();
    await files.stage(archive);
    values.set(fileKey(archive.cid), utf8('damaged'));
    files.onMissing(() => files.fetched(archive, []));
    expect(await files.read(archive.cid)).toEqual(archive.bytes);
    expect(await files.readHere(archive.cid)).toEqual(archive.bytes);
  });

  test('asks one remote after another until one has the archive', async () => {
    const { files, archive } = await filesOver();
    const asked: string[] = [];
    files.onMissing(async () => {
      asked.push('first');
      throw new FixpointError('GATEWAY_GET', 'status 503');
    });
    files.onMissing(async () => {
      asked.push('second');
      await files.fetched(archive, []);
    });
    files.onMissing(async () => void asked.push('third'));
    expect(await files.read(archive.cid)).toEqual(archive.bytes);
    expect(asked).toEqual(['first', 'second']);
  });

  test('does not ask a remote that was unregistered', async () => {
    const { files, archive } = await filesOver();
    let asked = 0;
    const stop = files.onMissing(async () => void asked++);
    stop();
    stop();
    await expect(files.read(archive.cid)).rejects.toThrow(code('MISSING_CARS'));
    expect(asked).toBe(0);
  });

  test.each([
    ['MISSING_CARS', 'no remote is attached', []],
    ['MISSING_CARS', 'the remote fails', [fails('GATEWAY_GET')]],
    ['KEY_UNKNOWN', 'the last remote uses an unknown key', [fails('GATEWAY_GET'), fails('KEY_UNKNOWN')]],
    ['CORRUPT', 'the last remote sends a damaged archive', [fails('MISSING_CARS'), fails('CORRUPT')]],
    ['MISSING_CARS', 'a fetch succeeds but stores no archive', [async (): Promise<void> => undefined]],
  ] as const)('rejects with %s when %s', async (name, _, remotes) => {
    const { files, archive } = await filesOver();
    for (const ask of remotes) files.onMissing(ask);
    await expect(files.read(archive.cid)).rejects.toThrow(code(name));
  });

  test('reports why the last remote could not provide the archive', async () => {
    const { files, archive } = await filesOver();
    files.onMissing(fails('GATEWAY_GET'));
    await expect(files.read(archive.cid)).rejects.toMatchObject({
      code: 'MISSING_CARS',
      cause: { code: 'GATEWAY_GET' },
    });
  });

  test('[R4] reports a damaged archive as CORRUPT when no remote can replace it', async () => {
    const { files, archive, values } = await filesOver();
    await files.stage(archive);
    values.set(fileKey(archive.cid), utf8('damaged'));
    files.onMissing(fails('GATEWAY_GET'));
    await expect(files.read(archive.cid)).rejects.toThrow(code('CORRUPT'));
  });

  test('[R3] does not ask a remote for a stored archive when the disk fails', async () => {
    const { files, archive, failOnce } = await filesOver();
    await files.stage(archive);
    let asked = 0;
    files.onMissing(async () => void asked++);
    failOnce('read', new FixpointError('STORE_FAILED', 'EIO'));
    await expect(files.read(archive.cid)).rejects.toThrow(code('STORE_FAILED'));
    expect(asked).toBe(0);
    expect(await files.read(archive.cid)).toEqual(archive.bytes);
  });
});

describe('storing a file archive before its document', () => {
  test('[R11] stores the archive with the time since which no document refers to it', async () => {
    const { files, archive, values, time, writes } = await filesOver();
    await time.pass(1234);
    await files.stage(archive);
    expect(values.get(looseFileKey(archive.cid))).toEqual(utf8(String(time.now())));
    expect(writes).toHaveLength(1);
  });

  test.each(['stage', 'fetched'] as const)(
    '[R3] lists no archive when the disk is full during `%s`',
    async (how) => {
      const { files, archive, failOnce, values } = await filesOver();
      failOnce('write', full);
      const store = () => (how === 'stage' ? files.stage(archive) : files.fetched(archive, []));
      await expect(store()).rejects.toThrow(code('STORE_FULL'));
      expect([files.list().size, values.size]).toEqual([0, 0]);
      await store();
      expect([...files.list()]).toEqual([archive.cid]);
    },
  );

  test('stores a fetched archive with the rows that record its origin, but without a time row', async () => {
    const { files, archive, values, writes } = await filesOver();
    await files.fetched(archive, [{ key: 'remote/r/file', bytes: utf8('x') }]);
    expect([...values.keys()].toSorted()).toEqual([fileKey(archive.cid), 'remote/r/file'].toSorted());
    expect(writes).toHaveLength(1);
  });
});

describe('files of a document that is written', () => {
  test('stores new archives, and removes the time rows of staged ones', async () => {
    const { files, archive } = await filesOver();
    const fresh = await fileOf(4);
    await files.stage(archive);
    const changes = await files.changesFor([
      { archives: [fresh], staged: [] },
      { archives: [], staged: [archive.cid] },
    ]);
    expect(changes.map(({ key, bytes }) => [key, bytes === undefined ? 'removed' : 'stored'])).toEqual([
      [fileKey(fresh.cid), 'stored'],
      [looseFileKey(archive.cid), 'removed'],
    ]);
  });

  test('[R8] rejects all files of a write when one staged file is gone', async () => {
    const { files, archive, values } = await filesOver();
    const other = await fileOf(4);
    await files.stage(archive);
    await files.stage(other);
    values.delete(fileKey(other.cid));
    await files.refresh();
    await expect(files.changesFor([{ archives: [], staged: [archive.cid, other.cid] }])).rejects.toThrow(
      code('STORE_FAILED'),
    );
  });

  test('lists new archives only after their write is durable', async () => {
    const { files, archive } = await filesOver();
    const written = [{ archives: [archive], staged: [] }];
    await files.changesFor(written);
    expect(files.list().size).toBe(0);
    files.written(written);
    expect([...files.list()]).toEqual([archive.cid]);
  });

  test('returns no changes for documents without files', async () => {
    const { files } = await filesOver();
    expect(await files.changesFor([])).toEqual([]);
  });

  test('lists an archive that is staged while the list is read again', async () => {
    const { files, archive, store } = await filesOver();
    const { keys: list } = store;
    // Stages the archive after the stored keys are read and before they are used.
    Object.assign(store, {
      keys: async (prefix: string) => {
        const found = await list(prefix);
        Object.assign(store, { keys: list });
        await files.stage(archive);
        return found;
      },
    });
    await files.refresh();
    expect([...files.list()]).toEqual([archive.cid]);
  });
});
