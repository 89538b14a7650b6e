/**
 * Opens the folder of several processes after a file was lost, cut, swapped or replaced by an older
 * copy.
 */
import { isFixpointError } from '@fixpoint/protocol';
import { beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '../src/database/open.ts';
import { type SimulatedDisk, simulatedDisk } from '../src/testing/simulated-disk.ts';
import { diskPlatform, FOLDER } from './disk.fixture.ts';
import { memoryPlatform } from './memory-platform.fixture.ts';

type Content = ReadonlyMap<string, Uint8Array>;
type Change = (content: Map<string, Uint8Array>, path: string) => void;

const PROCESSES = 3;
const ATTACHMENT_BYTES = 90_000;
const keys = new Map<string, readonly Uint8Array[]>();
/** All successive states of the folder; the last state is complete. */
const states: Content[] = [];

const attachment = (n: number) => new Uint8Array(ATTACHMENT_BYTES).map((_, at) => (at * (n + 7)) % 251);
const document = (n: number, count: number) => ({
  _id: `doc-${n}`,
  count,
  _files: { 'large.bin': new File([attachment(n)], 'large.bin') },
});

/**
 * Opens the folder in several processes, one after another. All processes stay open. Each writes
 * documents and reads those of the other processes.
 */
async function share(disk: SimulatedDisk): Promise<void> {
  const opened: ReturnType<typeof openDatabase>[] = [];
  for (let n = 0; n < PROCESSES; n++) {
    const db = openDatabase('notes', diskPlatform(disk, keys));
    await db.ready();
    opened.push(db);
    states.push(disk.content());
    await db.put(document(n, 1));
    states.push(disk.content());
  }
  for (const [n, db] of opened.entries()) await db.put(document(n, 2));
  for (const db of opened) await db.close();
  states.push(disk.content());
}

beforeAll(() => share(simulatedDisk()));

const whole = (): Content => states.at(-1) as Content;
const nameOf = (path: string) => path.slice(FOLDER.length + 1).replace(/^files\/.*/, 'files/*');
const largeIn = (content: Content) => [...content.keys()].filter((path) => path.includes('/files/')).sort();

/**
 * Opens the folder in a new process. Returns a text with all documents and whether their
 * attachments are complete, or the code of a typed error.
 */
async function found(disk: SimulatedDisk): Promise<string> {
  const db = openDatabase('notes', diskPlatform(disk, keys));
  try {
    const { rows } = await db.allDocs<{ count: number; _files: Record<string, { file(): Promise<File> }> }>();
    const verification = await db.verify();
    const texts: string[] = [];
    for (const { key, value } of rows) {
      const file = await value._files['large.bin']?.file();
      const bytes = new Uint8Array((await file?.arrayBuffer()) ?? new ArrayBuffer());
      const isWhole = Buffer.compare(bytes, attachment(Number(key.slice(4)))) === 0;
      texts.push(`${key}:${value.count}:${isWhole}`);
    }
    const isClean = verification.damaged.length === 0 && verification.missing.length === 0;
    return isClean ? texts.join(' ') : `not clean ${texts.join(' ')}`;
  } catch (error) {
    if (isFixpointError(error)) return error.code;
    throw error;
  } finally {
    await db.close().catch(() => undefined);
  }
}

const ALL = Array.from({ length: PROCESSES }, (_, n) => `doc-${n}:2:true`).join(' ');

async function expectSafe(what: string, content: Content): Promise<void> {
  const disk = simulatedDisk(content);
  const answer = await found(disk);
  expect([what, answer]).toEqual([what, answer === ALL ? ALL : 'CORRUPT']);
  expect([what, largeIn(disk.content())]).toEqual([what, largeIn(content)]);
}

const CHANGES: Readonly<Record<string, Change>> = {
  lost: (content, path) => void content.delete(path),
  emptied: (content, path) => void content.set(path, new Uint8Array()),
  halved: (content, path) => {
    const bytes = content.get(path) ?? new Uint8Array();
    content.set(path, bytes.slice(0, bytes.length >> 1));
  },
};

describe('[R4] a folder of several processes', () => {
  test('contains logs, markers, a count of logs and large files', async () => {
    const names = [...new Set([...whole().keys()].map(nameOf))].sort();
    expect(names).toEqual(
      [
        'durable',
        'durable-1',
        'durable-2',
        'files/*',
        'log',
        'log-1',
        'log-2',
        'logs',
        'reserve',
        'reserve-1',
      ].sort(),
    );
    expect(await found(simulatedDisk(whole()))).toBe(ALL);
  });

  for (const [how, change] of Object.entries(CHANGES))
    test(`returns every document or reports CORRUPT when one file is ${how}, and opening removes no files`, async () => {
      for (const path of whole().keys()) {
        const content = new Map(whole());
        change(content, path);
        await expectSafe(`${nameOf(path)} ${how}`, content);
      }
    });

  test('returns every document or reports CORRUPT when one file is an older copy, and opening removes no files', async () => {
    for (const [at, older] of states.slice(0, -1).entries())
      for (const [path, bytes] of older) {
        if (!whole().has(path)) continue;
        await expectSafe(`${nameOf(path)} of state ${at}`, new Map(whole()).set(path, bytes));
      }
  });

  test('returns every document or reports CORRUPT when a log and its marker are older than what other processes have read of them', async () => {
    for (const [at, older] of states.slice(0, -1).entries())
      for (const slot of ['', '-1', '-2']) {
        const pair = ['log', 'durable'].map((name) => `${FOLDER}/${name}${slot}`);
        // Skips the log of the last process. No other process read this log, so no other log
        // records its length.
        if (slot === '-2' || !pair.every((path) => older.has(path))) continue;
        const content = new Map(whole());
        for (const path of pair) content.set(path, older.get(path) ?? new Uint8Array());
        await expectSafe(`log${slot} and its marker of state ${at}`, content);
      }
  });

  test('returns every document or reports CORRUPT when two files are swapped, and opening removes no files', async () => {
    const paths = [...whole().keys()];
    for (const [at, one] of paths.entries())
      for (const other of paths.slice(at + 1)) {
        const content = new Map(whole());
        content.set(one, whole().get(other) ?? new Uint8Array());
        content.set(other, whole().get(one) ?? new Uint8Array());
        await expectSafe(`${nameOf(one)} and ${nameOf(other)}`, content);
      }
  });

  test('reports CORRUPT when the count of logs is missing and the second log contains no record', async () => {
    const disk = simulatedDisk();
    const first = openDatabase('notes', diskPlatform(disk, keys));
    await first.put({ _id: 'a' });
    const idle = openDatabase('notes', diskPlatform(disk, keys));
    await idle.ready();
    const third = openDatabase('notes', diskPlatform(disk, keys));
    await third.put({ _id: 'b' });
    for (const db of [first, idle, third]) await db.close();
    const content = new Map(disk.content());
    content.delete(`${FOLDER}/logs`);
    expect(await found(simulatedDisk(content))).toBe('CORRUPT');
  });

  test('reports damage in a process that has the folder open when the count of logs becomes an older copy', async () => {
    const disk = simulatedDisk(whole());
    const db = openDatabase('notes', diskPlatform(disk, keys));
    expect((await db.verify()).damaged).toEqual([]);
    const older = states.findLast((state) => {
      const count = state.get(`${FOLDER}/logs`);
      return count !== undefined && Buffer.compare(count, whole().get(`${FOLDER}/logs`) ?? count) !== 0;
    });
    const file = await disk.files.open(`${FOLDER}/logs`, 'empty');
    await file.write(older?.get(`${FOLDER}/logs`) ?? new Uint8Array(), 0);
    expect((await db.verify()).damaged.map(({ cid }) => cid)).toEqual(['store']);
    await db.close().catch(() => undefined);
  });
});

describe.each([
  ['encrypted', true],
  ['plain', false],
])('[R4] a store of single records (%s), as in a browser,', (_, encrypted) => {
  const stored = new Map<string, Uint8Array>();
  const keyBag = new Map<string, readonly Uint8Array[]>();
  const open = (values: Map<string, Uint8Array>) =>
    openDatabase('notes', memoryPlatform(values, keyBag).platform, { encrypted });

  beforeAll(async () => {
    const db = open(stored);
    for (let n = 0; n < 3; n++) await db.put(document(n, 1));
    await db.compact();
    for (let n = 0; n < 3; n++) await db.put(document(n, 2));
    await db.close();
  });

  async function answer(values: Map<string, Uint8Array>): Promise<string> {
    const db = open(values);
    try {
      const { rows } = await db.allDocs<{ count: number }>();
      const { damaged, missing } = await db.verify();
      if (damaged.length + missing.length > 0) return 'not clean';
      return rows.map(({ key, value }) => `${key}:${value.count}:true`).join(' ');
    } catch (error) {
      if (isFixpointError(error)) return 'typed error';
      throw error;
    } finally {
      await db.close().catch(() => undefined);
    }
  }

  test('returns every document, or reports an error or damage, when one record is lost or emptied', async () => {
    expect(await answer(new Map(stored))).toBe(ALL);
    for (const key of stored.keys())
      for (const bytes of [undefined, new Uint8Array()]) {
        const values = new Map(stored);
        if (bytes === undefined) values.delete(key);
        else if (values.get(key)?.length) values.set(key, bytes);
        expect([key, bytes?.length, [ALL, 'typed error', 'not clean']]).toEqual([
          key,
          bytes?.length,
          expect.arrayContaining([await answer(values)]),
        ]);
      }
  });

  test('reports CORRUPT when the head record is missing', async () => {
    const values = new Map(stored);
    values.delete('head');
    await expect(open(values).ready()).rejects.toMatchObject({ code: 'CORRUPT' });
    expect(values.size).toBe(stored.size - 1);
  });

  test('returns every document, or reports an error or damage, when two records are swapped', async () => {
    const names = [...stored.keys()];
    for (const [at, one] of names.entries())
      for (const other of names.slice(at + 1)) {
        const values = new Map(stored);
        values.set(one, stored.get(other) ?? new Uint8Array());
        values.set(other, stored.get(one) ?? new Uint8Array());
        expect([one, other, [ALL, 'typed error', 'not clean']]).toEqual([
          one,
          other,
          expect.arrayContaining([await answer(values)]),
        ]);
      }
  });
});
