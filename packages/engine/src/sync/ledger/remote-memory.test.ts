import { expect, test } from 'vitest';
import { encodeBlock } from '../../codec/block.ts';
import { createRemoteMemory } from './remote-memory.ts';

const [a, b] = [encodeBlock({ a: 1 }).cid, encodeBlock({ b: 1 }).cid];

test('keeps what is learned while the store is read', async () => {
  const memory = createRemoteMemory('r');
  const store = new Map<string, Uint8Array>();
  const learn = (cid: typeof a) => {
    const rows = memory.rowsOfGroups([[cid]], 'live', 1);
    for (const { key, bytes } of rows) if (bytes !== undefined) store.set(key, bytes);
    memory.learned(rows);
  };
  learn(a);
  let reads = 0;
  await memory.load(async () => {
    const rows = new Map(store);
    reads += 1;
    if (reads === 1) learn(b);
    return rows;
  });
  expect(memory.groups().toSorted()).toEqual([[a], [b]].toSorted());
  expect(reads).toBe(2);
});
