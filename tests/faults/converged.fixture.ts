import { expect } from 'vitest';
import type { Cid } from '../../packages/engine/src/codec/cid.ts';
import { parseDocKey } from '../../packages/engine/src/documents/doc-key.ts';
import { encodeDocument, TOMBSTONE } from '../../packages/engine/src/documents/encode.ts';
import { causalityOf } from '../../packages/engine/tests/maximal-writes.fixture.ts';
import { contentOf, type Replica } from '../../packages/engine/tests/sync-world.fixture.ts';

export interface Counted {
  readonly _id: string;
  readonly n: number;
}

/**
 * Documents whose write was acknowledged, and that must be part of the history. A later write of
 * the same replica to the same document may replace a write before a commit contains it.
 */
export class Acknowledged {
  readonly #docs = new Map<string, Counted>();

  put(replica: number, doc: Counted): void {
    this.#docs.set(`${replica}/${doc._id}`, doc);
  }

  del(replica: number, id: string): void {
    this.#docs.delete(`${replica}/${id}`);
  }

  get docs(): readonly Counted[] {
    return [...this.#docs.values()];
  }
}

const cidOfDoc = (doc: Counted): Cid => encodeDocument({ ...doc }, parseDocKey(doc._id)).cid;

/** Checks P1 to P5 for replicas that report that they are in sync. */
export async function expectConverged(
  replicas: readonly Replica[],
  ids: readonly string[],
  acknowledged: Acknowledged,
): Promise<void> {
  const [first, ...others] = await Promise.all(replicas.map(({ db }) => contentOf(db)));
  for (const other of others) expect(other).toEqual(first);
  expect(new Set(await Promise.all(replicas.map((replica) => replica.root()))).size).toBe(1);
  const [replica] = replicas;
  if (first === undefined || replica === undefined) throw new Error('no replica');
  const { maximal, values } = causalityOf(await replica.events());
  const found = new Map(first.docs.map((doc) => [doc._id, doc as unknown as Counted]));
  for (const [id, allowed] of maximal) {
    if (!ids.includes(id)) continue;
    const doc = found.get(id);
    expect([...allowed]).toContain(doc === undefined ? TOMBSTONE.cid : cidOfDoc(doc));
  }
  expect([...found.keys()].filter((id) => !maximal.has(id))).toEqual([]);
  expect(acknowledged.docs.filter((doc) => !values.has(cidOfDoc(doc)))).toEqual([]);
}
