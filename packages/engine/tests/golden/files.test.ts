import { describe, expect, test } from 'vitest';
import { readCar } from '../../src/archive/car.ts';
import { type FileArchive, fileBlocks, packFiles } from '../../src/archive/file-archive.ts';
import { base58Bytes } from '../../src/codec/base58.ts';
import type { Cid } from '../../src/codec/cid.ts';
import { dataKey, type Keys } from '../../src/crypto/keys.ts';
import { open, seal } from '../../src/crypto/seal.ts';
import { parseDocKey } from '../../src/documents/doc-key.ts';
import { encodeDocument } from '../../src/documents/encode.ts';
import { parseFileEntry } from '../../src/documents/file-entry.ts';
import { splitFiles } from '../../src/files/split.ts';
import { takeFiles } from '../../src/files/take.ts';
import { bytesOf, filesIn, fromHex, toHex, vectors } from './vectors.fixture.ts';

interface FileVector {
  readonly $file: {
    readonly text?: string;
    readonly hex?: string;
    readonly type: string;
    readonly lastModified: number;
  };
}
interface Vector {
  readonly name: string;
  readonly id: string;
  readonly cid: Cid;
  readonly bytes: string;
  readonly input: Record<string, unknown>;
}

const { vectors: documents } = vectors<{ vectors: Vector[] }>('docs.json');
const named = (name: string) =>
  documents.filter((vector) => vector.name === name && vector.input !== undefined);

/** Replaces the file descriptions in the vector with Files. */
function withRealFiles(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  if ('$file' in value) {
    const { text, hex, type, lastModified } = (value as FileVector).$file;
    return new File([text ?? Uint8Array.from(fromHex(hex ?? ''))], 'any', { type, lastModified });
  }
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withRealFiles(item)]));
}

describe('golden files', () => {
  test.each([...named('files'), ...named('publicFiles')].map((vector) => [vector.name, vector] as const))(
    '%s: encodes a document with Files as the recorded block and archive name',
    async (_, vector) => {
      const taken = takeFiles(withRealFiles(vector.input) as Record<string, unknown>);
      if (taken === undefined) throw new Error('the vector has no files');
      const { maps, archives, staged } = await splitFiles(taken, {
        stage: () => Promise.reject(new Error('nothing to stage')),
        nowMs: 0,
      });
      const block = encodeDocument({ ...taken.rest, ...maps }, parseDocKey(vector.id));
      expect([toHex(block.bytes), block.cid]).toEqual([vector.bytes, vector.cid]);
      expect([archives.length, staged]).toEqual([1, []]);
    },
  );

  test('opens file archives of a stored database, finds the files by name, and writes them again byte for byte', async () => {
    const folder = 'db-small/store/demodb/data/';
    const { item } = JSON.parse(
      Buffer.from(bytesOf('db-small/keybag/_demodb_data_.json')).toString('utf8'),
    ) as { item: { keys: Record<string, { key: string }> } };
    const list = Object.values(item.keys).map(({ key }) => dataKey(base58Bytes(key)));
    const keys: Keys['all'] = new Map(list.map((key) => [key.id, key]));
    const { expected } = vectors<{ expected: { allDocs: { value: Record<string, unknown> }[] } }>(
      'db-small/expected.json',
    );
    const wanted = expected.allDocs.flatMap(({ value }) =>
      ['_files', '_publicFiles'].flatMap((name) =>
        Object.values((value[name] ?? {}) as Record<string, Record<string, unknown>>).map((entry) =>
          parseFileEntry(plainLinks(entry)),
        ),
      ),
    );
    expect(wanted.length).toBeGreaterThanOrEqual(3);
    const seen: string[] = [];
    for (const name of filesIn(folder).filter(
      (file) => file.startsWith('baembei') && !file.endsWith('.car'),
    )) {
      const sealed = bytesOf(folder + name);
      const bytes = await open(sealed, keys);
      const blocks = await fileBlocks(bytes);
      const again: FileArchive = await packFiles(readCar(bytes).roots, blocks);
      expect(again.cid).toBe(name);
      const [key] = list;
      if (key === undefined) throw new Error('no key');
      expect(toHex(await seal(again.bytes, key))).toBe(toHex(sealed));
      for (const { cid, bytes: content } of blocks) {
        const entry = wanted.find((one) => one?.cid === cid && one.car.includes(again.cid));
        expect(entry?.size).toBe(content.length);
        seen.push(cid);
      }
    }
    expect(new Set(seen)).toEqual(new Set(wanted.map((entry) => entry?.cid)));
  });
});

/** Replaces tagged links with texts, which an entry may also contain. */
function plainLinks(entry: Record<string, unknown>): Record<string, unknown> {
  const text = (value: unknown) => (value as { $cid: string }).$cid;
  return { ...entry, cid: text(entry['cid']), car: (entry['car'] as unknown[]).map(text) };
}
