import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type DiskObjects, openDiskObjects } from './disk-objects.ts';

/** Bytes that begin with a capital are the variant of that letter. */
const firstLetter = (bytes: Buffer) => /^[A-Z]/.exec(bytes.toString())?.[0];

async function opened(): Promise<{ objects: DiskObjects; folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'fixpoint-objects-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return { objects: await openDiskObjects(folder, firstLetter, () => Date.now()), folder };
}

async function* parts(...texts: string[]): AsyncIterable<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

async function textOf(objects: DiskObjects, path: string, variant?: string): Promise<string | undefined> {
  const object = await objects.open(path, variant);
  if (object === undefined) return undefined;
  const read: Uint8Array[] = [];
  for await (const part of object.read()) read.push(part);
  return Buffer.concat(read).toString();
}

describe('objects on disk', () => {
  test('[B1] what was written is read, and is there for the next process', async () => {
    const { objects, folder } = await opened();
    expect(await objects.has('t/l/car/k')).toBe(false);
    expect(await objects.open('t/l/car/k')).toBeUndefined();
    expect(await objects.write('t/l/car/k', parts('one', 'two'))).toBe('stored');
    expect(await textOf(await openDiskObjects(folder, firstLetter, () => 0), 't/l/car/k')).toBe('onetwo');
  });

  test('[S3] an object is never replaced by other bytes', async () => {
    const { objects } = await opened();
    await objects.write('k', parts('first'));
    expect(await objects.write('k', parts('fi', 'rst'))).toBe('same');
    expect(await objects.write('k', parts('second'))).toBe('different');
    expect(await textOf(objects, 'k')).toBe('first');
  });

  test('[S3] other bytes are kept beside the first ones when they are another variant, and never replaced', async () => {
    const { objects } = await opened();
    await objects.write('k', parts('A first'));
    expect(await objects.write('k', parts('B other'))).toBe('stored');
    expect(await objects.write('k', parts('B other'))).toBe('same');
    expect(await objects.write('k', parts('B damaged'))).toBe('different');
    expect(await objects.write('k', parts('A damaged'))).toBe('different');
    expect(await objects.write('k', parts('no variant'))).toBe('different');
    expect(await objects.variants('k')).toEqual(['B']);
    expect(await textOf(objects, 'k')).toBe('A first');
    expect(await textOf(objects, 'k', 'B')).toBe('B other');
    expect(await objects.remove('k')).toBe(true);
    expect(await objects.variants('k')).toEqual([]);
  });

  test('[S3] of uploads at the same time one is stored, and all bytes of it', async () => {
    const { objects } = await opened();
    const uploads = Array.from({ length: 20 }, (_, index) =>
      objects.write('k', parts('a', String(index), 'z')),
    );
    const outcomes = await Promise.all(uploads);
    expect(outcomes.filter((outcome) => outcome === 'stored')).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === 'different')).toHaveLength(19);
    expect(await textOf(objects, 'k')).toBe(`a${outcomes.indexOf('stored')}z`);
  });

  test('[R14] an upload that breaks off leaves nothing behind', async () => {
    const { objects, folder } = await opened();
    async function* broken(): AsyncIterable<Uint8Array> {
      yield Buffer.from('half');
      throw new Error('the link broke');
    }
    await expect(objects.write('k', broken())).rejects.toThrow('the link broke');
    expect(await objects.has('k')).toBe(false);
    expect(await readdir(join(folder, 'drafts'))).toEqual([]);
  });

  test('what was removed is gone; removing it again finds nothing', async () => {
    const { objects } = await opened();
    await objects.write('k', parts('x'));
    expect(await objects.remove('k')).toBe(true);
    expect(await objects.remove('k')).toBe(false);
    expect(await objects.has('k')).toBe(false);
  });

  test('all objects of a ledger are removed with their variants, and those of others stay', async () => {
    const { objects, folder } = await opened();
    for (const path of ['t/one/car/k', 't/one/file/k', 't/one1/car/k', 't/two/car/k'])
      await objects.write(path, parts('A first'));
    await objects.write('t/one/car/k', parts('B other'));
    await objects.removeLedger('t/one');
    await objects.removeLedger('t/one');
    for (const path of ['t/one/car/k', 't/one/file/k']) expect(await objects.has(path)).toBe(false);
    for (const path of ['t/one1/car/k', 't/two/car/k']) expect(await textOf(objects, path)).toBe('A first');
    const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((one) =>
      one.isFile(),
    );
    expect(files).toHaveLength(2);
    expect(await objects.write('t/one/car/k', parts('again'))).toBe('stored');
  });

  test('drafts of a process that died are removed when they are old', async () => {
    const { folder } = await opened();
    await writeFile(join(folder, 'drafts', 'half'), 'half');
    const drafts = () => readdir(join(folder, 'drafts'));
    await openDiskObjects(folder, firstLetter, () => Date.now());
    expect(await drafts()).toHaveLength(1);
    await openDiskObjects(folder, firstLetter, () => Date.now() + 7_200_000);
    expect(await drafts()).toHaveLength(0);
  });
});
