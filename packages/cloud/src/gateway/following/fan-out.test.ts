import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Ledger, newLedger, tablesOf, temporaryFolder } from '../../../tests/cloud.fixture.ts';
import { type HintBus, localBus } from '../../bus/hint-bus.ts';
import { createLedgerRights, type LedgerAccess, type LedgerRights } from '../../rights/rights.ts';
import { readMetas } from '../../tables/sync/meta-rows.ts';
import { putMetas } from '../../tables/sync/put-metas.ts';
import { createFanOut } from './fan-out.ts';
import type { Listings } from './listings.ts';

const entryOf = (cid: string) => ({ cid, parents: [], data: `data of ${cid}` });
const deaf: HintBus = { ...localBus(), subscribe: () => () => undefined };

/** Tables, a fan-out over them, and rights that a test can revoke. */
async function arranged(bus: HintBus = localBus(), hasOwnRights = false) {
  const behind = await tablesOf(await temporaryFolder());
  const access = new Map<string, LedgerAccess>();
  /** Lets a test delay lookups of rights: each lookup waits for `passing`. */
  const gate = { passing: Promise.resolve(), asked: (): void => undefined };
  const given: Pick<LedgerRights, 'accessTo'> = hasOwnRights
    ? createLedgerRights(behind.db, () => Date.now())
    : {
        accessTo: async (userId) => {
          gate.asked();
          await gate.passing;
          return access.get(userId) ?? 'read';
        },
      };
  const looks: Promise<unknown>[] = [];
  const rights: LedgerRights = {
    accessTo: (...whose) => {
      const look = given.accessTo(...whose);
      looks.push(look);
      return look;
    },
    forget: () => undefined,
  };
  const failures: unknown[] = [];
  let isNextFailing = false;
  const read: Listings['read'] = async (...asked) => {
    if (isNextFailing) {
      isNextFailing = false;
      throw new Error('no tables');
    }
    return { ...(await readMetas(behind.db, ...asked)), withheld: [], missingFiles: [] };
  };
  const fanOut = createFanOut({
    db: behind.db,
    rights,
    listings: {
      read,
      look: async () => false,
      changed: async () => undefined,
      settle: async () => undefined,
    },
    bus,
    watch: { delivered: () => undefined },
    now: () => Date.now(),
    report: (error) => {
      if ((error as Error).message !== 'no tables') failures.push(error);
    },
  });
  const failNext = () => {
    isNextFailing = true;
  };
  onTestFinished(async () => {
    await fanOut.stop();
    await behind.db.destroy();
    expect(failures).toEqual([]);
  });

  /** Advances the clock, then waits for the work that the timers started. */
  const pass = async (ms: number) => {
    vi.advanceTimersByTime(ms);
    await Promise.all(looks.splice(0));
    await new Promise((done) => setImmediate(done));
    await fanOut.settled();
  };

  const putWith = async ({ tenant, ledger }: Ledger, writer: string, keys: string[], ...cids: string[]) => {
    await putMetas(behind.db, { tenant, ledger }, writer, { metas: cids.map(entryOf), keys }, 0);
    bus.publish(ledger);
  };
  const put = (ledger: Ledger, writer: string, ...cids: string[]) => putWith(ledger, writer, [], ...cids);
  const follow = (
    { tenant, ledger }: Ledger,
    userId: string,
    cursor = 0,
    awaitsMore = false,
    mark?: string,
  ) => {
    const cids: string[] = [];
    const cursors: number[] = [];
    /** The field `after` of each event: the cursor of the event before it. */
    const afters: number[] = [];
    const keys: number[] = [];
    const more: (boolean | undefined)[] = [];
    const anew: (boolean | undefined)[] = [];
    let wasCut = false;
    const head = { tid: `z${userId}` };
    const binding = { userId, tenant, ledger, writer: userId, head, cursor, mark, awaitsMore };
    const stop = fanOut.follow(binding, {
      send: (text) => {
        const message = JSON.parse(text);
        expect(message).toMatchObject({ type: 'eventGetMeta', tid: `z${userId}` });
        cids.push(...message.meta.metas.map(({ cid }: { cid: string }) => cid));
        cursors.push(message.cursor);
        afters.push(message.after);
        keys.push(message.meta.keys.length);
        more.push(message.more);
        anew.push(message.anew);
      },
      cut: () => {
        wasCut = true;
      },
    });
    return { cids, cursors, afters, keys, more, anew, stop, wasCut: () => wasCut };
  };
  return { ...behind, access, gate, fanOut, pass, failNext, put, putWith, follow };
}

function stopTime(): void {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] });
  onTestFinished(() => void vi.useRealTimers());
}

/** Milliseconds within which a follower that lost access is cut, even if nobody writes. */
const CUT_MS = 5000;
const STEP_MS = 500;

describe('fan-out', () => {
  test('[S2] sends metas to all followers of the ledger, and to nobody else', async () => {
    const { db, tokens, put, follow } = await arranged();
    const [notes, other] = [await newLedger({ db, tokens }), await newLedger({ db, tokens })];
    const [a, b, stranger] = [follow(notes, 'a'), follow(notes, 'b'), follow(other, 'c')];
    await put(notes, 'w', 'one');
    await put(other, 'w', 'two');
    await expect.poll(() => [a.cids, b.cids, stranger.cids]).toEqual([['one'], ['one'], ['two']]);
  });

  test('sends a short list of keys with each event, and a long list only to followers that lack it', async () => {
    const { db, tokens, put, putWith, follow } = await arranged();
    const notes = await newLedger({ db, tokens });
    const a = follow(notes, 'a');
    await putWith(notes, 'w', ['z1'], 'one');
    await expect.poll(() => a.cids).toEqual(['one']);
    await put(notes, 'w', 'two');
    await expect.poll(() => a.cids).toEqual(['one', 'two']);
    expect(a.keys).toEqual([1, 1]);
    await putWith(notes, 'w', ['z2'.repeat(5000)], 'three');
    await expect.poll(() => a.cids.length).toBe(3);
    const b = follow(notes, 'b', 2);
    await expect.poll(() => b.cids).toEqual(['three']);
    for (const [at, cid] of ['four', 'five'].entries()) {
      await put(notes, 'w', cid);
      await expect.poll(() => [a.cids.length, b.cids.length]).toEqual([4 + at, 2 + at]);
    }
    await putWith(notes, 'w', ['z3'], 'six');
    await expect.poll(() => [a.cids.length, b.cids.length]).toEqual([6, 4]);
    expect([a.keys, b.keys]).toEqual([
      [1, 1, 2, 0, 0, 3],
      [2, 0, 0, 3],
    ]);
  });

  test('[S2] cuts a follower that lost access without sending it more entries, and serves the others', async () => {
    const { db, tokens, access, put, follow } = await arranged();
    const notes = await newLedger({ db, tokens });
    const [a, b] = [follow(notes, 'a'), follow(notes, 'b')];
    await put(notes, 'w1', 'one');
    await expect.poll(() => b.cids).toEqual(['one']);
    access.set('b', 'none');
    await put(notes, 'w2', 'two');
    await expect.poll(() => [a.cids, b.wasCut()]).toEqual([['one', 'two'], true]);
    expect(b.cids).toEqual(['one']);
    expect(a.wasCut()).toBe(false);
  });

  test('[S5] cuts a follower that lost access, even if nobody writes', async () => {
    stopTime();
    const { db, tokens, access, follow, pass } = await arranged();
    const silent = follow(await newLedger({ db, tokens }), 'a');
    await pass(0);
    access.set('a', 'none');
    for (let ms = 0; ms < CUT_MS && !silent.wasCut(); ms += STEP_MS) await pass(STEP_MS);
    expect(silent.wasCut()).toBe(true);
  });

  test('[S5] cuts a follower within five seconds after another process revoked its access, despite a recent lookup', async () => {
    stopTime();
    const { db, tokens, put, follow, pass } = await arranged(localBus(), true);
    const notes = await newLedger({ db, tokens });
    const silent = follow(notes, notes.userId);
    // This put happens between two checks of all rights. Its lookup caches an answer on which the
    // next check must not rely.
    await pass(3000);
    await put(notes, 'w', 'one');
    await pass(0);
    expect(silent.cids).toEqual(['one']);
    await db.updateTable('TenantUsers').set({ status: 'inactive' }).execute();
    for (let ms = 0; ms < CUT_MS && !silent.wasCut(); ms += STEP_MS) await pass(STEP_MS);
    expect(silent.wasCut()).toBe(true);
  });

  test('[R14] sends entries despite a lost hint', async () => {
    const { db, tokens, fanOut, put, follow } = await arranged(deaf);
    const notes = await newLedger({ db, tokens });
    const a = follow(notes, 'a');
    // Waits for the first delivery, so that it can't be the one that sends the next entry.
    await fanOut.settled();
    await put(notes, 'w', 'one');
    await expect.poll(() => a.cids).toEqual(['one']);
  });

  test('[R15] sends entries without waiting for a sweep, even if they arrive before the follow or during a delivery', async () => {
    vi.useFakeTimers({ toFake: ['setInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const { db, tokens, gate, put, follow, fanOut } = await arranged();
    const notes = await newLedger({ db, tokens });
    await put(notes, 'w', 'before');
    const a = follow(notes, 'a');
    await fanOut.settled();
    expect(a.cids).toEqual(['before']);
    let pass: () => void = () => undefined;
    gate.passing = new Promise((done) => {
      pass = done;
    });
    const asked = new Promise<void>((done) => {
      gate.asked = done;
    });
    await put(notes, 'w2', 'one');
    // By now, the delivery has read its page.
    await asked;
    await put(notes, 'w3', 'two');
    pass();
    await fanOut.settled();
    expect(a.cids).toEqual(['before', 'one', 'two']);
  });

  test('sends each follower the entries that it lacks, in order, without its own entries', async () => {
    const { db, tokens, put, follow } = await arranged();
    const notes = await newLedger({ db, tokens });
    for (const cid of ['1', '2', '3', '4']) await put(notes, `w${cid}`, cid);
    await put(notes, 'b', '5');
    const [all, some, own] = [follow(notes, 'a'), follow(notes, 'c', 2), follow(notes, 'b', 3)];
    await expect.poll(() => all.cids).toEqual(['1', '2', '3', '4', '5']);
    await expect.poll(() => some.cids).toEqual(['3', '4', '5']);
    await expect.poll(() => own.cids).toEqual(['4']);
    expect(own.cursors).toEqual([5]);
    expect([all.afters, some.afters, own.afters]).toEqual([[0], [2], [3]]);
  });

  test('[R12] skips and repeats no entry while entries arrive or replace each other, and followers join or leave', async () => {
    const { db, tokens, put, follow, fanOut } = await arranged();
    const notes = await newLedger({ db, tokens });
    const early = follow(notes, 'early');
    const writers = Array.from({ length: 5 }, async (_, writer) => {
      for (let step = 0; step < 20; step++) await put(notes, `w${writer}`, `${writer}-${step}`);
    });
    const passing = follow(notes, 'passing');
    passing.stop();
    const late = follow(notes, 'late');
    await Promise.all(writers);
    const last = ['0-19', '1-19', '2-19', '3-19', '4-19'];
    for (const { cids, cursors } of [early, late]) {
      await expect.poll(() => last.every((cid) => cids.includes(cid))).toBe(true);
      expect(new Set(cids).size).toBe(cids.length);
      expect(cursors).toEqual([...cursors].sort((x, y) => x - y));
    }
    expect(fanOut.count()).toBe(2);
  });

  test('splits many entries into several events', async () => {
    const { db, tokens, put, follow } = await arranged();
    const notes = await newLedger({ db, tokens });
    const cids = Array.from({ length: 450 }, (_, index) => `c${index}`);
    await put(notes, 'w', ...cids);
    const a = follow(notes, 'a');
    await expect.poll(() => a.cids).toEqual(cids);
    expect(a.cursors).toEqual([200, 400, 450]);
    expect(a.afters).toEqual([0, 200, 400]);
    expect(a.more).toEqual([true, true, undefined]);
  });

  test('[R14] sends followers a full listing after tables are restored from an older copy', async () => {
    const { db, tokens, fanOut, put, follow } = await arranged();
    const notes = await newLedger({ db, tokens });
    const cids = Array.from({ length: 450 }, (_, index) => `c${index}`);
    await put(notes, 'w', ...cids);
    const a = follow(notes, 'a', 450);
    await fanOut.settled();
    // In one transaction, so that no delivery happens in between, as when a copy replaces the
    // tables.
    await db.transaction().execute(async (tx) => {
      await tx.deleteFrom('Metas').where('seq', '>', 300).execute();
      await tx.updateTable('Ledgers').set({ metaSeq: 300 }).where('ledgerId', '=', notes.ledger).execute();
    });
    await expect.poll(() => a.cids).toEqual(cids.slice(0, 300));
    expect([a.cursors, a.afters]).toEqual([
      [200, 300],
      [0, 200],
    ]);
    await put(notes, 'w2', 'then');
    await expect.poll(() => a.cids.at(-1)).toBe('then');
  });

  describe('after the tables lost their newest entries, as in a failover', () => {
    /** A follower of four entries, of which the tables then lose two. */
    async function failedOver(bus?: HintBus) {
      const here = await arranged(bus);
      const notes = await newLedger(here);
      for (const cid of ['1', '2', '3', '4']) await here.put(notes, `w${cid}`, cid);
      const a = here.follow(notes, 'a', 4);
      await here.fanOut.settled();
      const placeOf4 = (await readMetas(here.db, notes, 4, 1)).mark;
      await here.db.transaction().execute(async (tx) => {
        await tx.deleteFrom('Metas').where('seq', '>', 2).execute();
        await tx.updateTable('Ledgers').set({ metaSeq: 2 }).where('ledgerId', '=', notes.ledger).execute();
      });
      const putLater = (cid: string) =>
        putMetas(here.db, notes, `w${cid}`, { metas: [entryOf(cid)], keys: [] }, 1000);
      return { ...here, notes, a, placeOf4, putLater };
    }

    test('[R14] sends a follower a full listing even if another follower joined since', async () => {
      const { notes, a, follow, fanOut } = await failedOver();
      const late = follow(notes, 'late', 2);
      await fanOut.settled();
      await expect.poll(() => [a.cids, late.cids]).toEqual([['1', '2'], []]);
      expect(a.anew).toEqual([true]);
    });

    test('[R14] sends a follower new entries that reuse the lost numbers, even without a hint', async () => {
      const { a, putLater } = await failedOver(deaf);
      for (const cid of ['five', 'six']) await putLater(cid);
      await expect.poll(() => a.cids).toEqual(['1', '2', 'five', 'six']);
    });

    test('[R14] sends a follower a new entry that precedes an entry with a reused number', async () => {
      const { a, putLater } = await failedOver(deaf);
      for (const cid of ['new', '4']) await putLater(cid);
      await expect.poll(() => a.cids).toEqual(['1', '2', 'new', '4']);
    });

    test('[R14] sends a full listing to a client that polled before the loss and follows after it', async () => {
      const { notes, follow, putLater, placeOf4 } = await failedOver();
      for (const cid of ['five', 'six']) await putLater(cid);
      const asked = follow(notes, 'b', 4, false, placeOf4);
      const late = follow(notes, 'late', 3);
      await expect.poll(() => [asked.cids, late.cids]).toEqual([['1', '2', 'five', 'six'], ['six']]);
    });

    test('[R14] repeats a failed delivery even if the last number is unchanged', async () => {
      const { notes, a, follow, fanOut, failNext } = await failedOver();
      failNext();
      follow(notes, 'late', 2);
      await fanOut.settled();
      await expect.poll(() => a.cids).toEqual(['1', '2']);
    });
  });

  test('sends the rest of the entries to a follower whose last event announced more, even its own entries', async () => {
    const { db, tokens, put, follow } = await arranged();
    const notes = await newLedger({ db, tokens });
    const cids = Array.from({ length: 450 }, (_, index) => `c${index}`);
    await put(notes, 'w', ...cids.slice(0, 300));
    await put(notes, 'a', ...cids.slice(300));
    const a = follow(notes, 'a', 200, true);
    await expect.poll(() => a.more.length).toBe(2);
    expect([a.cursors, a.more]).toEqual([
      [400, 450],
      [true, undefined],
    ]);
    // The listing includes the follower's own entries: after a restore, a writer must see which of
    // its entries are left.
    expect(a.cids).toEqual(cids.slice(200));
    const idle = follow(notes, 'a', 400);
    await put(notes, 'w2', 'then');
    await expect.poll(() => [a.cids.length, idle.cids]).toEqual([251, ['then']]);
    expect(idle.cursors).toEqual([451]);
    // The follower's own entries were skipped without an event.
    expect(idle.afters).toEqual([400]);
  });
});
