import { describe, expect, test } from 'vitest';
import { verifyProof } from '../src/database/past/proofs.ts';
import type { Proof } from '../src/proof/proof.ts';
import { seededRandom } from '../src/testing/seeded-random.ts';
import { haveSameHead, type Replica, world } from './sync-world.fixture.ts';

/**
 * Returns a database whose head has several events, because two replicas wrote while they were
 * disconnected.
 */
async function conflicting() {
  const here = world();
  const replicas: [Replica, Replica] = [here.replica(), here.replica()];
  await Promise.all(replicas.map((replica) => replica.attach()));
  await replicas[0].db.bulk(Array.from({ length: 50 }, (_, n) => ({ _id: `doc-${n}`, n })));
  await here.time.until(() => haveSameHead([replicas[0], replicas[1]]));
  for (const { line } of replicas) line.set('cut');
  for (let n = 0; n < 5; n++) {
    await replicas[0].db.put({ _id: `doc-${n}`, by: 'first' });
    await replicas[1].db.put({ _id: `doc-${n + 3}`, by: 'second' });
  }
  await replicas[1].db.del('doc-40');
  for (const { line } of replicas) line.set('up');
  await here.time.until(() => haveSameHead([replicas[0], replicas[1]]));
  return replicas[0].db;
}

const refused = (proof: unknown, head: readonly string[], id: string) =>
  expect(verifyProof(proof as Proof, head, id)).rejects.toMatchObject({ code: 'PROOF_INVALID' });

describe('proofs', () => {
  test('proves each document, a deletion, and that an id never existed', async () => {
    const db = await conflicting();
    expect((await db.head()).length).toBeGreaterThan(1);
    for (const { key, value } of (await db.allDocs()).rows)
      expect(await verifyProof(await db.prove(key), await db.head(), key)).toEqual(value);
    for (const id of ['doc-40', 'doc', 'doc-1000', 'other'])
      expect(await verifyProof(await db.prove(id), await db.head(), id)).toBeUndefined();
  });

  test('verifies a proof only for its own head, also after serialisation', async () => {
    const { db } = world().replica();
    await db.put({ _id: 'a', n: 1 });
    const head = await db.head();
    await db.put({ _id: 'a', n: 2 });
    const proof = await db.prove('a', head);
    const wired = JSON.parse(
      JSON.stringify(proof, (_, value) =>
        value instanceof Uint8Array ? { hex: Buffer.from(value).toString('hex') } : value,
      ),
      (_, value) => (typeof value?.hex === 'string' ? new Uint8Array(Buffer.from(value.hex, 'hex')) : value),
    );
    expect(await verifyProof(wired, head, 'a')).toEqual({ _id: 'a', n: 1 });
    await refused(proof, await db.head(), 'a');
    await refused(proof, head, 'b');
  });

  test('[R4][R20] rejects a changed proof, unless the change has no effect', async () => {
    const db = await conflicting();
    const proof = await db.prove('doc-4');
    const document = await db.get('doc-4');
    const random = seededRandom(4);
    for (let run = 0; run < 600; run++) {
      const blocks = proof.blocks.map(({ cid, bytes }) => ({ cid, bytes: bytes.slice() }));
      const one = blocks[random.below(blocks.length)];
      const other = blocks[random.below(blocks.length)];
      if (one === undefined || other === undefined) throw new Error('there are blocks');
      const kind = random.below(4);
      if (kind === 0) {
        const at = random.below(one.bytes.length);
        one.bytes[at] = (one.bytes[at] ?? 0) ^ (1 << random.below(8));
      } else if (kind === 1) one.bytes = one.bytes.subarray(0, random.below(one.bytes.length));
      else if (kind === 2) blocks.splice(blocks.indexOf(one), 1);
      else one.cid = other.cid;
      const changed = { ...proof, blocks };
      if (kind === 3 && one === other)
        expect(await verifyProof(changed, await db.head(), 'doc-4')).toEqual(document);
      else await refused(changed, await db.head(), 'doc-4');
    }
  });

  test('rejects values that are not proofs', async () => {
    const db = await conflicting();
    const proof = await db.prove('doc-1');
    for (const broken of [
      undefined,
      null,
      {},
      'proof',
      { ...proof, blocks: undefined },
      { ...proof, blocks: [null] },
      { ...proof, blocks: [{ cid: 'x', bytes: Uint8Array.of(1) }] },
      { ...proof, blocks: [{ cid: proof.blocks[0]?.cid, bytes: 'text' }] },
      { ...proof, blocks: Array.from({ length: 100_001 }) },
    ])
      await refused(broken, await db.head(), 'doc-1');
  });
});
