import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { long } from '../../../engine/tests/budget.fixture.ts';
import { openDiskObjects } from './disk-objects.ts';
import { newBucket, S3 } from './s3.fixture.ts';
import { openS3Objects } from './s3-objects.ts';
import { bytesOf, type StoredObjects } from './stored-objects.ts';

/** Bytes that begin with a capital letter belong to the variant of that letter. */
const firstLetter = (bytes: Buffer) => /^[A-Z]/.exec(bytes.toString())?.[0];
const now = () => Date.now();

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'fixpoint-objects-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

interface Place {
  readonly folder: string;
  /** Opens the same objects again, like another process, or like this process after a restart. */
  again(): Promise<StoredObjects>;
}

const PLACES: Record<string, { isMissing: boolean; make(): Promise<Place> }> = {
  'on disk': {
    isMissing: false,
    make: async () => {
      const folder = await newFolder();
      return { folder, again: () => openDiskObjects(folder, firstLetter, now) };
    },
  },
  'in a bucket (skipped without FIXPOINT_TEST_S3)': {
    isMissing: S3 === undefined,
    make: async () => {
      const [folder, bucket] = [await newFolder(), await newBucket()];
      return { folder, again: () => openS3Objects(bucket, join(folder, 'drafts'), firstLetter, now) };
    },
  },
};

const countFiles = async (folder: string) =>
  (await readdir(folder, { recursive: true, withFileTypes: true })).filter((one) => one.isFile()).length;

async function* parts(...texts: string[]): AsyncIterable<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

async function textOf(objects: StoredObjects, path: string, variant?: string): Promise<string | undefined> {
  const object = await objects.open(path, variant);
  return object && (await bytesOf(object)).toString();
}

for (const [name, { isMissing, make }] of Object.entries(PLACES))
  describe.skipIf(isMissing)(`objects ${name}`, () => {
    const opened = async () => {
      const place = await make();
      return { ...place, objects: await place.again() };
    };

    test('[B1] reads the bytes that were written, even in the next process', async () => {
      const { objects, again } = await opened();
      expect(await objects.has('t/l/car/k')).toBe(false);
      expect(await objects.open('t/l/car/k')).toBeUndefined();
      expect(await objects.write('t/l/car/k', parts('one', 'two'))).toBe('stored');
      expect(await textOf(await again(), 't/l/car/k')).toBe('onetwo');
    });

    test('[S3] never replaces an object by other bytes', async () => {
      const { objects } = await opened();
      await objects.write('k', parts('first'));
      expect(await objects.write('k', parts('fi', 'rst'))).toBe('same');
      expect(await objects.write('k', parts('second'))).toBe('different');
      expect(await textOf(objects, 'k')).toBe('first');
    });

    test('[S3] stores a second variant of an object, and never replaces either variant', async () => {
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

    test('[S3] stores exactly one of several concurrent uploads, with all its bytes', async () => {
      const { objects } = await opened();
      const uploads = Array.from({ length: 20 }, (_, index) =>
        objects.write('k', parts('a', String(index), 'z')),
      );
      const outcomes = await Promise.all(uploads);
      expect(outcomes.filter((outcome) => outcome === 'stored')).toHaveLength(1);
      expect(outcomes.filter((outcome) => outcome === 'different')).toHaveLength(19);
      expect(await textOf(objects, 'k')).toBe(`a${outcomes.indexOf('stored')}z`);
    });

    test('[R14] leaves nothing behind after an interrupted upload', async () => {
      const { objects, folder } = await opened();
      async function* broken(): AsyncIterable<Uint8Array> {
        yield Buffer.from('half');
        throw new Error('the link broke');
      }
      await expect(objects.write('k', broken())).rejects.toThrow('the link broke');
      expect(await objects.has('k')).toBe(false);
      expect(await readdir(join(folder, 'drafts'))).toEqual([]);
    });

    test('removes an object, and reports it as absent on a second removal', async () => {
      const { objects } = await opened();
      await objects.write('k', parts('x'));
      expect(await objects.remove('k')).toBe(true);
      expect(await objects.remove('k')).toBe(false);
      expect(await objects.has('k')).toBe(false);
    });

    test('removes all objects of a ledger with their variants, and none of other ledgers', async () => {
      const { objects, folder } = await opened();
      for (const path of ['t/one/car/k', 't/one/file/k', 't/one1/car/k', 't/two/car/k'])
        await objects.write(path, parts('A first'));
      await objects.write('t/one/car/k', parts('B other'));
      await objects.removeLedger('t/one');
      await objects.removeLedger('t/one');
      for (const path of ['t/one/car/k', 't/one/file/k']) expect(await objects.has(path)).toBe(false);
      for (const path of ['t/one1/car/k', 't/two/car/k']) expect(await textOf(objects, path)).toBe('A first');
      expect(await countFiles(folder)).toBe(name === 'on disk' ? 2 : 0);
      expect(await objects.write('t/one/car/k', parts('again'))).toBe('stored');
    });

    test('stores a large object, and an object without bytes', long, async () => {
      const { objects } = await opened();
      const large = randomBytes(20_000_000);
      async function* pieces() {
        for (let at = 0; at < large.length; at += 100_000) yield large.subarray(at, at + 100_000);
      }
      expect(await objects.write('large', pieces())).toBe('stored');
      const object = await objects.open('large');
      expect(object?.bytes).toBe(large.length);
      expect((object && (await bytesOf(object)))?.equals(large)).toBe(true);
      expect(await objects.write('empty', parts())).toBe('stored');
      expect(await objects.has('empty')).toBe(true);
      expect(await textOf(objects, 'empty')).toBe('');
    });

    test("[S3] does not store bytes that don't match the hash", async () => {
      const { objects } = await opened();
      const hash = createHash('sha256').update('right').digest('hex');
      expect(await objects.write('k', parts('wrong'), hash)).toBe('wrong');
      expect(await objects.has('k')).toBe(false);
      expect(await objects.write('k', parts('right'), hash)).toBe('stored');
    });
  });
