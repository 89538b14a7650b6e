import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { byteStoreSuite } from '../../testing/adapter-suites.ts';
import { simulatedDisk } from '../../testing/simulated-disk.ts';
import { memoryStore } from '../memory-store.ts';
import { withLargeValues } from './large-values.ts';
import { nodeFiles } from './node-files.ts';

const base = mkdtempSync(join(tmpdir(), 'fixpoint-large-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

function newPlace(bytesMin = 1, isAlone = async () => true) {
  const folder = join(mkdtempSync(join(base, 'store-')), 'large');
  const values = new Map<string, Uint8Array>();
  const reports: unknown[] = [];
  const open = async () =>
    withLargeValues({ ...memoryStore(values), isAlone }, folder, {
      files: nodeFiles,
      keys: /^(file\/|[a-z]+$)/,
      bytesMin,
      report: (error) => void reports.push(error),
    });
  const names = () => {
    try {
      return readdirSync(folder);
    } catch {
      return [];
    }
  };
  return { open, folder, values, names, reports };
}

byteStoreSuite('long values in files', async () => newPlace());

const bytes = (length: number, fill: number) => new Uint8Array(length).fill(fill);

describe('large values', () => {
  test('stores long values in files, but short values and values of other keys in the store itself', async () => {
    const { open, values, names } = newPlace(100);
    const store = await open();
    await store.write([
      { key: 'file/long', bytes: bytes(100, 1) },
      { key: 'file/short', bytes: bytes(99, 2) },
      { key: 'car/long', bytes: bytes(1000, 3) },
    ]);
    expect([names().length, values.get('file/long')?.length]).toEqual([1, 7 + 32]);
    const [first] = names();
    await store.write([{ key: 'file/long', bytes: bytes(200, 4) }]);
    expect([names().length, names()[0] === first]).toEqual([1, false]);
    expect(await store.read('file/long')).toEqual(bytes(200, 4));
    expect([...(await store.readPrefix('file/')).values()].map(({ length }) => length)).toEqual([200, 99]);
    await store.write([{ key: 'file/long', bytes: undefined }]);
    expect([names(), await store.read('file/long')]).toEqual([[], undefined]);
    await store.close();
  });

  test('removes the files of a rejected write, and reports a missing file as damage', async () => {
    const { open, names, folder } = newPlace();
    const store = await open();
    expect(await store.write([{ key: 'file/a', bytes: bytes(9, 1) }], { key: 'x', bytes: bytes(1, 1) })).toBe(
      false,
    );
    expect(names()).toEqual([]);
    await store.write([{ key: 'file/a', bytes: bytes(9, 1) }]);
    rmSync(join(folder, names()[0] ?? 'none'));
    await expect(store.read('file/a')).rejects.toMatchObject({ code: 'CORRUPT' });
    await store.write([{ key: 'file/a', bytes: bytes(9, 2) }]);
    expect(await store.read('file/a')).toEqual(bytes(9, 2));
    await store.close();
  });

  test('reads a part of a value, even if another process replaces the file', async () => {
    const { open, folder, values, names } = newPlace(100);
    const store = await open();
    const value = Uint8Array.from({ length: 1000 }, (_, at) => at);
    await store.write([{ key: 'file/long', bytes: value }]);
    expect(await store.readPart?.('file/long', 300, 20)).toEqual(value.subarray(300, 320));
    expect(await store.readPart?.('file/long', 990, 20)).toEqual(value.subarray(990));
    expect(await store.readPart?.('file/none', 0, 20)).toBeUndefined();
    // Another process rewrote the value after the pointer was read, but before the file was read.
    const pointer = values.get('file/long') ?? value;
    await store.write([{ key: 'file/long', bytes: value.slice().reverse() }]);
    const now = values.get('file/long') ?? value;
    const stale = [pointer, now];
    const racing = withLargeValues(
      { ...memoryStore(values), read: async () => stale.shift() ?? now },
      folder,
      { files: nodeFiles, keys: /^file/, bytesMin: 100, report: () => undefined },
    );
    expect(await racing.readPart?.('file/long', 0, 2)).toEqual(value.slice(-2).reverse());
    // Parts are also read from a value whose key is never stored in files, and from a short value.
    await store.write([
      { key: 'car/long', bytes: value },
      { key: 'file/short', bytes: value.subarray(0, 50) },
    ]);
    expect(await store.readPart?.('car/long', 10, 5)).toEqual(value.subarray(10, 15));
    expect(await store.readPart?.('file/short', 10, 5)).toEqual(value.subarray(10, 15));
    rmSync(join(folder, names()[0] ?? 'none'));
    await expect(store.readPart?.('file/long', 0, 2)).rejects.toMatchObject({ code: 'CORRUPT' });
    await store.close();
  });

  test('[R9] returns the new value if another process replaces a value during a read, or undefined after a removal', async () => {
    const { open, folder, values } = newPlace(100);
    const store = await open();
    await store.write([{ key: 'file/a', bytes: bytes(200, 1) }]);
    const pointer = values.get('file/a') ?? bytes(0, 0);
    await store.write([{ key: 'file/a', bytes: bytes(300, 2) }]);
    /** Opens the store of another process, which sees the change only after its next refresh. */
    const behind = async () => {
      const seen = new Map([['file/a', pointer]]);
      const inner = memoryStore(seen);
      const refresh = async () => {
        const now = values.get('file/a');
        if (now === undefined) seen.delete('file/a');
        else seen.set('file/a', now);
        return true;
      };
      const options = { files: nodeFiles, keys: /^file/, bytesMin: 100, report: () => undefined };
      return withLargeValues({ ...inner, refresh, isAlone: async () => false }, folder, options);
    };
    expect(await (await behind()).read('file/a')).toEqual(bytes(300, 2));
    expect(await (await behind()).readPrefix('file/')).toEqual(new Map([['file/a', bytes(300, 2)]]));
    await store.write([{ key: 'file/a', bytes: undefined }]);
    expect(await (await behind()).read('file/a')).toBeUndefined();
    expect(await (await behind()).readPrefix('file/')).toEqual(new Map());
    await store.close();
  });

  test('keeps a file whose pointer is still being written', async () => {
    const disk = simulatedDisk();
    const inner = memoryStore();
    let fileIsThere = () => undefined as unknown;
    const there = new Promise<void>((resolve) => {
      fileIsThere = resolve;
    });
    let goOn = () => undefined as unknown;
    const swept = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const store = withLargeValues(
      {
        ...inner,
        write: async (...given) => {
          fileIsThere();
          await swept;
          return inner.write(...given);
        },
      },
      '/disk/large',
      {
        files: { ...disk.files, list: async (folder) => there.then(() => disk.files.list(folder)) },
        keys: /^file/,
        bytesMin: 100,
        report: () => undefined,
      },
    );
    const written = store.write([{ key: 'file/a', bytes: bytes(200, 1) }]);
    // Closing waits until the leftover files are removed.
    await store.close();
    goOn();
    expect(await written).toBe(true);
    expect(await store.read('file/a')).toEqual(bytes(200, 1));
  });

  test('removes a leftover file at the first write of a later process, unless another process may still be writing that file', async () => {
    let isAlone = false;
    const { open, names, folder } = newPlace(1, async () => isAlone);
    const store = await open();
    await store.write([{ key: 'file/a', bytes: bytes(9, 1) }]);
    const [kept = ''] = names();
    writeFileSync(join(folder, 'left'), 'left');
    await store.close();
    const write = async () => {
      const again = await open();
      expect(await again.read('file/a')).toEqual(bytes(9, 1));
      await again.write([{ key: 'other/short', bytes: bytes(1, 1) }]);
      await again.close();
    };
    await write();
    expect(names().sort()).toEqual([kept, 'left'].sort());
    isAlone = true;
    await write();
    expect(names()).toEqual([kept]);
  });

  test.each([
    ['is only read', undefined],
    ['has lost rows when it is written', new Error('a log is missing')],
  ])('[R4] removes no files from a store that %s', async (_, incomplete) => {
    const { folder, values, names, reports } = newPlace(1);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'unnamed'), 'of a row that was lost');
    const inspect = async () => {
      if (incomplete !== undefined) throw incomplete;
    };
    const options = {
      files: nodeFiles,
      keys: /^file/,
      bytesMin: 1,
      report: (error: unknown) => void reports.push(error),
    };
    const store = withLargeValues({ ...memoryStore(values), inspect }, folder, options);
    await store.keys('');
    if (incomplete !== undefined) await store.write([{ key: 'other', bytes: bytes(1, 1) }]);
    await store.close();
    expect([names(), reports]).toEqual([['unnamed'], incomplete === undefined ? [] : [incomplete]]);
  });

  test('removes leftover files when the store is compacted', async () => {
    const { folder, open, names } = newPlace(1);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'left'), 'left');
    const store = await open();
    await store.shrink?.();
    await store.close();
    expect(names()).toEqual([]);
  });
});
