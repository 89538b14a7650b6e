import { CarReader } from '@ipld/car';
import fc from 'fast-check';
import { CID } from 'multiformats/cid';
import { describe, expect, test } from 'vitest';
import { type Block, blockOf, encodeBlock } from '../codec/block.ts';
import { CAR, cidOf, cidToBytes, DAG_CBOR, RAW } from '../codec/cid.ts';
import { decodeBlockIndex, encodeBlockIndex } from './block-index.ts';
import { hasSectionAt, readCar, scanCar, writeCar } from './car.ts';
import { joinArchives } from './join.ts';
import { packArchive, packBlocks, readArchiveHeader } from './pack.ts';

const someBlocks = fc
  .array(fc.tuple(fc.uint8Array({ maxLength: 300 }), fc.constantFrom(DAG_CBOR, RAW)), { maxLength: 12 })
  .map((all) => all.map(([bytes, codec]) => blockOf(bytes, codec)));
const block = encodeBlock({ a: 1 });
const corrupt = expect.objectContaining({ code: 'CORRUPT' });

const blocksIn = (bytes: Uint8Array): Block[] =>
  readCar(bytes).blocks.map(({ cid, offset, length }) => ({
    cid,
    bytes: bytes.subarray(offset, offset + length),
  }));

describe('CAR', () => {
  test('is readable by another implementation', async () => {
    await fc.assert(
      fc.asyncProperty(someBlocks, async (blocks) => {
        const { bytes } = writeCar([block.cid], blocks);
        const reader = await CarReader.fromBytes(bytes);
        expect((await reader.getRoots()).map(String)).toEqual([block.cid]);
        const read: unknown[] = [];
        for await (const one of reader.blocks()) read.push([one.cid.toString(), Buffer.from(one.bytes)]);
        expect(read).toEqual(blocks.map(({ cid, bytes: own }) => [cid, Buffer.from(own)]));
      }),
    );
  });

  test('[R4] finds the section of a block at the place where the block was written, and nowhere else', () => {
    const { bytes, blocks } = writeCar([block.cid], [block, blockOf(new Uint8Array(200), RAW), block]);
    for (const { cid, offset, length } of blocks)
      for (let by = -offset; by <= bytes.length - offset; by++) {
        const isThere = blocks.some((one) => one.offset === offset + by && one.cid === cid);
        expect(hasSectionAt(bytes, cid, offset + by, length)).toBe(isThere);
        if (by !== 0 && length + by >= 0) expect(hasSectionAt(bytes, cid, offset, length + by)).toBe(false);
      }
  });

  test('reads the same blocks and places that were written', () => {
    fc.assert(
      fc.property(someBlocks, (blocks) => {
        const written = writeCar([block.cid], blocks);
        expect(readCar(written.bytes)).toEqual({ roots: [block.cid], blocks: written.blocks });
        expect(blocksIn(written.bytes)).toEqual(blocks);
      }),
    );
  });

  test('accepts blocks of the lengths at which the encoded length grows by a byte', () => {
    for (const length of [0, 1, 91, 92, 16_347, 16_348, 2_097_115, 2_097_116]) {
      const one = blockOf(new Uint8Array(length), RAW);
      const [again] = blocksIn(writeCar([one.cid], [one]).bytes);
      expect(again?.cid).toBe(one.cid);
      expect(Buffer.from(again?.bytes ?? []).equals(one.bytes)).toBe(true);
    }
  });

  test('[R4] rejects a CAR with a changed byte as corrupt, or returns blocks with the same content', () => {
    const { bytes } = writeCar([block.cid], [block, blockOf(new Uint8Array(200), RAW)]);
    const contents = (car: Uint8Array) => blocksIn(car).map((one) => Buffer.from(one.bytes).toString('hex'));
    const before = contents(bytes);
    for (let at = 0; at < bytes.length; at++) {
      for (const flip of [1, 0x80, 0xff]) {
        const changed = bytes.slice();
        changed[at] = (changed[at] ?? 0) ^ flip;
        try {
          expect(contents(changed)).toEqual(before);
        } catch (error) {
          expect(error).toEqual(corrupt);
        }
      }
    }
  });

  test('[R4] rejects a truncated CAR as corrupt, or returns the first blocks', () => {
    const { bytes, blocks } = writeCar([block.cid], [block, blockOf(new Uint8Array(200), RAW)]);
    for (let length = 0; length < bytes.length; length++) {
      try {
        const { blocks: found } = scanCar(bytes.subarray(0, length));
        expect(found).toEqual(blocks.slice(0, found.length));
        expect(found.filter((place) => place.offset + place.length > length)).toEqual([]);
        expect(readCar(bytes.subarray(0, length)).blocks).toEqual(found);
      } catch (error) {
        expect(error).toMatchObject({ code: 'CORRUPT' });
      }
    }
  });

  test.each([
    ['an empty file', []],
    ['a length of four gigabytes', [0xff, 0xff, 0xff, 0xff, 0x0f]],
    ['a length without end', [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]],
    ['a header that is not a map', [1, 0x01]],
    ['an empty header', [0]],
  ])('[S7] rejects %s as corrupt', (_, bytes) => {
    expect(() => scanCar(Uint8Array.from(bytes))).toThrow(corrupt);
  });

  test("rejects a block that doesn't match its CID", () => {
    const { bytes } = writeCar([block.cid], [{ cid: block.cid, bytes: Uint8Array.of(1) }]);
    expect(() => readCar(bytes)).toThrow(corrupt);
  });

  test('rejects blocks with a kind of CID that the format does not know', () => {
    const header = Buffer.from('a265726f6f7473806776657273696f6e01', 'hex');
    const other = CID.parse('QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG').bytes;
    const bytes = Uint8Array.from([header.length, ...header, other.length + 4, ...other, 1, 2, 3, 4]);
    expect(() => readCar(bytes)).toThrow(corrupt);
  });
});

describe('archive', () => {
  const other = encodeBlock({ b: 2 });
  const groups = [
    [cidOf(CAR, Uint8Array.of(1)), cidOf(CAR, Uint8Array.of(2))],
    [cidOf(CAR, Uint8Array.of(3))],
  ];

  test('contains the packed groups and head in its header', async () => {
    const header = { cars: groups, compact: groups.slice(1), head: [block.cid, other.cid] };
    const archive = await packArchive(header, [block, other]);
    expect(readArchiveHeader(archive.bytes)).toEqual(header);
    expect(archive.cid).toBe(cidOf(CAR, archive.bytes));
    expect(readCar(archive.bytes).blocks).toEqual(archive.blocks);
    expect(archive.blocks.slice(1).map(({ cid }) => cid)).toEqual([block.cid, other.cid]);
  });

  test('reads the header without the blocks after it', async () => {
    const header = { cars: groups, compact: [], head: [block.cid] };
    const { bytes, blocks } = await packArchive(header, [block, other]);
    const [first] = blocks;
    const cut = bytes.slice(0, (first?.offset ?? 0) + (first?.length ?? 0) + 1);
    expect(() => scanCar(cut)).toThrow(corrupt);
    expect(readArchiveHeader(cut)).toEqual(header);
    expect(scanCar(bytes, 2).blocks).toEqual(blocks.slice(0, 2));
  });

  test('packs a repeated block once', async () => {
    const archive = await packArchive({ cars: [], compact: [], head: [] }, [block, other, block]);
    expect(archive.blocks.slice(1).map(({ cid }) => cid)).toEqual([block.cid, other.cid]);
  });

  test('rejects an archive without a header when one is required', () => {
    expect(() => readArchiveHeader(packBlocks(block.cid, [block]).bytes)).toThrow(corrupt);
    expect(() => readArchiveHeader(writeCar([], []).bytes)).toThrow(corrupt);
    expect(() => readArchiveHeader(writeCar([other.cid], [block]).bytes)).toThrow(corrupt);
  });

  test('[R20] rejects an archive of another version, or with a section before its header that has no CID', async () => {
    const { bytes } = await packArchive({ cars: groups, compact: [], head: [block.cid] }, [block]);
    const version = Buffer.from(bytes).indexOf('version') + 'version'.length;
    expect(bytes[version]).toBe(1);
    expect(() => readArchiveHeader(bytes.with(version, 2))).toThrow(corrupt);
    const headerEnd = version + 1;
    const short = (...section: number[]) =>
      Uint8Array.of(
        ...bytes.subarray(0, headerEnd),
        section.length,
        ...section,
        ...bytes.subarray(headerEnd),
      );
    for (const length of [0, 1, 35])
      expect(() => readArchiveHeader(short(...new Array<number>(length).fill(7)))).toThrow(corrupt);
    const withCid = short(...cidToBytes(block.cid));
    expect(readArchiveHeader(withCid).head).toEqual([block.cid]);
  });

  test('is the same whether its blocks are packed or joined from other archives', async () => {
    await fc.assert(
      fc.asyncProperty(someBlocks, someBlocks, async (some, more) => {
        const header = { cars: groups, compact: [], head: [block.cid] };
        const sources = [writeCar([block.cid], some), writeCar([], more)];
        const sections = sources.flatMap(({ bytes, blocks }) =>
          blocks.map(({ offset, length }) => ({ car: bytes, offset, length })),
        );
        const distinct = [...new Map([...some, ...more].map((one, at) => [one.cid, at])).values()];
        const joined = await joinArchives(
          header,
          distinct.flatMap((at) => sections[at] ?? []),
        );
        const all = [...some, ...more];
        const packed = await packArchive(
          header,
          distinct.flatMap((at) => all[at] ?? []),
        );
        expect(joined.cid).toBe(packed.cid);
        expect(joined.bytes).toEqual(packed.bytes);
        expect(decodeBlockIndex(joined.index)).toEqual(packed.blocks);
      }),
    );
  });

  test('lists the places of blocks in its block index', () => {
    fc.assert(
      fc.property(someBlocks, (blocks) => {
        const { blocks: places, bytes } = writeCar([], blocks);
        expect(decodeBlockIndex(encodeBlockIndex(places, bytes))).toEqual(places);
      }),
    );
  });

  test('[R4] rejects a truncated block index as corrupt', () => {
    const car = writeCar([], [block]);
    const bytes = encodeBlockIndex(car.blocks, car.bytes);
    for (let length = 1; length < bytes.length; length++)
      expect(() => decodeBlockIndex(bytes.subarray(0, length))).toThrow(corrupt);
  });
});
