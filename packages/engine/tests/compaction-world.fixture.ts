/**
 * A simulated world for compaction: one database in a shared store, the tabs that have it open,
 * replicas that copied it, and every block that was ever stored.
 */
import './loaded-ahead.fixture.ts';
import { readCar } from '../src/archive/car.ts';
import type { Archive } from '../src/archive/pack.ts';
import { type ClockEvent, decodeEvent, type Head } from '../src/clock/event.ts';
import { rootOfHead } from '../src/clock/root-of-head.ts';
import type { Cid } from '../src/codec/cid.ts';
import type { CommitParts, Commits } from '../src/commit/commits-interface.ts';
import type { Retention } from '../src/commit/compaction/live-blocks.ts';
import { openCommits } from '../src/commit/open-commits.ts';
import { openDatabaseKeys } from '../src/crypto/database-keys.ts';
import { NO_KEYS } from '../src/crypto/keys.ts';
import { parseDocKey } from '../src/documents/doc-key.ts';
import { encodeDocument } from '../src/documents/encode.ts';
import { loadOpenChunk } from '../src/open-chunk.ts';
import { memoryKeyBag } from '../src/platform/memory-platform.ts';
import type { ByteStore } from '../src/ports/byte-store.ts';
import { seededRandom } from '../src/testing/seeded-random.ts';
import { simulatedTime } from '../src/testing/simulated-time.ts';
import { decodeShard } from '../src/trie/shard.ts';

export const reports: unknown[] = [];
const ledgerKeys = await openDatabaseKeys('db', {
  bag: memoryKeyBag(new Map()),
  random: seededRandom(1),
  hasContent: async () => false,
});

/** Every block that a store ever had, including blocks that compaction dropped. */
export class Hoard {
  readonly blocks = new Map<Cid, Uint8Array>();
  readonly #seen = new Set<string>();

  /** Returns the store with a wrapper that records each archive written to it. */
  over<T extends ByteStore>(store: T): T {
    return {
      ...store,
      write: (...args: Parameters<ByteStore['write']>) => {
        for (const { key, bytes } of args[0]) if (bytes && /^(car|commit)\//.test(key)) this.take(key, bytes);
        return store.write(...args);
      },
    };
  }

  take(key: string, bytes: Uint8Array): void {
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    for (const { cid, offset, length } of readCar(bytes).blocks)
      this.blocks.set(cid, bytes.subarray(offset, offset + length));
  }

  read(cid: Cid): Uint8Array {
    const bytes = this.blocks.get(cid);
    if (bytes === undefined) throw new Error(`nothing ever stored ${cid}`);
    return bytes;
  }

  /** Returns the trie root of a head, computed from the whole history. */
  async rootOf(head: Head): Promise<Cid | undefined> {
    const event = async (cid: Cid) => decodeEvent(this.read(cid));
    const shard = async (cid: Cid) => decodeShard(this.read(cid));
    const { root, added } = await rootOfHead(head, { event, shard });
    for (const { cid, bytes } of added) this.blocks.set(cid, bytes);
    return root;
  }

  /** Returns the events of a head and all their ancestors. */
  eventsOf(head: Head): Map<Cid, ClockEvent> {
    const events = new Map<Cid, ClockEvent>();
    const waiting = [...head];
    for (let cid = waiting.pop(); cid !== undefined; cid = waiting.pop()) {
      if (events.has(cid)) continue;
      const event = decodeEvent(this.read(cid));
      events.set(cid, event);
      waiting.push(...event.parents);
    }
    return events;
  }

  /** Returns the shards and documents of a trie. */
  trieOf(root: Cid | undefined): Cid[] {
    const found: Cid[] = [];
    const waiting = root === undefined ? [] : [root];
    for (let cid = waiting.pop(); cid !== undefined; cid = waiting.pop()) {
      found.push(cid);
      for (const { value, child } of decodeShard(this.read(cid)).entries) {
        if (value !== undefined) found.push(value);
        if (child !== undefined) waiting.push(child);
      }
    }
    return found;
  }
}

export function openOn(
  store: ByteStore,
  retention: Retention,
  more: Partial<CommitParts> = {},
): Promise<Commits> {
  return openCommits({
    newWriter: () => 'test',
    commitEachWrite: true,
    store,
    keys: { keys: () => NO_KEYS },
    ledgerKeys,
    channel: { post: () => undefined, onHint: () => () => undefined, close: () => undefined },
    time: simulatedTime(),
    report: (error) => void reports.push(error),
    retention,
    load: loadOpenChunk,
    ...more,
  });
}

export const operation = (id: string, n: number) => ({
  key: parseDocKey(id),
  value: encodeDocument({ _id: id, n }, parseDocKey(id)),
});

/** Returns the archives that `from` has and `to` lacks, as a remote would send them. */
export async function archivesFor(from: Commits, to: Commits): Promise<Archive[]> {
  const missing = from.archiveIds().filter((cid) => !to.hasArchive(cid));
  return Promise.all(
    missing.map(async (cid) => {
      const bytes = await from.plainArchive(cid);
      return { cid, bytes, blocks: readCar(bytes).blocks };
    }),
  );
}
