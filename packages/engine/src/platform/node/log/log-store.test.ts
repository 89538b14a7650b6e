import { createHash } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { long } from '../../../../tests/budget.fixture.ts';
import type { DatabaseKeys } from '../../../crypto/database-keys.ts';
import type { Durability } from '../../../ports/byte-store.ts';
import { sealRows } from '../../../store/sealed-rows.ts';
import { byteStoreSuite } from '../../../testing/adapter-suites.ts';
import { systemRandom, systemTime } from '../../system.ts';
import { withLargeValues } from '../large-values.ts';
import { nodeFiles } from '../node-files.ts';
import { openLogStore as openStore } from './log-store.ts';

const openLogStore = (folder: string, durability: Durability) =>
  openStore(folder, durability, nodeFiles, systemTime);
const base = mkdtempSync(join(tmpdir(), 'fixpoint-log-'));
const newFolder = () => mkdtempSync(join(base, 'store-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

byteStoreSuite('Node log', async () => {
  const folder = newFolder();
  return { open: () => openLogStore(folder, 'strict') };
});

const value = (text: string) => Uint8Array.from(Buffer.from(text));

/** Writes three rows to a new folder, and closes the store. Returns the folder. */
async function written(): Promise<string> {
  const folder = newFolder();
  const store = await openLogStore(folder, 'strict');
  for (const text of ['one', 'two', 'three']) await store.write([{ key: text, bytes: value(text) }]);
  await store.close();
  return folder;
}

/** Returns the content of a folder, or the code of the error from opening it. */
async function read(folder: string): Promise<unknown> {
  try {
    const store = await openLogStore(folder, 'strict');
    const content = [...(await store.readPrefix(''))].map(([key, bytes]) => [
      key,
      Buffer.from(bytes).toString(),
    ]);
    await store.close();
    return content;
  } catch (error) {
    return (error as { code?: string }).code;
  }
}

const ALL = [
  ['one', 'one'],
  ['two', 'two'],
  ['three', 'three'],
];

describe('the log after damage', () => {
  test('[R4] is reported as CORRUPT, whichever byte is flipped', long, async () => {
    const folder = await written();
    const log = readFileSync(join(folder, 'log'));
    const answers = new Set<string>();
    for (let at = 0; at < log.length; at++) {
      const damaged = Buffer.from(log);
      damaged.writeUInt8(damaged.readUInt8(at) ^ 0x10, at);
      writeFileSync(join(folder, 'log'), damaged);
      answers.add(JSON.stringify(await read(folder)));
    }
    expect([...answers]).toEqual(['"CORRUPT"']);
  });

  test('[R4] is reported as CORRUPT if it is cut at any length', long, async () => {
    const folder = await written();
    const log = readFileSync(join(folder, 'log'));
    for (let length = 0; length < log.length; length += 3) {
      writeFileSync(join(folder, 'log'), log.subarray(0, length));
      expect([length, await read(folder)]).toEqual([length, 'CORRUPT']);
    }
  });

  test('[R4] is reported as CORRUPT if it is missing or replaced by an older copy', async () => {
    const folder = newFolder();
    const store = await openLogStore(folder, 'strict');
    await store.write([{ key: 'one', bytes: value('one') }]);
    const older = readFileSync(join(folder, 'log'));
    await store.write([{ key: 'two', bytes: value('two') }]);
    await store.close();
    writeFileSync(join(folder, 'log'), older);
    expect(await read(folder)).toBe('CORRUPT');
    rmSync(join(folder, 'log'));
    expect(await read(folder)).toBe('CORRUPT');
    expect(existsSync(join(folder, 'log'))).toBe(false);
  });

  test('[R4] is still read completely if only its marker is damaged', async () => {
    const folder = await written();
    const marker = readFileSync(join(folder, 'durable'));
    marker.writeUInt8(marker.readUInt8(20) ^ 1, 20);
    writeFileSync(join(folder, 'durable'), marker);
    expect(await read(folder)).toEqual(ALL);
  });

  test('[R2] loses an incomplete last record that was never acknowledged, and continues after the last whole record', async () => {
    const folder = await written();
    const log = readFileSync(join(folder, 'log'));
    appendFileSync(join(folder, 'log'), log.subarray(60, 95));
    expect(await read(folder)).toEqual(ALL);
    expect(readFileSync(join(folder, 'log')).equals(log)).toBe(true);
    const store = await openLogStore(folder, 'strict');
    await store.write([{ key: 'four', bytes: value('four') }]);
    await store.close();
    expect(await read(folder)).toEqual([...ALL, ['four', 'four']]);
  });
});

describe('a folder of two logs', () => {
  /** Writes to a new folder with two open stores, and closes them. Returns the folder. */
  async function writtenByTwo(): Promise<string> {
    const folder = newFolder();
    const [first, second] = [await openLogStore(folder, 'strict'), await openLogStore(folder, 'strict')];
    for (const text of ['one', 'two']) await first.write([{ key: text, bytes: value(text) }]);
    await second.write([{ key: 'three', bytes: value('three') }]);
    await first.close();
    await second.close();
    return folder;
  }

  test('[R4] is reported as CORRUPT if a log or the count is missing, empty, cut, full of zeros or replaced by another file', async () => {
    for (const name of ['log', 'log-1', 'logs']) {
      const folder = await writtenByTwo();
      const path = join(folder, name);
      const whole = readFileSync(path);
      const damaged: (Buffer | undefined)[] = [
        undefined,
        Buffer.alloc(0),
        whole.subarray(0, whole.length - 1),
      ];
      damaged.push(Buffer.alloc(whole.length), readFileSync(join(folder, name === 'log' ? 'log-1' : 'log')));
      for (const bytes of damaged) {
        if (bytes === undefined) rmSync(path);
        else writeFileSync(path, bytes);
        expect([name, bytes?.length, await read(folder)]).toEqual([name, bytes?.length, 'CORRUPT']);
      }
      writeFileSync(path, whole);
      expect((await read(folder)) as unknown[]).toHaveLength(3);
    }
  });

  test('[R4] is reported as CORRUPT when the log of another process disappears', async () => {
    const folder = await writtenByTwo();
    const store = await openLogStore(folder, 'strict');
    rmSync(join(folder, 'log-1'));
    await expect(store.refresh?.()).rejects.toMatchObject({ code: 'CORRUPT' });
    await store.close();
  });

  test('[R1] reuses an empty log that a crash left without a count', async () => {
    const folder = await written();
    const count = join(folder, 'logs');
    const [first, second] = [await openLogStore(folder, 'strict'), await openLogStore(folder, 'strict')];
    await first.close();
    await second.close();
    // A crash before the count was written leaves neither the count nor the marker.
    for (const path of [count, join(folder, 'durable-1')]) rmSync(path);
    expect(await read(folder)).toHaveLength(3);
    const [again, next] = [await openLogStore(folder, 'strict'), await openLogStore(folder, 'strict')];
    await next.write([{ key: 'next', bytes: value('next') }]);
    await again.close();
    await next.close();
    expect(await read(folder)).toHaveLength(4);
  });

  test('[R17] rejects a log of a newer version and leaves it unchanged', async () => {
    const folder = await written();
    const log = readFileSync(join(folder, 'log'));
    log.write('3', 13, 'latin1');
    createHash('sha256').update(log.subarray(0, 32)).digest().copy(log, 32, 0, 16);
    writeFileSync(join(folder, 'log'), log);
    expect(await read(folder)).toBe('FORMAT_NEWER');
    expect(readFileSync(join(folder, 'log')).equals(log)).toBe(true);
  });

  test('loses the rows of a removed key from both logs, but only rows that the removing process has read', async () => {
    const folder = newFolder();
    const [a, b] = [await openLogStore(folder, 'strict'), await openLogStore(folder, 'strict')];
    await a.write([{ key: 'seen', bytes: value('a') }]);
    await b.refresh?.();
    await b.write([{ key: 'seen', bytes: value('b') }]);
    await a.refresh?.();
    expect(await a.read('seen')).toEqual(value('b'));
    await b.write([{ key: 'unseen', bytes: value('b') }]);
    await a.write([
      { key: 'seen', bytes: undefined },
      { key: 'unseen', bytes: undefined },
    ]);
    for (const store of [a, b]) {
      await store.refresh?.();
      expect(await store.keys('')).toEqual(['unseen']);
    }
    await b.write([{ key: 'seen', bytes: value('again') }]);
    await Promise.all([a.close(), b.close()]);
    const again = await openLogStore(folder, 'strict');
    expect(await again.keys('')).toEqual(['seen', 'unseen']);
    await again.close();
  });
});

test('[R8] keeps the methods that concern other processes in each store that wraps the log', async () => {
  const folder = newFolder();
  const log = await openLogStore(folder, 'strict');
  const around = withLargeValues(log, join(folder, 'files'), {
    files: nodeFiles,
    keys: /^file\//,
    bytesMin: 1,
    report: () => undefined,
  });
  const sealed = sealRows(around, {} as DatabaseKeys, systemRandom);
  const names = ['writer', 'refresh', 'watch', 'isAlone', 'shrink', 'onClosed'] as const;
  for (const store of [log, around, sealed])
    expect(names.filter((name) => store[name] === undefined)).toEqual([]);
  await sealed.close();
});

describe('the folder', () => {
  test('[R9] has one log for each process that has the folder open; a later process takes a free log', async () => {
    const folder = newFolder();
    const [first, second] = [await openLogStore(folder, 'strict'), await openLogStore(folder, 'strict')];
    await Promise.all([
      first.write([{ key: 'one', bytes: value('one') }]),
      second.write([{ key: 'two', bytes: value('two') }]),
    ]);
    expect([first.writer, second.writer]).toEqual([0, 1]);
    expect([await first.refresh?.(), await first.keys('')]).toEqual([true, ['one', 'two']]);
    await first.close();
    const third = await openLogStore(folder, 'strict');
    expect([third.writer, await third.keys('')]).toEqual([0, ['one', 'two']]);
    await second.close();
    await third.close();
  });

  test('[R9] reports whether other processes have it open, and closes its open stores when it is removed', async () => {
    const folder = newFolder();
    const [first, second] = [await openLogStore(folder, 'strict'), await openLogStore(folder, 'strict')];
    expect([await first.isAlone?.(), await second.isAlone?.()]).toEqual([false, false]);
    let hints = 0;
    let told = 0;
    first.watch?.(() => void hints++);
    const stop = first.onClosed?.(() => void told++);
    first.onClosed?.(() => void told++);
    stop?.();
    await second.write([{ key: 'two', bytes: value('two') }]);
    await first.refresh?.();
    await expect.poll(() => hints).toBeGreaterThan(1);
    await second.close();
    await second.close();
    expect(await first.isAlone?.()).toBe(true);
    renameSync(folder, `${folder}-gone`);
    const closed = { code: 'DATABASE_CLOSED' };
    await expect(first.refresh?.()).rejects.toMatchObject(closed);
    expect(told).toBe(1);
    await expect(first.read('two')).rejects.toMatchObject(closed);
    await expect(first.write([{ key: 'one', bytes: value('one') }])).rejects.toMatchObject(closed);
    await first.close();
  });

  test('[R4] reports CORRUPT instead of a shorter value when the log was truncated while a store had it open', async () => {
    const folder = newFolder();
    const store = await openLogStore(folder, 'relaxed');
    const long = new Uint8Array(5000).fill(7);
    await store.write([{ key: 'long', bytes: long }]);
    expect(await store.read('long')).toEqual(long);
    truncateSync(join(folder, 'log'), 2000);
    await expect(store.read('long')).rejects.toMatchObject({ code: 'CORRUPT' });
    await store.close();
  });

  test('[R9] rereads a log that another process rewrote', async () => {
    const folder = newFolder();
    const [first, second] = [await openLogStore(folder, 'strict'), await openLogStore(folder, 'strict')];
    for (let n = 0; n < 3; n++) await second.write([{ key: 'big', bytes: new Uint8Array(100_000).fill(n) }]);
    await first.refresh?.();
    await second.shrink?.();
    await second.write([{ key: 'last', bytes: value('last') }]);
    expect(await first.refresh?.()).toBe(true);
    expect([await first.read('big'), await first.read('last')]).toEqual([
      new Uint8Array(100_000).fill(2),
      value('last'),
    ]);
    expect(await first.refresh?.()).toBe(false);
    await first.close();
    await second.close();
  });

  test('takes over the log of a process that ended', async () => {
    const folder = await written();
    writeFileSync(join(folder, 'lock'), '999999999');
    expect(await read(folder)).toEqual(ALL);
  });

  test("drops dead bytes, so that the log doesn't grow forever", async () => {
    const folder = newFolder();
    const store = await openLogStore(folder, 'relaxed');
    const big = new Uint8Array(500_000).fill(7);
    for (let at = 0; at < 40; at++) await store.write([{ key: 'k', bytes: big }]);
    await store.write([{ key: 'last', bytes: value('last') }]);
    await store.close();
    expect(readFileSync(join(folder, 'log')).length).toBeLessThan(7_000_000);
    const again = await openLogStore(folder, 'strict');
    expect((await again.read('k'))?.length).toBe(500_000);
    expect(await again.read('last')).toEqual(value('last'));
    await again.close();
  });
});
