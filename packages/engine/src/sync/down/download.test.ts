import { FixpointError } from '@fixpoint/protocol';
import type { MetaEntry } from '@fixpoint/protocol/storage';
import { describe, expect, test } from 'vitest';
import { entryOf, sessionOver, write } from '../session.fixture.ts';
import type { Session } from '../sync-session.ts';
import type { Listing } from '../transport/connection.ts';
import { createDownloads } from './download.ts';

/** Creates a device that downloads what another device sent. */
async function downloading(settle?: Session['settle']) {
  const here = await sessionOver();
  const there = await sessionOver(here.remote);
  const rejected: string[] = [];
  const session = settle === undefined ? here.session : { ...here.session, settle };
  const downloads = createDownloads(
    session,
    () => import('./fetch-dropped.ts'),
    (cid) => void rejected.push(cid),
    () => undefined,
  );
  /** Lists entries, as the connection does. */
  const list = (metas: readonly MetaEntry[], more: Partial<Listing> = {}) => {
    const listing = { metas, keys: [], ...more };
    session.listed.take(listing);
    downloads.take(listing);
  };
  const settled = () => downloads.settled();
  /** Writes a commit on the other device, and puts its data at the remote. Returns the entry. */
  const sent = async (id: string, n = 1) => {
    await write(there.commits, [id, n]);
    return entryOf(there);
  };
  return { ...here, session, there, downloads, rejected, list, settled, sent };
}

describe('downloading', () => {
  test('[P1] merges the listed entries, and then reports that the device caught up', async () => {
    const { downloads, list, settled, sent, connect, commits } = await downloading();
    const { entry, head } = await sent('a');
    connect();
    expect(downloads.isCaughtUp()).toBe(false);
    list([entry]);
    expect([downloads.isCaughtUp(), downloads.waiting()]).toEqual([false, 1]);
    await settled();
    expect(commits.snapshot().head).toEqual(head);
    expect([downloads.isCaughtUp(), downloads.wasCaughtUp(), downloads.isDone()]).toEqual([true, true, true]);
    expect([downloads.waiting(), downloads.failure(), downloads.verdict()]).toEqual([
      0,
      undefined,
      undefined,
    ]);
  });

  test('reports that the device caught up with an empty ledger', async () => {
    const { downloads, list, settled, connect } = await downloading();
    connect();
    list([]);
    await settled();
    expect([downloads.isCaughtUp(), downloads.isDone()]).toEqual([true, true]);
  });

  test('waits for the end of a long listing, because the newest entries may be at the end', async () => {
    const { downloads, list, settled, sent, connect, remote } = await downloading();
    const [older, newer] = [await sent('a'), await sent('b')];
    connect();
    list([older.entry], { more: true });
    await settled();
    expect([remote.transfers, downloads.isCaughtUp(), downloads.pending()]).toEqual([[], false, undefined]);
    list([newer.entry]);
    await settled();
    expect(remote.transfers[0]).toBe(`GET car/${newer.archive.cid}`);
    expect(downloads.isCaughtUp()).toBe(true);
  });

  test('[R11] fetches the newest entry first, and skips older entries of the same history', async () => {
    const { list, settled, sent, connect, remote, downloads } = await downloading();
    const all = [await sent('a'), await sent('b'), await sent('c')];
    connect();
    list(all.map(({ entry }) => entry));
    await settled();
    expect(remote.transfers).toEqual([`GET car/${all[2]?.archive.cid}`]);
    expect(downloads.isDone()).toBe(true);
  });

  test('processes an entry only once if it is listed twice', async () => {
    const { list, settled, sent, connect, remote, downloads } = await downloading();
    const { entry } = await sent('a');
    connect();
    list([entry, entry]);
    list([entry]);
    await settled();
    expect(remote.transfers).toHaveLength(1);
    expect(downloads.waiting()).toBe(0);
  });

  test('fetches entries that arrive during a fetch, too', async () => {
    const { list, settled, sent, connect, remote, commits } = await downloading();
    const [first, second] = [await sent('a'), await sent('b')];
    connect();
    remote.before = () => {
      remote.before = () => undefined;
      list([second.entry]);
    };
    list([first.entry]);
    await settled();
    expect(commits.snapshot().head).toEqual(second.head);
  });

  test('fetches nothing after `stop`', async () => {
    const { list, settled, sent, connect, remote, downloads } = await downloading();
    const { entry } = await sent('a');
    connect();
    downloads.stop();
    list([entry]);
    downloads.linkOpened();
    await settled();
    expect(remote.transfers).toEqual([]);
  });
});

describe('entries that cannot be merged', () => {
  /** Lists an entry whose archive is missing, and a valid entry. */
  async function broken() {
    const world = await downloading();
    const other = await sessionOver(world.remote);
    await write(other.commits, ['of another', 1]);
    const bad = await entryOf(other);
    const good = await world.sent('a');
    const object = `car/${bad.archive.cid}`;
    const stored = world.remote.objects.get(object) as Uint8Array;
    world.remote.objects.delete(object);
    world.connect();
    const heal = () => void world.remote.objects.set(object, stored);
    const tries = () => world.remote.transfers.filter((one) => one === `GET ${object}`).length;
    world.list([good.entry, bad.entry]);
    await world.settled();
    return { ...world, bad, good, heal, tries };
  }

  test('[R13] merges the other entries when one entry cannot be merged', async () => {
    const { downloads, commits, good } = await broken();
    expect(commits.snapshot().head).toEqual(good.head);
    expect([downloads.isCaughtUp(), downloads.isDone(), downloads.waiting()]).toEqual([true, true, 1]);
    expect(downloads.failure()).toMatchObject({ code: 'MISSING_CARS' });
  });

  test('[R13] retries an entry until its archive is available, and then merges the entry', async () => {
    const { downloads, time, settled, heal, tries, commits, bad, good } = await broken();
    expect(tries()).toBe(1);
    await time.pass(1000);
    await settled();
    expect(tries()).toBeGreaterThan(1);
    heal();
    await time.pass(5000);
    await settled();
    expect([downloads.waiting(), downloads.failure()]).toEqual([0, undefined]);
    expect(commits.snapshot().head).toEqual([...bad.head, ...good.head].toSorted());
  });

  test('retries an entry at once when a key may be new, or the link reopens', async () => {
    const { downloads, settled, tries } = await broken();
    downloads.keysChanged();
    await settled();
    expect(tries()).toBe(2);
    downloads.linkOpened();
    await settled();
    expect(tries()).toBe(3);
  });

  test('waits for three failed tries before it reports why an entry cannot be merged', async () => {
    const { downloads, settled } = await broken();
    expect(downloads.verdict()).toBeUndefined();
    downloads.keysChanged();
    await settled();
    expect(downloads.verdict()).toBeUndefined();
    downloads.keysChanged();
    await settled();
    expect(downloads.verdict()).toMatchObject({ code: 'MISSING_CARS' });
  });

  test('makes callers wait until a failed entry is merged by a retry', async () => {
    const { downloads, time, settled, heal } = await broken();
    const left = downloads.pending();
    await settled();
    expect(left?.()).toBe('wait');
    heal();
    await time.pass(5000);
    await settled();
    expect(left?.()).toBe('nothing');
  });

  test('rejects an entry that nobody can read, without a retry', async () => {
    const { downloads, list, settled, rejected, connect, time } = await downloading();
    connect();
    list([{ cid: 'unreadable', parents: [], data: 'Mnonsense' }]);
    await settled();
    await time.pass(10_000);
    await settled();
    expect([rejected, downloads.waiting(), downloads.failure()]).toEqual([['unreadable'], 0, undefined]);
  });
});

describe('a lost connection', () => {
  test('[R17] interrupts a download, which continues on the next connection', async () => {
    const { downloads, list, settled, sent, connect, remote, state, commits } = await downloading();
    const { entry, head } = await sent('a');
    connect();
    remote.before = () => {
      remote.before = () => undefined;
      state.connection = undefined;
      downloads.linkLost();
      throw new Error('no network');
    };
    list([entry]);
    await settled();
    expect([downloads.isCaughtUp(), downloads.wasCaughtUp(), downloads.failure()]).toEqual([
      false,
      false,
      undefined,
    ]);
    connect();
    downloads.linkOpened();
    // The listing of the new connection has nothing new.
    list([]);
    await settled();
    expect(commits.snapshot().head).toEqual(head);
    expect(downloads.isCaughtUp()).toBe(true);
  });

  test('makes the device count as not caught up until the remote lists its entries again', async () => {
    const { downloads, list, settled, connect } = await downloading();
    connect();
    list([]);
    await settled();
    downloads.linkLost();
    expect([downloads.isCaughtUp(), downloads.wasCaughtUp(), downloads.isDone()]).toEqual([
      false,
      false,
      false,
    ]);
    expect(downloads.pending()).toBeUndefined();
  });

  test('[R17] makes the device count as not caught up when the remote starts a complete listing', async () => {
    const { downloads, list, settled, connect, sent } = await downloading();
    connect();
    list([]);
    await settled();
    const { entry } = await sent('a');
    list([entry], { anew: true });
    expect(downloads.wasCaughtUp()).toBe(false);
    await settled();
    expect(downloads.wasCaughtUp()).toBe(true);
  });
});

describe('a device that is not approved', () => {
  test('[S3] fetches nothing and reports why, and continues once the device is approved', async () => {
    const { downloads, list, settled, sent, connect, remote, state, commits } = await downloading();
    const { entry, head } = await sent('a');
    connect();
    state.isReady = false;
    list([entry]);
    await settled();
    expect([remote.transfers, downloads.isCaughtUp(), downloads.isDone()]).toEqual([[], false, false]);
    expect(downloads.verdict()).toMatchObject({ code: 'DEVICE_NOT_APPROVED' });
    state.isReady = true;
    downloads.keysChanged();
    await settled();
    expect([downloads.failure(), downloads.isCaughtUp()]).toEqual([undefined, true]);
    expect(commits.snapshot().head).toEqual(head);
  });
});

describe('the list of keys', () => {
  /** Records what the session learns from each listing. */
  async function learning() {
    const heard: Listing[] = [];
    const result = { isNews: false };
    const world = await downloading(async (listing) => {
      heard.push(listing);
      return result.isNews;
    });
    world.connect();
    return { ...world, heard, result };
  }

  test('[S3] is learned completely before this device fetches the entries that the keys open', async () => {
    const { list, settled, heard, sent, remote } = await learning();
    const { entry } = await sent('a');
    list([], { keys: ['one'] });
    await settled();
    let known = 0;
    remote.before = () => {
      known = heard.length;
    };
    list([entry], { keys: ['two'] });
    await settled();
    expect(known).toBeGreaterThanOrEqual(2);
    expect(heard.at(-1)?.keys).toEqual(['one', 'two']);
  });

  test('[S3] is learned during a fetch, too, so that entries of several new devices merge in one step', async () => {
    const { list, settled, heard, sent, remote, commits } = await learning();
    const { entry } = await sent('a');
    const others = [await sessionOver(remote), await sessionOver(remote)];
    const news: { readonly entry: MetaEntry; readonly archive: { readonly cid: string } }[] = [];
    for (const [n, other] of others.entries()) {
      await write(other.commits, [`new ${n}`, n]);
      news.push(await entryOf(other));
    }
    const isNew = (transfer: string) => news.some(({ archive }) => transfer.endsWith(archive.cid));
    remote.before = () => {
      remote.before = () => undefined;
      list(
        news.map((one) => one.entry),
        { keys: ['new'] },
      );
    };
    // Nobody can open the archives without the new key.
    remote.status = (transfer) => (isNew(transfer) && !heard.at(-1)?.keys.includes('new') ? 500 : undefined);
    let merges = 0;
    commits.subscribe(() => void merges++);
    list([entry]);
    await settled();
    expect([merges, commits.snapshot().head.length]).toEqual([2, 3]);
  });

  test('keeps all keys and devices when a later listing omits both', async () => {
    const { list, settled, heard } = await learning();
    const devices = [{ pub: 'p', user: 'ada', since: '2026' }];
    list([], { keys: ['one'], devices });
    await settled();
    list([]);
    await settled();
    expect(heard.at(-1)).toMatchObject({ keyList: ['one'], devices });
    // A complete listing without keys means that the ledger has no keys.
    list([], { anew: true });
    await settled();
    expect(heard.at(-1)?.keyList).toEqual([]);
  });

  test('[R13] triggers a retry of quarantined entries when a listing has a new key', async () => {
    const { list, settled, sent, remote, result } = await learning();
    const { entry, archive } = await sent('a');
    remote.objects.delete(`car/${archive.cid}`);
    list([entry]);
    await settled();
    expect(remote.transfers).toHaveLength(1);
    result.isNews = true;
    list([], { keys: ['new'] });
    result.isNews = true;
    await settled();
    expect(remote.transfers.length).toBeGreaterThan(1);
  });

  test('makes the download fail with LEDGER_KIND when the ledger is of another kind', async () => {
    const { downloads, list, settled, connect } = await downloading(() =>
      Promise.reject(new FixpointError('LEDGER_KIND')),
    );
    connect();
    list([]);
    await settled();
    expect(downloads.failure()).toMatchObject({ code: 'LEDGER_KIND' });
  });
});

describe('a caller who waits', () => {
  test('waits only for entries that were listed before the call, not for later ones', async () => {
    const { downloads, list, settled, sent, connect, remote } = await downloading();
    const first = await sent('a');
    connect();
    list([first.entry]);
    const left = downloads.pending();
    expect(left?.()).toBe('look');
    await settled();
    expect(left?.()).toBe('nothing');
    const other = await sent('b');
    remote.objects.delete(`car/${other.archive.cid}`);
    list([other.entry]);
    await settled();
    expect([left?.(), downloads.waiting()]).toEqual(['nothing', 1]);
  });

  test('[R11] receives an old entry even if other devices write faster than this device fetches', async () => {
    const { downloads, list, settled, connect, remote } = await downloading();
    const old = await sessionOver(remote);
    await write(old.commits, ['old', 1]);
    const waited = await entryOf(old);
    const others = await Promise.all(
      Array.from({ length: 6 }, async (_, n) => {
        const one = await sessionOver(remote);
        await write(one.commits, [`new-${n}`, n]);
        return entryOf(one);
      }),
    );
    connect();
    remote.before = () => {
      // A newer entry arrives with each fetch.
      const next = others.pop();
      if (next !== undefined) list([next.entry]);
    };
    list([waited.entry]);
    list([(others.pop() as (typeof others)[number]).entry]);
    downloads.pending();
    await settled();
    expect(remote.transfers.indexOf(`GET car/${waited.archive.cid}`)).toBeLessThan(3);
  });
});
