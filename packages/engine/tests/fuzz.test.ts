/**
 * Passes hostile bytes to every decoder of the engine: valid bytes with a few changes, and noise.
 */
import { isFixpointError, urlOf } from '@fixpoint/protocol';
import { buildStorageUrl, parseStorageUrl } from '@fixpoint/protocol/storage';
import { expect, test } from 'vitest';
import { decodeBlockIndex, encodeBlockIndex } from '../src/archive/block-index.ts';
import { readCar } from '../src/archive/car.ts';
import { fileBlocks, packFiles } from '../src/archive/file-archive.ts';
import { packArchive, readArchiveHeader } from '../src/archive/pack.ts';
import { utf8 } from '../src/base/bytes.ts';
import { decodeEvent, encodeEvent, sortHead } from '../src/clock/event.ts';
import { encodeBlock } from '../src/codec/block.ts';
import { partReader } from '../src/codec/cbor-part.ts';
import { cidOf, parseCid, RAW } from '../src/codec/cid.ts';
import { decode, link } from '../src/codec/dag-cbor.ts';
import { dataKey, keyText, parseKeyText } from '../src/crypto/keys.ts';
import { open, seal } from '../src/crypto/seal.ts';
import { openRow, sealRow } from '../src/crypto/seal-row.ts';
import { parseDocKey } from '../src/documents/doc-key.ts';
import { decodeDocument, encodeDocument } from '../src/documents/encode.ts';
import { encodeFileEntry, fileArchivesOf } from '../src/documents/file-entry.ts';
import { decodeIndexRecord, encodeIndexRecord } from '../src/index/index-record.ts';
import { decodeDirectory, encodeDirectory } from '../src/index/pack.ts';
import { decodeNode, nodeBytes } from '../src/prolly/node.ts';
import { decodeHeadRecord, encodeHeadRecord, NEW_RECORD } from '../src/store/head-record.ts';
import { decodeMetaEntry, encodeMetaEntry } from '../src/sync/ledger/meta-entry-codec.ts';
import { decodeMessage, encodeMessage } from '../src/sync/transport/message-codec.ts';
import { seededRandom } from '../src/testing/seeded-random.ts';
import { decodeShard, encodeShard } from '../src/trie/shard.ts';
import { budget, patienceMs, processorMs, seed } from './budget.fixture.ts';
import { mutate } from './mutate.fixture.ts';

const RUNS = budget({ commit: 100_000, night: 10_000_000, release: 10_000_000 });
/**
 * A call that takes longer than this counts as hung. The engine needs much less for these small
 * inputs.
 */
const SLOW_MS = 1000;

const document = encodeDocument(
  { text: 'hello', list: [1, null, { deep: [true] }], n: 1.5 },
  parseDocKey('id'),
);
const shard = encodeShard({ prefix: '', entries: [{ key: 'a', value: document.cid, child: undefined }] });
const event = encodeEvent({
  operations: [{ key: 'id', value: document.cid }],
  root: shard.cid,
  parents: [shard.cid],
});
const archive = await packArchive({ cars: [[shard.cid]], compact: [], head: [event.cid] }, [
  document,
  shard,
  event,
]);
const key = dataKey(new Uint8Array(32).fill(7));
const sealed = await seal(archive.bytes, key);
const row = await sealRow('head', utf8('a row'), key, new Uint8Array(12));
const entries = nodeBytes();
entries.append(['k', Uint8Array.of(1, 2)]);
entries.append(['l', null]);
const node = entries.take(0, true);
const indexRecord = encodeIndexRecord({
  definition: 'field:n',
  head: sortHead([event.cid]),
  root: shard.cid,
  byKey: node.cid,
  byId: undefined,
  packs: new Map([['pack', { bytes: 9, liveBytes: 9 }]]),
  usedAt: 1,
});
const content = { cid: cidOf(RAW, utf8('of a file')), bytes: utf8('of a file') };
const files = await packFiles([content.cid], [content]);
const fileEntry = { cid: content.cid, car: [files.cid], size: 9, type: 'text/plain', lastModified: 1 };
const withFile = encodeDocument({ _files: { f: encodeFileEntry(fileEntry) } }, parseDocKey('id'));
const entry = encodeMetaEntry([archive.cid], [event.cid], [event.cid, shard.cid]);
const message = encodeMessage('reqOpen', 'tid', 'token', { conn: { reqId: 'r', resId: 's' } }).replace(
  'reqOpen',
  'resOpen',
);
const url = buildStorageUrl('https://host.test/fp', {
  store: 'car',
  tenant: 't',
  name: 'l',
  key: archive.cid,
  authJWK: 'jwk',
}).href;

const textOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1');

interface Decoder {
  readonly name: string;
  readonly valid: Uint8Array;
  readonly read: (bytes: Uint8Array) => unknown;
}

const DECODERS: readonly Decoder[] = [
  { name: 'block', valid: encodeBlock({ a: [1, -1, 'x', link(document.cid)] }).bytes, read: decode },
  { name: 'document', valid: document.bytes, read: decodeDocument },
  { name: 'shard', valid: shard.bytes, read: decodeShard },
  { name: 'event', valid: event.bytes, read: decodeEvent },
  { name: 'index node', valid: node.bytes, read: decodeNode },
  { name: 'record of an index', valid: indexRecord, read: decodeIndexRecord },
  {
    name: 'directory of an index',
    valid: encodeDirectory([{ cid: node.cid, offset: 0, length: 9 }]),
    read: decodeDirectory,
  },
  { name: 'archive', valid: archive.bytes, read: readCar },
  { name: 'file archive', valid: files.bytes, read: fileBlocks },
  {
    name: 'document with a file',
    valid: withFile.bytes,
    read: (bytes) => fileArchivesOf(decodeDocument(bytes)),
  },
  { name: 'part of a block', valid: event.bytes, read: partReader('data', 'root') },
  { name: 'archive header', valid: archive.bytes, read: readArchiveHeader },
  { name: 'sealed archive', valid: sealed, read: (bytes) => open(bytes, new Map([[key.id, key]])) },
  { name: 'sealed row', valid: row, read: (bytes) => openRow('head', bytes, new Map([[key.id, key]])) },
  { name: 'block index', valid: encodeBlockIndex(archive.blocks, archive.bytes), read: decodeBlockIndex },
  {
    name: 'head record',
    valid: encodeHeadRecord({ ...NEW_RECORD, head: [event.cid], horizon: event.cid }),
    read: decodeHeadRecord,
  },
  {
    name: 'meta entry',
    valid: utf8(entry.data),
    read: (bytes) => decodeMetaEntry({ ...entry, data: textOf(bytes) }),
  },
  { name: 'message of the gateway', valid: utf8(message), read: decodeMessage },
  { name: 'key', valid: utf8(keyText(key)), read: (bytes) => parseKeyText(textOf(bytes)) },
  { name: 'CID', valid: utf8(archive.cid), read: (bytes) => parseCid(textOf(bytes)) },
  { name: 'document id', valid: utf8('some-id'), read: (bytes) => parseDocKey(textOf(bytes)) },
  {
    name: 'storage URL',
    valid: utf8(url),
    read: (bytes) => {
      const parsed = urlOf(textOf(bytes));
      return parsed && parseStorageUrl(parsed, 'car');
    },
  },
];

test.each(DECODERS)(
  '[R20][S7] reads any $name, or immediately rejects it with a typed error',
  {
    timeout: patienceMs(),
  },
  async ({ name, valid, read }) => {
    const random = seededRandom(seed() + name.length);
    await read(valid);
    for (let run = 0; run < RUNS; run++) {
      const bytes = mutate(valid, random);
      const startedMs = processorMs();
      try {
        await read(bytes);
      } catch (cause) {
        if (!isFixpointError(cause))
          throw new Error(`${name} in run ${run}: ${Buffer.from(bytes).toString('base64')}`, { cause });
      }
      if (processorMs() - startedMs > SLOW_MS)
        throw new Error(`${name} in run ${run} hangs: ${Buffer.from(bytes).toString('base64')}`);
    }
    expect(await read(valid)).toBeDefined();
  },
);
