import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { byteStoreSuite } from '../../testing/byte-store-suite.ts';
import { openLogStore } from './log-store.ts';

const base = mkdtempSync(join(tmpdir(), 'fixpoint-log-'));
const newFolder = () => mkdtempSync(join(base, 'store-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

byteStoreSuite('Node log', async () => {
  const folder = newFolder();
  return { open: () => openLogStore(folder, 'strict') };
});

const value = (text: string) => Uint8Array.from(Buffer.from(text));

/** A folder with three writes, closed. */
async function written(): Promise<string> {
  const folder = newFolder();
  const store = await openLogStore(folder, 'strict');
  for (const text of ['one', 'two', 'three']) await store.write([{ key: text, bytes: value(text) }]);
  await store.close();
  return folder;
}

/** What a folder says: its content, or the code of the error that it opens with. */
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
  test('[R4] each flipped byte gives the right content or CORRUPT, never something else', async () => {
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

  test('[R4] a log cut at any length is CORRUPT', async () => {
    const folder = await written();
    const log = readFileSync(join(folder, 'log'));
    for (let length = 0; length < log.length; length += 3) {
      writeFileSync(join(folder, 'log'), log.subarray(0, length));
      expect([length, await read(folder)]).toEqual([length, 'CORRUPT']);
    }
  });

  test('[R4] a log that is gone is CORRUPT, and one that was replaced by an older copy', async () => {
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

  test('[R4] a damaged marker says nothing: the log is the truth', async () => {
    const folder = await written();
    const marker = readFileSync(join(folder, 'durable'));
    marker.writeUInt8(marker.readUInt8(20) ^ 1, 20);
    writeFileSync(join(folder, 'durable'), marker);
    expect(await read(folder)).toEqual(ALL);
  });

  test('[R2] a torn tail that nobody was promised is cut off, and writing goes on behind the last whole record', async () => {
    const folder = await written();
    const log = readFileSync(join(folder, 'log'));
    appendFileSync(join(folder, 'log'), log.subarray(60, 95));
    expect(await read(folder)).toEqual(ALL);
    const store = await openLogStore(folder, 'strict');
    await store.write([{ key: 'four', bytes: value('four') }]);
    await store.close();
    expect(await read(folder)).toEqual([...ALL, ['four', 'four']]);
  });
});

describe('the folder', () => {
  test('belongs to one opener at a time', async () => {
    const folder = newFolder();
    const store = await openLogStore(folder, 'strict');
    expect(await read(folder)).toBe('STORE_LOCKED');
    await store.close();
    expect(await read(folder)).toEqual([]);
  });

  test('is taken over from a process that is gone', async () => {
    const folder = await written();
    writeFileSync(join(folder, 'lock'), '999999999');
    expect(await read(folder)).toEqual(ALL);
  });

  test('does not grow without end: dead bytes are dropped', async () => {
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
