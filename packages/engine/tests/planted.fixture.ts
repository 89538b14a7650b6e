/** Puts any event with any blocks into a ledger, as a member could do without the engine. */
import type { MetaEntry } from '@fixpoint/protocol/storage';
import { expect } from 'vitest';
import { type Archive, type ArchiveHeader, packArchive } from '../src/archive/pack.ts';
import { utf8 } from '../src/base/bytes.ts';
import { type ClockEvent, encodeEvent } from '../src/clock/event.ts';
import { type Genesis, genesisOf } from '../src/clock/genesis.ts';
import type { Block } from '../src/codec/block.ts';
import type { Cid } from '../src/codec/cid.ts';
import { dataKey, keyText } from '../src/crypto/keys.ts';
import { seal } from '../src/crypto/seal.ts';
import { parseDocKey } from '../src/documents/doc-key.ts';
import { encodeDocument } from '../src/documents/encode.ts';
import { GENESIS_DOCUMENT, GENESIS_KEY } from '../src/documents/genesis.ts';
import { encodeMetaEntry } from '../src/sync/ledger/meta-entry-codec.ts';
import { OBJECTS } from '../src/testing/memory-gateway.ts';
import { encodeShard, type ShardEntry } from '../src/trie/shard.ts';
import type { World } from './sync-world.fixture.ts';

export const GENESIS: Genesis = genesisOf(GENESIS_KEY, GENESIS_DOCUMENT);

export const document = (id: string): Block => encodeDocument({ text: `of ${id}` }, parseDocKey(id));

export const leaf = (key: string, value: Cid): ShardEntry => ({ key, value, child: undefined });

/**
 * Returns the root of a trie with a single shard, which contains the genesis document and the given
 * keys. No two keys may begin with the same letter.
 */
export const rootWith = (...entries: readonly ShardEntry[]): Block =>
  encodeShard({
    prefix: '',
    entries: [leaf(GENESIS_KEY, GENESIS_DOCUMENT.cid), ...entries].sort((a, b) => (a.key < b.key ? -1 : 1)),
  });

export interface Planted {
  readonly event: ClockEvent;
  readonly blocks: readonly Block[];
  /** Claims about other groups in the archive's header. By default, the header has no claims. */
  readonly says?: Partial<Pick<ArchiveHeader, 'cars' | 'compact'>>;
}

/**
 * Puts a meta entry into the ledger.
 * @param writer the writer whose previous entry this entry supersedes
 */
export async function plantEntry(
  { gateway }: Pick<World, 'gateway'>,
  entry: MetaEntry,
  keys: readonly string[],
  writer = 'mallory',
): Promise<void> {
  const message = {
    type: 'reqPutMeta',
    tid: 'mallory',
    auth: { params: { jwk: 'tok' } },
    conn: { reqId: writer, resId: writer },
    tenant: { tenant: 't', ledger: 'l' },
    meta: { metas: [entry], keys },
  };
  const body = utf8(JSON.stringify(message));
  expect((await gateway.request({ method: 'PUT', url: 'http://gateway.test/fp', body })).status).toBe(200);
}

/** Returns the address of an archive in the object store. */
export const objectOf = ({ cid }: Pick<Archive, 'cid'>): string => `${OBJECTS}t/l/car/${cid}`;

/** Puts an archive with this event into the ledger, and a meta entry that refers to the archive. */
export async function plant({ gateway }: World, { event, blocks, says }: Planted): Promise<Archive> {
  const made = encodeEvent(event);
  const archive = await packArchive({ cars: [], compact: [], ...says, head: [made.cid] }, [
    ...GENESIS.blocks,
    ...blocks,
    made,
  ]);
  const key = dataKey(new Uint8Array(32).fill(7));
  gateway.objects.set(objectOf(archive), await seal(archive.bytes, key, archive.cid));
  await plantEntry({ gateway }, encodeMetaEntry([archive.cid]), [keyText(key)]);
  return archive;
}
