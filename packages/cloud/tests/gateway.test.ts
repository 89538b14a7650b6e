import { requestMessage } from '@fixpoint/protocol/storage';
import { describe, expect, test } from 'vitest';
import {
  about,
  bind,
  cidsOf,
  commit,
  httpClient,
  newLedger,
  putJson,
  socketClient,
  testCloud,
} from './cloud.fixture.ts';

describe('a session with the gateway', () => {
  test('[W1] sends gestalt, open, bind, upload and put meta; a second connection is notified and downloads', async () => {
    const cloud = await testCloud();
    const notes = await newLedger(cloud);
    const asked = requestMessage('reqGestalt', 'z1', notes.token, {});
    const { status, body } = await putJson(`${cloud.url}/fp`, asked);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      type: 'resGestalt',
      tid: 'z1',
      gestalt: { protocolCapabilities: ['reqRes', 'stream'], httpEndpoints: ['/fp'], wsEndpoints: ['/ws'] },
    });

    const writer = await socketClient(cloud, notes);
    const reader = await socketClient(cloud, notes);
    expect(await writer.request('bindGetMeta', bind(notes))).toMatchObject({
      type: 'eventGetMeta',
      conn: writer.conn,
      meta: { metas: [], keys: [] },
      cursor: 0,
    });
    await reader.request('bindGetMeta', bind(notes));
    const { entry, key, answer } = await commit(writer, notes, 'first archive');
    expect(answer).toMatchObject({ type: 'resPutMeta', meta: { metas: [entry], keys: ['zKey'] } });
    await expect.poll(() => reader.events.length).toBe(2);
    expect(reader.events[1]).toMatchObject({
      conn: reader.conn,
      tid: reader.events[0].tid,
      tenant: { tenant: notes.tenant, ledger: notes.ledger },
      meta: { metas: [entry], keys: ['zKey'] },
      cursor: 1,
    });
    const { signedUrl } = await reader.request('reqGetData', about(notes, 'car', 'GET', key));
    expect(await (await fetch(signedUrl)).text()).toBe('first archive');
    // The writer receives no event for its own write.
    expect(writer.events).toHaveLength(1);
  });

  test('[4] gets new entries with a repeated bind over HTTP', async () => {
    const cloud = await testCloud();
    const notes = await newLedger(cloud);
    const writer = await httpClient(cloud, notes);
    const poller = await httpClient(cloud, notes);
    const poll = () =>
      putJson(
        `${cloud.url}/fp`,
        requestMessage('bindGetMeta', 'zPoll', notes.token, { conn: poller.conn, ...bind(notes) }),
      );
    expect((await poll()).body.meta.metas).toEqual([]);
    const first = await commit(writer, notes, 'one');
    expect((await poll()).body).toMatchObject({ conn: poller.conn, meta: { metas: [first.entry] } });
    expect((await poll()).body.meta.metas).toEqual([]);
  });

  test('[R14] gets a full listing with a repeated bind over HTTP after the tables lost entries', async () => {
    const cloud = await testCloud();
    const notes = await newLedger(cloud);
    const poller = await httpClient(cloud, notes);
    const poll = async () =>
      (
        await putJson(
          `${cloud.url}/fp`,
          requestMessage('bindGetMeta', 'zPoll', notes.token, { conn: poller.conn, ...bind(notes) }),
        )
      ).body;
    const first = await commit(await httpClient(cloud, notes), notes, 'one');
    await commit(await httpClient(cloud, notes), notes, 'lost');
    expect(await poll()).toMatchObject({ cursor: 2 });
    await cloud.db.transaction().execute(async (tx) => {
      await tx.deleteFrom('Metas').where('seq', '>', 1).execute();
      await tx.updateTable('Ledgers').set({ metaSeq: 1 }).where('ledgerId', '=', notes.ledger).execute();
    });
    const since = await commit(await httpClient(cloud, notes), notes, 'since');
    const all = await poll();
    expect([cidsOf(all), all.anew]).toEqual([[first.entry.cid, since.entry.cid], true]);
    const nothing = await poll();
    expect([cidsOf(nothing), nothing.anew]).toEqual([[], undefined]);
  });

  test('gets a full listing of an empty ledger only once when it repeats its bind', async () => {
    const cloud = await testCloud();
    const notes = await newLedger(cloud);
    const client = await httpClient(cloud, notes);
    const ask = (fields: object, tid: string) =>
      putJson(
        `${cloud.url}/fp`,
        requestMessage('bindGetMeta', tid, notes.token, { conn: client.conn, ...bind(notes), ...fields }),
      );
    const first = (await ask({ cursor: 0 }, 'zOwn')).body;
    const { cursor, mark } = first;
    const answers = [first, (await ask({ cursor, mark }, 'zOwn')).body];
    for (let polls = 0; polls < 2; polls++) answers.push((await ask({}, 'zPoll')).body);
    expect(answers.map(({ anew }) => anew)).toEqual([true, undefined, true, undefined]);
    const { entry } = await commit(await httpClient(cloud, notes), notes, 'one');
    expect(cidsOf((await ask({ cursor, mark }, 'zOwn')).body)).toEqual([entry.cid]);
  });

  test('resumes from a cursor, also on a new connection', async () => {
    const cloud = await testCloud();
    const notes = await newLedger(cloud);
    const first = await commit(await httpClient(cloud, notes), notes, 'one');
    const second = await commit(await httpClient(cloud, notes), notes, 'two');
    const reader = await socketClient(cloud, notes);
    const all = await reader.request('bindGetMeta', bind(notes));
    expect(cidsOf(all)).toEqual([first.entry.cid, second.entry.cid]);
    const again = await socketClient(cloud, notes);
    const rest = await again.request('bindGetMeta', { ...bind(notes), cursor: 1 });
    expect(cidsOf(rest)).toEqual([second.entry.cid]);
    const none = await again.request('bindGetMeta', { ...bind(notes), cursor: all.cursor });
    expect(cidsOf(none)).toEqual([]);
    // This cursor is from before the tables were restored from an older copy.
    const restored = await again.request('bindGetMeta', { ...bind(notes), cursor: 99 });
    expect([cidsOf(restored), restored.cursor]).toEqual([cidsOf(all), all.cursor]);
    // The tables reached this cursor's number again, but its mark belongs to a lost entry.
    const { cursor, mark } = all;
    const [own, lost] = [
      await again.request('bindGetMeta', { ...bind(notes), cursor, mark }),
      await again.request('bindGetMeta', { ...bind(notes), cursor, mark: `${mark}x` }),
    ];
    expect([all.after, own.after, lost.after]).toEqual([0, 2, 0]);
    expect([cidsOf(own), cidsOf(lost)]).toEqual([[], cidsOf(all)]);
    expect([own.mark, lost.mark, rest.mark]).toEqual([mark, mark, mark]);
    const former = await again.request('bindGetMeta', { ...bind(notes), cursor: 1, mark });
    expect(cidsOf(former)).toEqual(cidsOf(all));
  });

  test("can reopen a connection by its pair of ids; a new entry then replaces only the connection's previous entry", async () => {
    const cloud = await testCloud();
    const notes = await newLedger(cloud);
    const other = await commit(await httpClient(cloud, notes), notes, 'other');
    const before = await socketClient(cloud, notes);
    await commit(before, notes, 'one');
    before.close();
    const after = await socketClient(cloud, notes, before.conn);
    expect(after.conn).toEqual(before.conn);
    const second = await commit(after, notes, 'two');
    const reader = await httpClient(cloud, notes);
    const event = await reader.request('bindGetMeta', bind(notes));
    expect(cidsOf(event)).toEqual([other.entry.cid, second.entry.cid]);
    expect(event.cursor).toBe(3);
  });

  test('uses the ledger that the token selects if a message contains no tenant', async () => {
    const cloud = await testCloud();
    const notes = await newLedger(cloud);
    const client = await httpClient(cloud, notes);
    const { tenant: _, ...fields } = bind(notes);
    expect(await client.request('bindGetMeta', fields)).toMatchObject({
      type: 'eventGetMeta',
      tenant: { tenant: notes.tenant, ledger: notes.ledger },
    });
  });
});
