import { describe, expect, test } from 'vitest';
import { utf8 } from '../base/bytes.ts';
import { WITHOUT_REST } from '../base/pace.ts';
import { cidOf, RAW } from '../codec/cid.ts';
import { createFeed, type HeadChange, writtenSince } from './news.ts';
import { readNews } from './read-news.ts';
import { corrupt, failing, history } from './short-history.fixture.ts';

describe('the feed', () => {
  const change: HeadChange = { before: [], after: [], ids: ['a'], origin: 'local' };

  test('[R4] reports a listener that throws, and still notifies the others', () => {
    const reports: unknown[] = [];
    const told: HeadChange[] = [];
    const feed = createFeed((error) => void reports.push(error));
    feed.subscribe(() => {
      throw new Error('broken');
    });
    feed.subscribe((one) => void told.push(one));
    feed.emit(change);
    expect(told).toEqual([change]);
    expect(reports).toMatchObject([{ code: 'SUBSCRIBER', cause: { message: 'broken' } }]);
  });

  test('calls a function once for each of its subscriptions, until that subscription stops', () => {
    let told = 0;
    const feed = createFeed(() => undefined);
    const listener = () => void told++;
    const stop = feed.subscribe(listener);
    feed.subscribe(listener);
    feed.emit(change);
    stop();
    feed.emit(change);
    expect(told).toBe(3);
  });
});

describe('reading the changes between two snapshots', () => {
  test('includes removed keys', async () => {
    const { readers, before, after } = await history();
    expect(await readNews(readers, before, after, WITHOUT_REST)).toEqual(['a']);
    expect(await writtenSince(readers, before, after)).toEqual(['a']);
  });

  test('reads in slices and yields between them', async () => {
    const { readers, before } = await history();
    let rests = 0;
    const pace = { isDue: () => true, rest: async () => void rests++ };
    const empty = { head: [], root: undefined, merged: [] };
    expect(await readNews(readers, empty, before, pace)).toEqual(['a', 'b']);
    expect(rests).toBe(2);
  });

  test('[R4] reports a damaged shard, but not an earlier trie that was dropped', async () => {
    const { readers, before, after } = await history();
    await expect(writtenSince(failing(readers, 'shard'), before, after)).rejects.toMatchObject(corrupt);
    const unknown = cidOf(RAW, utf8('dropped'));
    expect(await writtenSince(readers, { ...before, root: unknown }, after)).toEqual([]);
  });
});
