import { describe, expect, test } from 'vitest';
import { newLedger } from '../../../tests/cloud.fixture.ts';
import { nameObjects } from '../../tables/sync/ledger-objects.ts';
import { markFaulty } from '../../tables/sync/withheld-rows.ts';
import { ledgerWithStore } from '../content/care.fixture.ts';

const LOOK_MS = 10_000;

/** A ledger with two entries, of which the second lacks its archive in the store. */
async function listed() {
  const world = await ledgerWithStore();
  const { entryOf, nameOf, put, stored, listings, id } = world;
  const [whole, broken] = [entryOf('here'), entryOf('lost')];
  stored.add(nameOf('here'));
  await put(whole, broken);
  const read = async (place = 0) => {
    const { rows, withheld, ...page } = await listings.read(id, place, 100);
    return { ...page, cids: rows.map(({ entry }) => entry.cid), withheld };
  };
  return { ...world, whole, broken, read, lost: nameOf('lost') };
}

describe('listing entries', () => {
  test('[R13] lists an entry only if the store has its archives', async () => {
    const { read, whole, broken, lost } = await listed();
    const { cids, withheld } = await read();
    expect(cids).toEqual([whole.cid]);
    expect(withheld).toMatchObject([{ cid: broken.cid, why: 'absent', objects: [lost] }]);
  });

  test('[R13] withholds an entry permanently when no client can read it', async () => {
    const { put, read, whole, clock, published } = await listed();
    const bad = { ...whole, cid: 'bad', data: 'Mnonsense' };
    await put(bad);
    expect((await read()).withheld).toContainEqual(expect.objectContaining({ cid: 'bad', why: 'malformed' }));
    published.length = 0;
    clock.ms += LOOK_MS;
    expect((await read()).withheld.map(({ cid }) => cid)).toContain('bad');
  });

  test('reports the author and the time of a withheld entry', async () => {
    const { read, userId, now } = await listed();
    expect((await read()).withheld).toMatchObject([{ author: userId, since: new Date(now()).toISOString() }]);
  });

  test('[R13] lists a withheld entry with a new number once its archive is uploaded', async () => {
    const { read, broken, stored, lost, listings, id, published } = await listed();
    const { cursor } = await read();
    stored.add(lost);
    published.length = 0;
    await listings.changed(id);
    expect(published).toEqual([id.ledger]);
    // A reader whose cursor is past the old number receives the entry.
    const news = await read(cursor);
    expect([news.cids, news.withheld]).toEqual([[broken.cid], []]);
  });

  test('[R13] notices an archive that vanished from the store', async () => {
    const { read, stored, nameOf, whole, clock } = await listed();
    await read();
    stored.delete(nameOf('here'));
    clock.ms += LOOK_MS;
    const { cids, withheld } = await read();
    expect([cids, withheld.map(({ cid }) => cid)]).toEqual([[], expect.arrayContaining([whole.cid])]);
  });

  test('[R13] withholds entries whose archive is damaged, though the store has it', async () => {
    const { read, db, id, nameOf, whole, now, clock } = await listed();
    expect((await read()).cids).toEqual([whole.cid]);
    await markFaulty(db, id.ledger, nameOf('here'), now());
    clock.ms += LOOK_MS;
    expect((await read()).cids).toEqual([]);
  });

  test('finds archives of an index in the store of the index', async () => {
    const { put, entryOf, nameOf, stored, read } = await listed();
    const indexed = entryOf('of an index');
    stored.add(nameOf('of an index').replace('car/', 'car.idx/'));
    await put(indexed);
    expect((await read()).cids).toContain(indexed.cid);
  });

  test('lists entries when only files are missing, and reports these files', async () => {
    const { db, id, read, clock, whole, listings, stored } = await listed();
    await nameObjects(db, id.ledger, ['file/one', 'file/two'], 'now');
    stored.add('file/one');
    clock.ms += LOOK_MS;
    await listings.look(id);
    expect(await read()).toMatchObject({ cids: [whole.cid], missingFiles: ['file/two'] });
  });
});

describe('a store that does not answer', () => {
  test('[R3] leaves entries unchanged, and is reported', async () => {
    const { read, store, whole, broken, clock, reports } = await listed();
    expect((await read()).cids).toEqual([whole.cid]);
    store.isDown = true;
    clock.ms += LOOK_MS;
    const { cids, withheld } = await read();
    expect([cids, withheld.map(({ cid }) => cid)]).toEqual([[whole.cid], [broken.cid]]);
    expect(reports.length).toBeGreaterThan(0);
  });

  test('[R3] lets the gateway list unchecked entries until the store answers again', async () => {
    const { read, store, whole, broken, clock } = await listed();
    store.isDown = true;
    expect((await read()).cids).toEqual([whole.cid, broken.cid]);
    store.isDown = false;
    clock.ms += LOOK_MS;
    expect((await read()).cids).toEqual([whole.cid]);
  });
});

describe('checking a ledger', () => {
  test('[R11] happens at most every ten seconds', async () => {
    const { listings, id, lookups, clock } = await listed();
    await listings.look(id);
    const { length } = lookups;
    clock.ms += LOOK_MS - 1;
    expect(await listings.look(id)).toBe(false);
    expect(lookups).toHaveLength(length);
    clock.ms += 1;
    await listings.look(id);
    expect(lookups.length).toBeGreaterThan(length);
  });

  test('happens again when the clock was set back', async () => {
    const { listings, id, lookups, clock } = await listed();
    await listings.look(id);
    const { length } = lookups;
    clock.ms -= 60 * LOOK_MS;
    await listings.look(id);
    expect(lookups.length).toBeGreaterThan(length);
  });

  test('happens once for callers that ask at the same time', async () => {
    const { listings, id } = await listed();
    const [one, other] = [listings.look(id), listings.look(id)];
    expect(await Promise.all([one, other])).toEqual([true, true]);
  });

  test('notifies followers only if something changed', async () => {
    const { listings, id, published } = await listed();
    await listings.changed(id);
    expect(published).toEqual([id.ledger]);
    await listings.changed(id);
    expect(published).toEqual([id.ledger]);
  });

  test('notifies followers when a file is missing, and when it is back', async () => {
    const { db, listings, id, published, stored } = await listed();
    await listings.changed(id);
    await nameObjects(db, id.ledger, ['file/one'], 'now');
    await listings.changed(id);
    stored.add('file/one');
    await listings.changed(id);
    expect(published).toHaveLength(3);
  });
});

describe('after an upload', () => {
  test('[R13] checks the ledger at once if an entry waits for objects', async () => {
    const { listings, id, stored, lost, read, whole, broken } = await listed();
    await read();
    stored.add(lost);
    await listings.settle(id, lost);
    expect((await read()).cids).toEqual([whole.cid, broken.cid]);
  });

  test('[R11] checks nothing when no entry waits for objects', async () => {
    const { listings, id, stored, lost, lookups, clock } = await listed();
    stored.add(lost);
    await listings.look(id);
    const { length } = lookups;
    clock.ms += LOOK_MS;
    await listings.settle(id, 'car/other');
    expect(lookups).toHaveLength(length);
  });

  test('[R13] stops reporting the uploaded file as missing', async () => {
    const { db, listings, id, stored, lost, published } = await listed();
    stored.add(lost);
    await nameObjects(db, id.ledger, ['file/one'], 'now');
    await listings.look(id);
    stored.add('file/one');
    published.length = 0;
    await listings.settle(id, 'file/one');
    expect(published).toEqual([id.ledger]);
  });
});

describe('the listing of another ledger', () => {
  test('[S2] shows nothing of this ledger, and looks up none of its objects', async () => {
    const { db, tokens, listings, read, put, entryOf, lookups } = await listed();
    const { tenant, ledger } = await newLedger({ db, tokens });
    const { rows, withheld } = await listings.read({ tenant, ledger }, 0, 100);
    expect([rows, withheld, lookups]).toEqual([[], [], []]);
    await put(entryOf('another'));
    expect((await read()).withheld).toHaveLength(2);
  });
});
