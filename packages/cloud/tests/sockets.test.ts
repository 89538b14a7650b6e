import { requestMessage } from '@fixpoint/protocol/storage';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import {
  bind,
  cidsOf,
  commit,
  newLedger,
  newMember,
  putMetas,
  sealedEntry,
  socketClient,
  testCloud,
} from './cloud.fixture.ts';

describe('websockets', () => {
  test('[S2] sends an event to both sockets that follow a ledger, and to no socket of another ledger', async () => {
    const cloud = await testCloud();
    const [notes, other] = [await newLedger(cloud), await newLedger(cloud)];
    const member = await newMember(cloud, notes, 'read');
    const [writer, second, stranger] = [
      await socketClient(cloud, notes),
      await socketClient(cloud, member),
      await socketClient(cloud, other),
    ];
    const third = await socketClient(cloud, notes);
    await second.request('bindGetMeta', bind(member));
    await third.request('bindGetMeta', bind(notes));
    await stranger.request('bindGetMeta', bind(other));
    const { entry } = await commit(writer, notes, 'one');
    const own = await commit(stranger, other, 'two');
    await expect.poll(() => second.events.flatMap(cidsOf)).toEqual([entry.cid]);
    await expect.poll(() => third.events.flatMap(cidsOf)).toEqual([entry.cid]);
    const again = await socketClient(cloud, other);
    expect(cidsOf(await again.request('bindGetMeta', bind(other)))).toEqual([own.entry.cid]);
    expect(stranger.events.flatMap(cidsOf)).toEqual([]);
    // A socket that did not bind receives no events.
    expect(writer.events).toEqual([]);
  });

  test('[R15] delivers a put as soon as the hint about it arrives, without waiting for the next sweep', async () => {
    vi.useFakeTimers({ toFake: ['setInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const cloud = await testCloud();
    const notes = await newLedger(cloud);
    const [writer, reader] = [await socketClient(cloud, notes), await socketClient(cloud, notes)];
    await reader.request('bindGetMeta', bind(notes));
    // `expect.poll` would advance the fake timers.
    const heard = () => new Promise((resolve) => reader.socket.once('message', resolve));
    const sealed = sealedEntry('c');
    for (const [metas, key] of [
      [[sealed], 'S1.first'],
      [[], 'S1.second'],
    ] as const) {
      const event = heard();
      expect((await putMetas(writer, notes, metas, [key])).type).toBe('resPutMeta');
      await event;
    }
    expect(reader.events.map(({ meta }) => meta.keys)).toEqual([[], ['S1.first'], ['S1.first', 'S1.second']]);
    expect(reader.events.flatMap(cidsOf)).toEqual([sealed.cid]);
  });

  test('[S2] reveals no token, connection or upload URL of the writer to other clients', async () => {
    const cloud = await testCloud();
    const notes = await newLedger(cloud);
    const member = await newMember(cloud, notes, 'read');
    const [writer, reader] = [await socketClient(cloud, notes), await socketClient(cloud, member)];
    await reader.request('bindGetMeta', bind(member));
    await commit(writer, notes, 'one');
    await expect.poll(() => reader.events.length).toBe(2);
    const text = JSON.stringify(reader.events[1]);
    expect(text).not.toContain(notes.token);
    expect(text).not.toContain(writer.conn.reqId);
    expect(text).not.toContain('m=PUT');
  });

  test('[S5] disconnects a removed member, and rejects them when they reconnect', async () => {
    const cloud = await testCloud();
    const notes = await newLedger(cloud);
    const member = await newMember(cloud, notes, 'write');
    const reader = await socketClient(cloud, member);
    await reader.request('bindGetMeta', bind(member));
    await cloud.db.deleteFrom('TenantUsers').where('userId', '=', member.userId).execute();
    expect(await reader.closed).toMatchObject({ code: 1008 });
    const back = await socketClient(cloud, member);
    expect(await back.request('bindGetMeta', bind(member))).toMatchObject({ code: 'NOT_FOUND' });
  });

  test('answers a frame that is not JSON with an error and keeps the socket open', async () => {
    const cloud = await testCloud();
    const notes = await newLedger(cloud);
    const client = await socketClient(cloud, notes);
    const answer = new Promise((resolve) =>
      client.socket.once('message', (data) => resolve(JSON.parse(String(data)))),
    );
    client.socket.send('{');
    expect(await answer).toMatchObject({ type: 'error', tid: 'internal' });
    expect(await client.request('bindGetMeta', bind(notes))).toMatchObject({ type: 'eventGetMeta' });
  });

  test('answers the messages of one socket in order, text and binary alike', async () => {
    const cloud = await testCloud();
    const notes = await newLedger(cloud);
    const client = await socketClient(cloud, notes);
    const tids: string[] = [];
    client.socket.on('message', (data) => tids.push(JSON.parse(String(data)).tid));
    const sent = Array.from({ length: 50 }, (_, index) => `z${index}`);
    for (const [index, tid] of sent.entries()) {
      const type = index % 3 === 0 ? 'reqGestalt' : 'bindGetMeta';
      const text = JSON.stringify(
        requestMessage(type, tid, notes.token, { conn: client.conn, ...bind(notes) }),
      );
      client.socket.send(index % 2 === 0 ? text : Buffer.from(text));
    }
    await expect.poll(() => tids).toEqual(sent);
  });

  test('[S7] closes the socket after a frame above 1 MiB, or a flood', async () => {
    const cloud = await testCloud();
    const notes = await newLedger(cloud);
    const large = await socketClient(cloud, notes);
    large.socket.send('x'.repeat(1_048_577));
    expect((await large.closed).code).toBe(1009);
    const flood = await socketClient(cloud, notes);
    for (let index = 0; index < 2000; index++) flood.socket.send('{}');
    expect((await flood.closed).code).toBe(1008);
  });

  test('[S12] rejects sockets of pages of other origins, unless the origin is configured or on this machine', async () => {
    const cloud = await testCloud({ allowedOrigins: ['https://app.example'] });
    const notes = await newLedger(cloud);
    for (const origin of [cloud.url, 'https://app.example', 'http://localhost:5173', 'http://127.0.0.1:1'])
      expect((await socketClient(cloud, notes, { origin })).conn.resId).toBeTruthy();
    for (const origin of [
      'https://evil.example',
      'null',
      'http://localhost.evil.example',
      'https://app.example.evil',
    ])
      await expect(socketClient(cloud, notes, { origin })).rejects.toThrow('403');
  });

  test('[S7] opens no socket on another path', async () => {
    const cloud = await testCloud();
    const socket = new WebSocket(`${cloud.url.replace('http', 'ws')}/other`);
    const failure = new Promise<Error>((resolve) => socket.once('error', resolve));
    expect((await failure).message).toContain('404');
  });

  test('[R14] delivers events to a follower at another process, even if hints between the processes are lost', async () => {
    const cloud = await testCloud();
    const twin = await testCloud({ data: cloud.data });
    const notes = await newLedger(cloud);
    const reader = await socketClient(twin, notes);
    await reader.request('bindGetMeta', bind(notes));
    const writer = await socketClient(cloud, notes);
    const { entry } = await commit(writer, notes, 'one');
    await expect.poll(() => reader.events.flatMap(cidsOf)).toEqual([entry.cid]);
  });
});
