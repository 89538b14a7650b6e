import { describe, expect, test } from 'vitest';
import { utf8 } from '../base/bytes.ts';
import { cidOf, RAW } from '../codec/cid.ts';
import { putMany } from './put-many.ts';
import { encodeShard } from './shard.ts';
import { linkTo, trieStore } from './trie.fixture.ts';
import { isWhole } from './whole-trie.ts';

const corrupt = { code: 'CORRUPT' };

describe('the check that a trie is whole', () => {
  test('[R8] reports a trie with a missing shard as incomplete, and a damaged shard as an error', async () => {
    const nowhere = cidOf(RAW, utf8('nowhere'));
    const { read, add } = trieStore();
    const before = await putMany(read, undefined, [['doc', linkTo(1)]]);
    add(before.added);
    expect(await isWhole(read, before.root, undefined)).toBe(true);
    expect(await isWhole(read, nowhere, before.root)).toBe(false);
    const damaged = () => Promise.reject(Object.assign(new Error('damaged'), corrupt));
    await expect(isWhole(damaged, before.root, undefined)).rejects.toMatchObject(corrupt);
  });

  test('[R8] finds missing and misplaced shards below the root, and reads only what is not known', async () => {
    const puts = Array.from({ length: 60 }, (_, n) => [`doc-${n}`, linkTo(n % 9)] as const);
    const tries = trieStore();
    const known = await putMany(tries.read, undefined, puts);
    tries.add(known.added);
    const next = await putMany(tries.read, known.root, [['doc-11', linkTo(20)]]);
    for (const left of next.added.keys()) {
      const store = trieStore();
      store.add([...known.added, ...next.added.toSpliced(left, 1)]);
      expect(await isWhole(store.read, next.root, known.root)).toBe(false);
    }
    const whole = trieStore();
    whole.add([...known.added, ...next.added]);
    expect(await isWhole(whole.read, next.root, known.root)).toBe(true);
    expect(whole.readCount()).toBe(2 * next.added.length);
    const [deep] = next.added;
    const misplaced = encodeShard({
      prefix: '',
      entries: [{ key: 'x', value: undefined, child: deep?.cid }],
    });
    whole.add([misplaced]);
    await expect(isWhole(whole.read, misplaced.cid, known.root)).rejects.toMatchObject(corrupt);
  });
});
