import { describe, expect, test } from 'vitest';
import type { Cid } from '../../src/codec/cid.ts';
import { parseDocKey } from '../../src/documents/doc-key.ts';
import { decodeDocument, encodeDocument, TOMBSTONE } from '../../src/documents/encode.ts';
import { GENESIS_DOCUMENT } from '../../src/documents/genesis.ts';
import { fromHex, toHex, untag, vectors } from './vectors.fixture.ts';

interface Vector {
  name: string;
  id: string;
  input?: unknown;
  bytes?: string;
  cid?: Cid;
  readBack?: unknown;
  decoded?: { doc: unknown };
  error?: string;
}

const all = vectors<{ vectors: Vector[]; genesisDocBlock: { cid: Cid; bytes: string } }>('docs.json');
const byName = (names: Readonly<Record<string, string>>) =>
  Object.entries(names).map(
    ([name, why]) => [name, why, all.vectors.find((one) => one.name === name)] as const,
  );

/**
 * Values that the format's first implementation changes silently. Our engine rejects them instead.
 */
const REFUSED_HERE = {
  nan_prop: 'NaN was dropped',
  nested_undef: 'NaN was dropped',
  surrogate: 'a lone surrogate became U+FFFD',
  map: 'a Map became an empty object',
  set: 'a Set became an empty object',
  typed: 'a typed array became an object with numbered keys',
  bigint_small: 'a BigInt came back as a number',
};
/**
 * Values that the first implementation stores only below a field whose name starts with an
 * underscore, and rejects elsewhere. Our engine always stores them.
 */
const STORED_HERE = {
  underscore_obj_undef: 'undefined is dropped',
  underscore_date: 'a Date becomes its ISO text',
};
/**
 * Vectors that the file code of the first implementation wrote. Tests read these blocks, but can't
 * encode the input.
 */
const FILES = ['files', 'publicFiles'];
/** Vector without an input, because JSON omits functions. */
const FUNCTION = 'func';
/**
 * Vector of a document with `_deleted: true`. The first implementation returns this document; our
 * engine treats it as deleted (docs/decisions/0125).
 */
const DELETION = 'deleted_flag';

describe('golden documents', () => {
  const stored = all.vectors.filter(
    ({ name, error, input }) =>
      error === undefined && input !== undefined && !(name in REFUSED_HERE) && !FILES.includes(name),
  );

  test.each(stored.map((vector) => [vector.name, vector] as const))(
    '%s: encodes the recorded bytes and CID, and reads the recorded document',
    (_, vector) => {
      const block = encodeDocument(untag(vector.input) as Record<string, unknown>, parseDocKey(vector.id));
      expect([toHex(block.bytes), block.cid]).toEqual([vector.bytes, vector.cid]);
      const isDeletion = vector.name === DELETION;
      expect(decodeDocument(block.bytes)).toEqual(
        isDeletion ? { deleted: true } : { doc: untag(vector.readBack) },
      );
    },
  );

  test.each(
    all.vectors.filter(({ bytes }) => bytes !== undefined).map((vector) => [vector.name, vector] as const),
  )('%s: reads the expected document from the block', (name, { bytes, readBack, decoded }) => {
    const found = decodeDocument(fromHex(bytes ?? ''));
    expect(found).toEqual(
      name === DELETION || (readBack === undefined && decoded === undefined)
        ? { deleted: true }
        : { doc: untag(decoded?.doc ?? readBack) },
    );
  });

  const refused = all.vectors.filter(
    ({ name, error }) => error !== undefined && name !== FUNCTION && !(name in STORED_HERE),
  );
  test.each([
    ...byName(REFUSED_HERE),
    ...refused.map((vector) => [vector.name, 'the first implementation also rejects it', vector] as const),
    [FUNCTION, 'the first implementation also rejects it', { input: { f: () => 0 }, id: 'x' }] as const,
  ])('%s: rejects the document (%s)', (_, __, vector) => {
    expect(() =>
      encodeDocument(untag(vector?.input) as Record<string, unknown>, parseDocKey(vector?.id)),
    ).toThrow(expect.objectContaining({ code: 'DOC_INVALID' }));
  });

  test.each(byName(STORED_HERE))('%s: stores the document (%s)', (_, __, vector) => {
    expect(() =>
      encodeDocument(untag(vector?.input) as Record<string, unknown>, parseDocKey(vector?.id)),
    ).not.toThrow();
  });

  test('encodes the tombstone and the genesis document of every database', () => {
    const tombstone = all.vectors.find(({ name }) => name === 'tombstone');
    expect([toHex(TOMBSTONE.bytes), TOMBSTONE.cid]).toEqual([tombstone?.bytes, tombstone?.cid]);
    expect({ cid: GENESIS_DOCUMENT.cid, bytes: toHex(GENESIS_DOCUMENT.bytes) }).toEqual(all.genesisDocBlock);
  });

  test('covers all vectors', () => {
    expect(stored.length + refused.length + Object.keys({ ...REFUSED_HERE, ...STORED_HERE }).length).toBe(
      all.vectors.length - FILES.length - ['tombstone', FUNCTION].length,
    );
  });
});
