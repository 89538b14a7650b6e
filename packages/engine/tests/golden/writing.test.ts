import { expect, test } from 'vitest';
import { encodeEvent, type Head, sortHead } from '../../src/clock/event.ts';
import { genesisOf } from '../../src/clock/genesis.ts';
import type { Cid } from '../../src/codec/cid.ts';
import { parseDocKey } from '../../src/documents/doc-key.ts';
import { encodeDocument, TOMBSTONE } from '../../src/documents/encode.ts';
import { GENESIS_DOCUMENT, GENESIS_KEY } from '../../src/documents/genesis.ts';
import { putMany } from '../../src/trie/put-many.ts';
import { blockstore, untag, vectors } from './vectors.fixture.ts';

interface Step {
  op: 'put' | 'bulk' | 'del';
  doc?: Record<string, unknown>;
  docs?: Record<string, unknown>[];
  id?: string;
  clock: Cid[];
}

test('golden history: creates the recorded head after each put, bulk and delete', async () => {
  const { history } = vectors<{ history: Step[] }>('db-small/expected.json');
  const store = blockstore();
  const genesis = genesisOf(GENESIS_KEY, GENESIS_DOCUMENT);
  store.add(genesis.blocks);
  let root = genesis.root;
  let head: Head = genesis.head;
  let compared = 0;
  for (const step of history) {
    const docs = (step.docs ?? (step.doc === undefined ? [] : [step.doc])).map(
      (doc) => untag(doc) as Record<string, unknown>,
    );
    // The test stops at the first step with files, because documents with files link to their file
    // archives.
    if (docs.length === 0 && step.op !== 'del') break;
    const operations =
      step.op === 'del'
        ? [{ key: step.id ?? '', value: TOMBSTONE.cid }]
        : docs.map((doc) => ({
            key: String(doc['_id']),
            value: encodeDocument(doc, parseDocKey(doc['_id'])).cid,
          }));
    const trie = await putMany(
      store.shard,
      root,
      operations.map(({ key, value }) => [key, value]),
    );
    store.add(trie.added);
    const event = encodeEvent({ operations, root: trie.root, parents: head });
    store.add([event]);
    root = trie.root;
    head = sortHead([event.cid]);
    expect(head).toEqual(step.clock);
    compared++;
  }
  expect(compared).toBe(28);
});
