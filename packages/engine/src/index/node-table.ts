/**
 * The nodes of one index. New nodes are in memory, all others are in the store. Nodes that an
 * update removes from the trees remain readable until no reader of an older state is left.
 */
import { FixpointError } from '@fixpoint/protocol';
import { Lru } from '../base/lru.ts';
import { type Cid, cidOf, DAG_CBOR } from '../codec/cid.ts';
import { decodeNode, type Node, type ReadNode } from '../prolly/node.ts';
import type { TreeUpdate } from '../prolly/put-many.ts';
import type { NodePlace, PackedNode } from './pack.ts';

/**
 * Thrown when a node of an index cannot be read: it is damaged, or another tab replaced the stored
 * index. Internal to this folder.
 */
export class NodeLost extends Error {
  override readonly name = 'NodeLost';
  readonly table: NodeTable;

  constructor(table: NodeTable, cause: unknown) {
    super('a node of an index', { cause });
    this.table = table;
  }
}

/**
 * Limit of cached decoded nodes, measured in encoded bytes and shared by all indexes of a database.
 */
const CACHED_BYTES_MAX = 12_000_000;
export type NodeCache = Lru<Cid, Node>;
export const createNodeCache = (): NodeCache => new Lru(CACHED_BYTES_MAX);

export interface PackUse {
  readonly bytes: number;
  /** Bytes of nodes that the trees still reference. */
  liveBytes: number;
}

export interface SavedPack {
  readonly name: string;
  readonly size: number;
  readonly places: readonly NodePlace[];
}

export interface NodeTableParts {
  readonly cache: NodeCache;
  /** Reads a pack; undefined for an index that is never stored. */
  readonly readPack: ((name: string) => Promise<Uint8Array>) | undefined;
}

export class NodeTable {
  readonly #parts: NodeTableParts;
  /** The bytes of nodes that aren't stored. */
  readonly #fresh = new Map<Cid, Uint8Array>();
  readonly #places = new Map<Cid, NodePlace & { readonly pack: string }>();
  readonly #packs = new Map<string, PackUse>();
  readonly #retired = new Set<Cid>();
  #readers = 0;

  constructor(parts: NodeTableParts) {
    this.#parts = parts;
  }

  /** @throws NodeLost */
  readonly read: ReadNode = async (cid) => this.#parts.cache.get(cid) ?? this.#decoded(cid);

  async #decoded(cid: Cid): Promise<Node> {
    const bytes = this.#fresh.get(cid) ?? (await this.#bytesOf(cid));
    const node = decodeNode(bytes);
    this.#parts.cache.set(cid, node, bytes.length);
    return node;
  }

  /** Returns a copy, so that a node does not keep its whole pack in memory. */
  async #bytesOf(cid: Cid): Promise<Uint8Array> {
    try {
      const place = this.#places.get(cid);
      const { readPack } = this.#parts;
      if (place === undefined || readPack === undefined) throw new FixpointError('MISSING_BLOCK', cid);
      const { pack, offset, length } = place;
      const bytes = (await readPack(pack)).slice(offset, offset + length);
      if (cidOf(DAG_CBOR, bytes) !== cid) throw new FixpointError('CORRUPT', `${cid} has other content`);
      return bytes;
    } catch (cause) {
      throw new NodeLost(this, cause);
    }
  }

  /** Keeps all nodes until the returned function is called. */
  hold(): () => void {
    this.#readers += 1;
    return () => {
      this.#readers -= 1;
      if (this.#readers > 0) return;
      for (const cid of this.#retired) this.#remove(cid);
      this.#retired.clear();
    };
  }

  apply({ added, removed }: TreeUpdate): void {
    for (const cid of removed)
      if (this.#readers > 0) this.#retired.add(cid);
      else this.#remove(cid);
    for (const [cid, { node, bytes }] of added) {
      this.#retired.delete(cid);
      if (this.#fresh.has(cid) || this.#places.has(cid)) continue;
      this.#fresh.set(cid, bytes);
      // Count twice the encoded size, because a node created here also contains its encoded bytes.
      if (node !== undefined) this.#parts.cache.set(cid, node, 2 * bytes.length);
    }
  }

  #remove(cid: Cid): void {
    this.#fresh.delete(cid);
    const place = this.#places.get(cid);
    const pack = place && this.#packs.get(place.pack);
    if (place === undefined || pack === undefined) return;
    this.#places.delete(cid);
    pack.liveBytes -= place.length;
  }

  get packs(): ReadonlyMap<string, Readonly<PackUse>> {
    return this.#packs;
  }

  /** Returns the nodes that are not stored yet. */
  unsaved(): PackedNode[] {
    if (this.#parts.readPack === undefined) return [];
    return [...this.#fresh].flatMap(([cid, bytes]) => (this.#retired.has(cid) ? [] : [{ cid, bytes }]));
  }

  /**
   * Returns the nodes of these packs that the trees still reference.
   * @throws NodeLost
   */
  async nodesIn(packs: ReadonlySet<string>): Promise<PackedNode[]> {
    const cids = [...this.#places.values()].filter(({ pack }) => packs.has(pack)).map(({ cid }) => cid);
    const nodes: PackedNode[] = [];
    for (const cid of cids) if (!this.#retired.has(cid)) nodes.push({ cid, bytes: await this.#bytesOf(cid) });
    return nodes;
  }

  /**
   * Registers a stored pack whose directory was read. `use` is what the index record says about the
   * pack.
   */
  learn(name: string, places: readonly NodePlace[], use: PackUse): void {
    this.#packs.set(name, { ...use });
    for (const place of places) this.#places.set(place.cid, { ...place, pack: name });
  }

  /**
   * Registers a pack that was just stored. The pack contains new nodes, or nodes of the replaced
   * packs.
   */
  saved({ name, size, places }: SavedPack, replaced: ReadonlySet<string>): void {
    const use = { bytes: size, liveBytes: 0 };
    this.#packs.set(name, use);
    for (const place of places) {
      const { cid, length } = place;
      const fresh = this.#fresh.get(cid);
      const before = this.#places.get(cid);
      // Nodes that an update removed during the save are dead from the start.
      if (fresh === undefined && (before === undefined || !replaced.has(before.pack))) continue;
      this.#fresh.delete(cid);
      this.#places.set(cid, { ...place, pack: name });
      use.liveBytes += length;
    }
  }

  dropped(packs: ReadonlySet<string>): void {
    for (const name of packs) this.#packs.delete(name);
    for (const [cid, { pack }] of this.#places) if (packs.has(pack)) this.#places.delete(cid);
  }
}
