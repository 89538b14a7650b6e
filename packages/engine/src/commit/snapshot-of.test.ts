import { describe, expect, test } from 'vitest';
import { utf8 } from '../base/bytes.ts';
import { cidOf, RAW } from '../codec/cid.ts';
import { corrupt, event, failing, history } from './short-history.fixture.ts';
import { isWhole, snapshotOf } from './snapshot-of.ts';

const neverRebuilt = async () => {
  throw new Error('rebuilt');
};

describe('the snapshot of a head', () => {
  test('[R4] reports damage as an error instead of rebuilding tries', async () => {
    const { readers, before } = await history();
    expect((await snapshotOf([event], readers, neverRebuilt)).root).toBe(before.root);
    await expect(snapshotOf([event], failing(readers, 'event'), neverRebuilt)).rejects.toMatchObject(corrupt);
  });

  test('[R8] reports a trie with a missing shard as incomplete, and a damaged shard as an error', async () => {
    const { readers, before } = await history();
    const nowhere = cidOf(RAW, utf8('nowhere'));
    expect(await isWhole(readers.shard, before.root, undefined)).toBe(true);
    expect(await isWhole(readers.shard, nowhere, before.root)).toBe(false);
    await expect(isWhole(failing(readers, 'shard').shard, before.root, undefined)).rejects.toMatchObject(
      corrupt,
    );
  });
});
