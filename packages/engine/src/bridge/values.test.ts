import { FixpointError } from '@fixpoint/protocol';
import { CID } from 'multiformats/cid';
import { expect, test } from 'vitest';
import { timeoutError } from '../base/timeout-error.ts';
import { ownLinks } from '../codec/links.fixture.ts';
import { type PackParts, pack, unpack } from './values.ts';

const own: PackParts = { fn: () => 0, signal: () => 0, areOwn: true };
const foreign: PackParts = { fn: () => 0, signal: () => 0 };
const parts = {
  fn: () => () => Promise.resolve(),
  signal: () => AbortSignal.abort(),
  file: () => Promise.reject(new Error('no file')),
};

test('sends a document that the engine created without copying the document, but copies a foreign one', () => {
  const doc = { _id: 'a', items: [{ n: 1, tags: ['a', 'b'] }, [null, true]] };
  expect(pack(doc, own)).toBe(doc);
  expect(pack(doc, foreign)).not.toBe(doc);
});

test('copies only the items of a list that have values to convert, and leaves the originals unchanged', () => {
  const link = ownLinks(CID.parse('bafyreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy'));
  const doc = { items: [{ n: 1 }, { to: [link] }] };
  const packed = pack(doc, own) as typeof doc;
  expect(packed.items[0]).toBe(doc.items[0]);
  expect(doc.items[1]).toEqual({ to: [link] });
  expect(unpack(structuredClone(packed), parts)).toEqual(doc);
});

test.each([
  new FixpointError('FETCH', 'ECONNRESET'),
  new FixpointError('NOT_FOUND'),
  timeoutError(3000),
  Object.assign(new FixpointError('HTTP'), { message: 'Bad Gateway' }),
])('keeps the code and the whole message of %s', (error) => {
  const sent = unpack(structuredClone(pack(error, own)), parts);
  expect(sent).toBeInstanceOf(FixpointError);
  expect(sent).toMatchObject({ code: error.code, message: error.message });
});
