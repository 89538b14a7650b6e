/**
 * A table of many ids and links, which are read in the order of the places of their documents. As
 * objects, a million of them would take 200 MB.
 */
import type { ReadBlocks } from '../codec/block.ts';
import { CID_BYTES, type Cid, cidFromBytes, writeCid } from '../codec/cid.ts';
import { orderOf } from '../codec/read-by-place.ts';

type Link = readonly [id: string, document: Cid];

interface Chunk {
  /** All ids, one after the other, and the end of each. */
  readonly ids: string;
  readonly ends: Uint32Array;
  readonly links: Uint8Array;
  readonly places: Float64Array | undefined;
  /** Number of the first link of the chunk. */
  readonly start: number;
}

export interface LinkTable {
  add(id: string, link: Cid): void;
  /** Packs what was added since the last call. Call this after some hundreds of links. */
  pack(): Promise<void>;
  /** Returns the number of packed links. */
  size(): number;
  /** Yields the packed links, sorted by the places of their documents. */
  inBatches(size: number, rest: () => Promise<void>): AsyncGenerator<readonly Link[], void>;
}

export function createLinkTable({ placesOf }: Pick<ReadBlocks, 'placesOf'>): LinkTable {
  const chunks: Chunk[] = [];
  let added: Link[] = [];
  let size = 0;

  function linkAt(number: number): Link {
    const { ids, ends, links, start } = chunks[lastFrom(chunks, number)] as Chunk;
    const at = number - start;
    const cid = cidFromBytes(links.subarray(at * CID_BYTES, (at + 1) * CID_BYTES));
    return [ids.slice(at === 0 ? 0 : ends[at - 1], ends[at]), cid];
  }

  return {
    add: (id, link) => void added.push([id, link]),
    pack: async () => {
      if (added.length === 0) return;
      const some = added;
      added = [];
      const places = await placesOf?.(some.map(([, link]) => link));
      chunks.push({ ...packed(some), places, start: size });
      size += some.length;
    },
    size: () => size,
    inBatches: async function* (batch, rest) {
      const places = new Float64Array(size);
      for (const { places: some, start } of chunks) if (some !== undefined) places.set(some, start);
      const order = await orderOf(places, rest);
      for (let from = 0; from < order.length; from += batch)
        yield order.slice(from, from + batch).map(linkAt);
    },
  };
}

function packed(added: readonly Link[]): Pick<Chunk, 'ids' | 'ends' | 'links'> {
  const ends = new Uint32Array(added.length);
  const links = new Uint8Array(added.length * CID_BYTES);
  let end = 0;
  for (const [at, [id, link]] of added.entries()) {
    end += id.length;
    ends[at] = end;
    writeCid(link, links, at * CID_BYTES);
  }
  return { ids: added.map(([id]) => id).join(''), ends, links };
}

/** Returns the index of the chunk that contains the link with this number. */
function lastFrom(chunks: readonly Chunk[], number: number): number {
  let low = 0;
  let high = chunks.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((chunks[middle] as Chunk).start <= number) low = middle;
    else high = middle - 1;
  }
  return low;
}
