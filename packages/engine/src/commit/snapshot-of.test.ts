import { describe, expect, test } from 'vitest';
import { corrupt, event, failing, history } from './short-history.fixture.ts';
import { snapshotOf } from './snapshot-of.ts';

const neverRebuilt = async () => {
  throw new Error('rebuilt');
};

describe('the snapshot of a head', () => {
  test('[R4] reports damage as an error instead of rebuilding tries', async () => {
    const { readers, before } = await history();
    expect((await snapshotOf([event], readers, neverRebuilt)).root).toBe(before.root);
    await expect(snapshotOf([event], failing(readers, 'event'), neverRebuilt)).rejects.toMatchObject(corrupt);
  });
});
