import { readFileSync } from 'node:fs';
import type { MetaEntry } from '@fixpoint/protocol/storage';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { carKey, cidText, metaEntry, sealedEntry } from '../../../tests/cloud.fixture.ts';
import { carsOf, readEntry } from './read-entry.ts';

/** Entries that an existing client wrote. */
const { entries: golden } = JSON.parse(
  readFileSync(new URL('../../../../engine/tests/vectors/meta.json', import.meta.url), 'utf8'),
) as { entries: { cars: string[]; entry: MetaEntry }[] };

const cars = [carKey(new Uint8Array(1)), carKey(new Uint8Array(2))];
const entry = metaEntry(cars);
const block = Buffer.from(entry.data.slice(1), 'base64');
const encoded = (bytes: Uint8Array): MetaEntry => ({
  cid: cidText(0x71, bytes),
  parents: [],
  data: `M${Buffer.from(bytes).toString('base64')}`,
});

const text = (value: string) => Buffer.concat([Buffer.from([0x60 + value.length]), Buffer.from(value)]);
const bytesItem = (value: Uint8Array) =>
  Buffer.concat([Buffer.from([0x59, value.length >> 8, value.length & 255]), value]);
const blockOf = (dbMeta: string, ...more: readonly Buffer[]) =>
  Buffer.concat([
    Buffer.from([0xa2]),
    text('data'),
    Buffer.from([0xa1 + more.length / 2]),
    text('dbMeta'),
    bytesItem(Buffer.from(dbMeta.padEnd(256))),
    ...more,
    text('parents'),
    Buffer.from([0x80]),
  ]);

/** Entries that any writer could put, and that no client can read. */
const MALFORMED: Readonly<Record<string, MetaEntry>> = {
  'an empty CID': { ...entry, cid: '' },
  'a CID that is garbage': { ...entry, cid: 'garbage' },
  'a CID in upper case': { ...entry, cid: entry.cid.toUpperCase() },
  'a CID with another last letter': { ...entry, cid: `${entry.cid.slice(0, -1)}b` },
  'a CID of another codec': { ...entry, cid: cidText(0x55, block) },
  'a CID of other bytes': { ...entry, cid: cidText(0x71, Buffer.from('other')) },
  'a parent that is garbage': { ...entry, parents: ['garbage'] },
  'empty data': { ...entry, data: '' },
  'only a letter': { ...entry, data: 'M' },
  'data of another multibase': { ...entry, data: `z${entry.data.slice(1)}` },
  "data that isn't base64": { ...entry, data: 'M!!!!' },
  'base64 without its padding': encodedWith((data) => data.replace(/=+$/, '')),
  "bytes that aren't CBOR": encoded(Buffer.from([0xff, 0xff])),
  'CBOR with more bytes after it': encoded(Buffer.concat([block, Buffer.from([0])])),
  "a block that isn't a map": encoded(Buffer.from([0x80])),
  'a block without a db meta': encoded(Buffer.from([0xa1, 0x64, ...Buffer.from('data'), 0xa0])),
  "a db meta that isn't JSON": encoded(blockOf('no JSON')),
  'a db meta without archives': encoded(blockOf('{"cars":[]}')),
  "a db meta whose archives aren't a list": encoded(blockOf('{"cars":{}}')),
  "an archive that isn't a CID": encoded(blockOf('{"cars":[{"/":"bafycar"}]}')),
  'an archive that is null': encoded(blockOf('{"cars":[null]}')),
  "a head that isn't a list of links": encoded(
    blockOf(`{"cars":[{"/":"${cars[0]}"}]}`, text('head'), Buffer.from([0x81, 0x01])),
  ),
  'a sealed object that is too short': encodedSealed(Buffer.from([0x53, 1, 2, 3])),
  'a sealed object with another first byte': encodedSealed(Buffer.alloc(100)),
  'a sealed object under another CID': { ...sealedEntry('a'), cid: sealedEntry('b').cid },
};

function encodedWith(change: (data: string) => string): MetaEntry {
  const padded = [entry, metaEntry(cars, 'a'), metaEntry(cars, 'ab')].find(({ data }) => data.endsWith('='));
  if (padded === undefined) throw new Error('none has padding');
  return { ...padded, data: change(padded.data) };
}

function encodedSealed(bytes: Buffer): MetaEntry {
  return { cid: cidText(0x55, bytes), parents: [], data: `S${bytes.toString('base64')}` };
}

describe('readEntry', () => {
  test.each(Object.entries(MALFORMED))('[R20] rejects %s', (_, malformed) => {
    expect(() => readEntry(malformed)).toThrow();
    expect(carsOf(malformed)).toEqual([]);
  });

  test('[R14] reads entries as existing clients write them', () => {
    expect(readEntry(entry)).toEqual({ cars, tells: 'cars' });
    expect(golden.length).toBeGreaterThan(2);
    for (const { entry: stored, cars: named } of golden) expect(readEntry(stored).cars).toEqual(named);
  });

  test('[R14] reads the visible part of sealed entries', () => {
    expect(readEntry(sealedEntry('a'))).toEqual({ cars: [], tells: 'nothing' });
  });

  test('[R14] finds the archives after other fields', () => {
    const more = Buffer.concat([
      Buffer.from([0xa3, 0x61, 0x61, 0x82, 0x01, 0xa1, 0x61, 0x62, 0xf6]),
      block.subarray(1),
    ]);
    expect(carsOf(encoded(more))).toEqual(cars);
  });

  test('[R20] reads or rejects any bytes and any text, and never invents archive names', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(carsOf(encoded(bytes))).toEqual([]);
      }),
    );
    fc.assert(fc.property(fc.string(), (data) => void carsOf({ ...entry, data })));
  });

  test('[R20] rejects a changed entry under its old CID, and reads or rejects it under its new CID', () => {
    fc.assert(
      fc.property(fc.nat(block.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const changed = Uint8Array.from(block);
        changed[at] = (changed[at] ?? 0) ^ flip;
        expect(carsOf({ ...encoded(changed), cid: entry.cid })).toEqual([]);
        expect(Array.isArray(carsOf(encoded(changed)))).toBe(true);
      }),
    );
  });

  test('[S7] rejects false lengths and deep nesting immediately', () => {
    const huge = [0x9b, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff];
    for (const bytes of [
      [0xba, 0xff, 0xff, 0xff, 0xff],
      [0xa1, 0x64, ...Buffer.from('data'), ...huge],
      [0xa2, 0x61, 0x61, 0x9a, 0xff, 0xff, 0xff, 0xff],
      [0xa2, 0x61, 0x61, ...new Array(100_000).fill(0x81)],
      [0xa2, 0x7a, 0xff, 0xff, 0xff, 0xff],
    ])
      expect(carsOf(encoded(Uint8Array.from(bytes)))).toEqual([]);
  });
});
