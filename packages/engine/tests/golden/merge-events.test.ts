/**
 * Merge events that earlier versions wrote for the same heads and rules (decision 0168). With other
 * bytes, devices of different versions would merge each other's merges.
 */
import { afterEach, expect, test, vi } from 'vitest';
import type { Cid } from '../../src/codec/cid.ts';
import type { MergeRule } from '../../src/database/database-results.ts';
import { openPeer, type Peer, send } from '../merge-world.fixture.ts';
import { toHex } from './vectors.fixture.ts';

type Any = Peer<Record<never, never>>;
const opened: Any[] = [];
afterEach(async () => {
  for (const { db } of opened.splice(0)) await db.close();
});

async function peer(): Promise<Any> {
  const one = await openPeer({});
  opened.push(one);
  return one;
}

const sum: MergeRule = (base, ours, theirs) => ({
  n: Number(ours['n']) + Number(theirs['n']) - Number(base?.['n'] ?? 0),
});

/** The documents before, on both devices, and the rule; then the merge event and the documents. */
const CASES = [
  {
    name: 'fields',
    before: { a: 0, b: 0, gone: true },
    sides: [
      { a: 1, b: 1 },
      { a: 0, b: 2, gone: true, text: 'ä' },
    ],
    rule: 'fields',
    event: 'bafyreid63ecmmncezhhijydfagfylbauos5ped3de3yvdr6wblrww7qdni',
    bytes:
      'a26464617461a56262794100636b6579617864726f6f74d82a58250001711220fc337290412bb18536b175e444bb4353572d9f172c114b29e2f0851fe772c2b76474797065637075746576616c7565d82a58250001711220187e79d24794efb04c1d2717327f8ad4eaf1148c72217a5d0dabc0005eddeea167706172656e747382d82a582500017112206df7e62a594a579ba9b40ccd07acfad2e88ffe24952889a226c858ec5367d926d82a58250001711220d644261723eeb92678d79f186e333ec634fba91df39b0a2d1d8793a3d44c4c39',
    block: 'a163646f63a4616101616202635f69646178647465787462c3a4',
  },
  {
    name: 'a function',
    before: { n: 5 },
    sides: [{ n: 6 }, { n: 15 }],
    rule: sum,
    event: 'bafyreibnqlqklu6fwy4rspwytjyfd5ytndnfm7qj6cfcl6vijn3nkqreuu',
    bytes:
      'a26464617461a56262794100636b6579617864726f6f74d82a58250001711220cbcb2eb28a62bf29f9ff4ad6c6ac04c91b3456f32b04bec8a5108e4f2d4de35a6474797065637075746576616c7565d82a58250001711220f2ac28145b2c2d2aae0cec783eda68ea0f2929133bc4ce55f614fc15cefffdc467706172656e747382d82a582500017112207f4c2a9b442de8e6c719017c2a94b0b18a5884ec6fbc07c810e733a30da2fc66d82a58250001711220c8b41c3cd9580d7f661976bdbc2c2c137976831dae133927be38bfd058d59963',
    block: 'a163646f63a2616e10635f69646178',
  },
  {
    name: 'an edit and a deletion',
    before: { n: 5 },
    sides: [{ n: 6 }, undefined],
    rule: sum,
    event: 'bafyreiduaei6akjyfm5nortv65d6jbuq3k3na6ucdaylucbsvp4gecmhm4',
    bytes:
      'a26464617461a56262794100636b6579617864726f6f74d82a58250001711220b3655c79d63c8221142b6413130df2710adc73168ad70cd103317788f865c34d6474797065637075746576616c7565d82a58250001711220bc4b0b7b0113c812d16732aefc09c59c8a0fa46006ef0d702407abde88e22da367706172656e747382d82a58250001711220a9c2ff40f59c90a658daaa0480334cfb38c9dde835fc040f1cf911487c6297a1d82a58250001711220c8b41c3cd9580d7f661976bdbc2c2c137976831dae133927be38bfd058d59963',
    block: 'a163646f63a2616e06635f69646178',
  },
] as const;

test.each(CASES)('writes the recorded event on each device for $name', async (one) => {
  const { before, sides, rule, event, bytes, block } = one;
  const peers = [await peer(), await peer()] as const;
  await peers[0].db.put({ _id: 'x', ...before });
  await send(...peers);
  for (const [at, { db }] of peers.entries())
    await (sides[at] === undefined ? db.del('x') : db.put({ _id: 'x', ...sides[at] }));
  await Promise.all([send(...peers), send(peers[1], peers[0])]);
  for (const { db, core } of peers) {
    await db.mergeWith('x', rule);
    await vi.waitUntil(() => core.commits.snapshot().head.length === 1);
    const [cid] = core.commits.snapshot().head as readonly [Cid];
    const { readers } = core.commits;
    const [written] = (await readers.event(cid)).operations;
    expect({
      event: cid,
      bytes: toHex(await readers.block(cid)),
      block: toHex(await readers.block(written?.value as Cid)),
    }).toEqual({ event, bytes, block });
  }
});
