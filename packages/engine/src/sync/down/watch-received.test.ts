import { FixpointError } from '@fixpoint/protocol';
import { describe, expect, test } from 'vitest';
import { utf8 } from '../../base/bytes.ts';
import { sortHead } from '../../clock/event.ts';
import { type Cid, cidOf, RAW } from '../../codec/cid.ts';
import type { Commits } from '../../commit/commits-interface.ts';
import { readReceived } from '../../commit/verify/arrivals.ts';
import type { Platform } from '../../ports/platform.ts';
import { simulatedTime } from '../../testing/simulated-time.ts';
import { createListed } from '../ledger/listed-entries.ts';
import type { RemoteMemory } from '../ledger/remote-memory.ts';
import { watchReceived } from './watch-received.ts';

const cid = (name: string): Cid => cidOf(RAW, utf8(name));
const content = (name: string) => ({ group: [cid('archive')] as const, head: sortHead([cid(name)]) });
const received = (seq: number, account = 'ann') => ({
  ...{ cid: `entry-${seq}`, seq, account, at: new Date(seq).toISOString() },
});

/** A listing of entries, each of which has the number and the event of its name. */
const listing = (seqs: readonly number[], after: number, cursor: number, more = false) => ({
  ...{ metas: seqs.map((seq) => ({ cid: `entry-${seq}`, parents: [], data: '' })), keys: [] },
  ...{ received: seqs.map((seq) => received(seq)), after, cursor, more, anew: after === 0 },
});

/** The rows of a device. Each call of `attach` is a start of the device. */
function device() {
  const time = simulatedTime();
  const rows = new Map<string, Uint8Array>();
  const reports: unknown[] = [];
  let isBroken = false;
  const remembered = async (prefix: string) => {
    if (isBroken) throw new FixpointError('CORRUPT');
    return new Map([...rows].filter(([key]) => key.startsWith(prefix)));
  };
  const markUploaded: Commits['markUploaded'] = async (_, changes) => {
    for (const { key, bytes } of changes) rows.set(key, bytes as Uint8Array);
  };
  const attach = () => {
    const abort = new AbortController();
    const listed = watchReceived(createListed(), {
      commits: { remembered, markUploaded } as unknown as Commits,
      platform: { time, report: (cause: unknown) => void reports.push(cause) } as unknown as Platform,
      memory: { prefix: 'remote/r/' } as RemoteMemory,
      signal: abort.signal,
    });
    const read = (...seqs: readonly number[]) => {
      for (const seq of seqs) listed.read(`entry-${seq}`, content(`event-${seq}`));
    };
    return { listed, read, abort };
  };
  /** Returns the numbers and bases of the stored entries. */
  const stored = async () => {
    await time.pass(1000);
    isBroken = false;
    const found = [...(await readReceived(remembered, 'r')).values()];
    return found.map(({ seq, base }) => [seq, base]).sort((a, b) => Number(a[0]) - Number(b[0]));
  };
  return { attach, stored, rows, reports, time, breakReads: () => (isBroken = true) };
}

describe('watching what a remote received', () => {
  test('stores the place of an entry among those that were received before', async () => {
    const { attach, stored, rows } = device();
    const { listed, read } = attach();
    listed.take(listing([3, 5], 0, 5, true));
    listed.take(listing([8], 5, 8));
    listed.take(listing([9], 8, 9));
    listed.take(listing([12], 9, 12));
    read(3, 5, 8, 9, 12);
    expect(await stored()).toEqual([
      [3, 0],
      [5, 0],
      [8, 0],
      [9, 8],
      [12, 9],
    ]);
    const row = JSON.parse(new TextDecoder().decode(rows.get('received/r/entry-9')));
    expect(row).toEqual({ v: 1, seq: 9, base: 8, at: 9, account: 'ann', head: [cid('event-9')] });
  });

  test('stores an entry once its head is known', async () => {
    const { attach, stored, time, rows } = device();
    const { listed, read } = attach();
    listed.take(listing([1, 2], 0, 2));
    listed.read('entry-1', { ...content('event-1'), head: sortHead([]) });
    expect(await stored()).toEqual([]);
    read(1);
    expect(rows.size).toBe(0);
    await time.pass(300);
    expect(await stored()).toEqual([[1, 0]]);
  });

  test('keeps rows after a restart, when the remote lists everything again', async () => {
    const { attach, stored } = device();
    const first = attach();
    first.listed.take(listing([4], 0, 4));
    first.listed.take(listing([5], 4, 5));
    first.listed.take(listing([6], 5, 6));
    first.read(4, 5, 6);
    const before = [
      [4, 0],
      [5, 4],
      [6, 5],
    ];
    expect(await stored()).toEqual(before);
    first.abort.abort();
    const second = attach();
    second.listed.take(listing([5, 6, 9], 0, 9));
    second.read(5, 6, 9);
    expect(await stored()).toEqual([...before, [9, 5]]);
  });

  test('stores the entries that this device sent, from the answer of the remote', async () => {
    const { attach, stored } = device();
    const { listed } = attach();
    listed.take(listing([], 0, 6));
    listed.told('entry-7', content('event-7'), { received: [received(7, 'me')] });
    listed.told('entry-8', content('event-8'), {});
    expect(await stored()).toEqual([[7, 6]]);
  });

  test('reports damaged rows once, and stores further ones', async () => {
    const { attach, stored, reports, breakReads, time } = device();
    const { listed, read } = attach();
    breakReads();
    listed.take(listing([1, 2], 0, 2));
    read(1);
    await time.pass(300);
    read(2);
    expect(await stored()).toEqual([
      [1, 0],
      [2, 0],
    ]);
    expect(reports).toHaveLength(1);
  });

  test('stores nothing once the database is detached', async () => {
    const { attach, stored } = device();
    const { listed, read, abort } = attach();
    listed.take(listing([1], 0, 1));
    read(1);
    abort.abort();
    expect(await stored()).toEqual([]);
  });

  test('stores nothing impossible that a remote reports', async () => {
    const { attach, stored, rows } = device();
    const { listed } = attach();
    for (const odd of [{ seq: 2 ** 53 }, { at: 'yesterday' }, { account: 'a\nb' }])
      listed.told('entry-7', content('event-7'), { received: [{ ...received(7), ...odd }] });
    expect(await stored()).toEqual([]);
    expect(rows.size).toBe(0);
  });
});
