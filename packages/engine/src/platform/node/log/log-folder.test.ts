import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { FileSystem } from '../../../ports/file-system.ts';
import { nodeFiles } from '../node-files.ts';
import { destroyFolder, readCount, takeLog } from './log-folder.ts';
import { decodeHeader, HEADER_BYTES } from './log-format.ts';

const half = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest().subarray(0, 16);
const checked = (body: Buffer) => Buffer.concat([body, half(body)]);
const countOf = (count: number, version = 1) =>
  checked(Buffer.concat([Buffer.from('fixpoint-logs'), Buffer.of(version, count >> 8, count & 0xff)]));

/** A folder whose logs are all in use by other processes. */
function taken(files: Readonly<Record<string, Uint8Array>>): FileSystem {
  return {
    oneAtATime: (_: string, work: () => Promise<unknown>) => work(),
    readFile: async (path: string) => files[path],
    list: async (folder: string) =>
      Object.keys(files).flatMap((path) =>
        path.startsWith(`${folder}/`) ? [path.slice(folder.length + 1)] : [],
      ),
    stamp: async (path: string) => (files[path] === undefined ? undefined : '1:1'),
    lock: async () => undefined,
  } as unknown as FileSystem;
}
const code = (name: string) => expect.objectContaining({ code: name }) as Error;

describe('the logs of a folder', () => {
  test('[R3] accepts that another process removed the folder, and reports a folder that cannot be removed', async () => {
    await expect(destroyFolder('/nowhere/fixpoint-db', nodeFiles)).resolves.toBeUndefined();
    for (const [errno, refused] of [
      ['EIO', 'STORE_FAILED'],
      ['EACCES', 'STORE_FAILED'],
      ['ENOSPC', 'STORE_FULL'],
    ] as const) {
      const rename = () => Promise.reject(Object.assign(new Error(errno), { code: errno }));
      await expect(destroyFolder('db', { ...nodeFiles, rename })).rejects.toThrow(code(refused));
    }
  });

  test('[R9] rejects a process when all logs are in use and no more may be created', async () => {
    await expect(
      takeLog(taken({ 'db/log': Buffer.alloc(48), 'db/logs': countOf(250) }), 'db'),
    ).rejects.toThrow(code('STORE_LOCKED'));
  });

  test("[R9] doesn't create a log that another process creates at the same time", async () => {
    await expect(takeLog(taken({ 'db/log': Buffer.alloc(48) }), 'db')).rejects.toThrow(code('STORE_LOCKED'));
  });

  test.each([
    ['a log with a record', { 'db/log-3': Buffer.alloc(49) }, true],
    ['a log without a record', { 'db/log-3': Buffer.alloc(48) }, false],
    ['the marker of a log', { 'db/durable-3': Buffer.alloc(56) }, true],
    ['a log of a much higher number', { 'db/log-17': Buffer.alloc(49) }, true],
    ['the draft of a log', { 'db/log-3.new': Buffer.alloc(49) }, false],
  ])('[R4] decides whether %s beyond the count is damage', async (_, more, isCorrupt) => {
    const counted = readCount(taken({ 'db/log': Buffer.alloc(48), 'db/logs': countOf(3), ...more }), 'db');
    if (isCorrupt) await expect(counted).rejects.toThrow(code('CORRUPT'));
    else expect(await counted).toBe(3);
  });

  test.each(['db/log-1', 'db/durable', 'db/files/0123'])(
    '[R4] reports %s as damage in a folder without log 0 and without a count',
    async (path) => {
      const folder = taken({ [path]: Buffer.alloc(100) });
      await expect(readCount(folder, 'db')).rejects.toThrow(code('CORRUPT'));
    },
  );

  test('[R9] counts a log that another process adds while the folder is being read', async () => {
    let count = 2;
    const files = taken({ 'db/log': Buffer.alloc(48) });
    const racing: FileSystem = {
      ...files,
      readFile: async (path) => (path === 'db/logs' ? countOf(count) : undefined),
      list: async () => {
        count = 3;
        return ['log', 'log-1', 'log-2', 'durable-2'];
      },
    };
    expect(await readCount(racing, 'db')).toBe(3);
  });

  test('[R4] rejects a count of a newer version, and reports a changed count as CORRUPT', async () => {
    expect(await readCount(taken({ 'db/logs': countOf(3) }), 'db')).toBe(3);
    await expect(readCount(taken({ 'db/logs': countOf(3, 2) }), 'db')).rejects.toThrow(code('FORMAT_NEWER'));
    const changed = countOf(3);
    changed[15] = 4;
    await expect(readCount(taken({ 'db/logs': changed }), 'db')).rejects.toThrow(code('CORRUPT'));
    const other = checked(Buffer.concat([Buffer.from('fixpoint-logz'), Buffer.of(1, 0, 3)]));
    await expect(readCount(taken({ 'db/logs': other }), 'db')).rejects.toThrow(code('CORRUPT'));
  });
});

describe('the header of a log', () => {
  const header = (magic: string, rest: Uint8Array) => {
    const body = Buffer.alloc(HEADER_BYTES - 16);
    body.write(magic, 'latin1');
    body.set(rest, magic.length);
    return checked(body);
  };
  const id = Buffer.alloc(16, 7);

  test('[R17] accepts version 1 as log 0, and rejects newer versions and all other bytes', () => {
    expect(decodeHeader(header('fixpoint-log-1\n\0', id))).toEqual({
      slot: 0,
      generation: 0,
      id,
      version: 1,
    });
    const second = Buffer.concat([Buffer.of(3, 9), id]);
    expect(decodeHeader(header('fixpoint-log-2', second))).toEqual({
      slot: 3,
      generation: 9,
      id,
      version: 2,
    });
    expect(() => decodeHeader(header('fixpoint-log-3', second))).toThrow(code('FORMAT_NEWER'));
    expect(decodeHeader(header('another-file-1', second))).toBeUndefined();
    expect(decodeHeader(header('fixpoint-log-2', second).subarray(1))).toBeUndefined();
  });
});
