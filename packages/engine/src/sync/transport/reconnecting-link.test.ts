import { serverGestalt } from '@fixpoint/protocol/storage';
import { expect, test } from 'vitest';
import { utf8 } from '../../base/bytes.ts';
import { memoryPlatform } from '../../platform/memory-platform.ts';
import { nodePlatform } from '../../platform/node/node-platform.ts';
import type { Network, SocketEvents } from '../../ports/network.ts';
import { simulatedTime } from '../../testing/simulated-time.ts';
import { connect } from './connect.ts';
import { keepLink } from './reconnecting-link.ts';
import { tokenSource } from './token-source.ts';

type Place = { readonly cursor?: number; readonly mark?: string; readonly after?: number };

/** Creates a link to a gateway. The test chooses the gateway's answer to each bind. */
function arranged(answers: readonly Place[]) {
  const time = simulatedTime();
  const binds: Place[] = [];
  const rest = [...answers];
  let there: SocketEvents | undefined;
  const tell = (type: string, fields: object) =>
    there?.message(JSON.stringify({ type, tid: 'pushed', ...fields }));
  const push = (place: Place) =>
    tell('eventGetMeta', { conn: { reqId, resId: 's' }, meta: { metas: [], keys: [] }, ...place });
  let reqId = '';
  let heard: ((isOnline: boolean) => void) | undefined;
  const network: Network = {
    onOnline: (fn) => {
      heard = fn;
      return () => {
        heard = undefined;
      };
    },
    request: async () => {
      const gestalt = serverGestalt({ http: ['/fp'], socket: ['/ws'] });
      return { status: 200, body: utf8(JSON.stringify({ type: 'resGestalt', tid: 'z', gestalt })) };
    },
    connect: async (_url, events) => {
      there = events;
      return {
        send: (text) => {
          const { type, tid, conn, cursor, mark } = JSON.parse(text);
          reqId = conn.reqId;
          if (type === 'bindGetMeta') binds.push({ cursor, mark });
          const answer = type === 'reqOpen' ? { conn: { reqId, resId: 's' } } : rest.shift();
          const meta = { metas: [], keys: [] };
          const fields = { tid, meta, conn: { reqId, resId: 's' }, ...answer };
          queueMicrotask(() => tell(type === 'reqOpen' ? 'resOpen' : 'eventGetMeta', fields));
        },
        close: () => undefined,
      };
    },
  };
  const platform = { ...memoryPlatform(nodePlatform('unused')), network, time };
  const tokens = tokenSource('token', time);
  const target = { gateway: new URL('http://gateway.test/fp'), tenant: 't', ledger: 'l', name: 'n', tokens };
  const link = keepLink(
    platform,
    target,
    (known, events) =>
      connect(platform, target, () => Promise.reject(new Error('no polling')), known, events),
    { changed: () => undefined, metas: () => undefined },
  );
  const isOpen = () => link.state().state === 'open';
  link.start();
  return {
    link,
    becomes: (what: 'online' | 'offline') => heard?.(what === 'online'),
    isHeard: () => heard !== undefined,
    binds,
    push,
    placed: (place: object) => link.placed({ type: 'resPutMeta', ...place } as never),
    opened: () => time.until(isOpen),
    again: async () => {
      there?.closed();
      await time.until(() => !isOpen());
      await time.until(isOpen);
    },
  };
}

test('[R13] reconnects with the cursor of the last event that has no gap before it', async () => {
  const { binds, push, opened, again } = arranged([
    { cursor: 5, mark: 'm5', after: 0 },
    { cursor: 8, mark: 'm8', after: 7 },
    { cursor: 3, mark: 'm3', after: 0 },
  ]);
  await opened();
  push({ cursor: 7, mark: 'm7', after: 5 });
  // The event with cursor 9 is still in transit when the connection is cut.
  push({ cursor: 12, mark: 'm12', after: 9 });
  await again();
  await again();
  await again();
  // The third bind gets a complete listing again, because the tables of that gateway were restored
  // from an older copy.
  expect(binds).toEqual([
    { cursor: 0 },
    { cursor: 7, mark: 'm7' },
    { cursor: 8, mark: 'm8' },
    { cursor: 3, mark: 'm3' },
  ]);
});

test('[R14] advances the cursor after a put only if the put continues the history that the link received', async () => {
  const { binds, placed, opened, again } = arranged([{ cursor: 5, mark: 'm5', after: 0 }, {}, {}]);
  await opened();
  placed({ after: 5, afterMark: 'm5', cursor: 6, mark: 'm6' });
  await again();
  // A standby that lacked entry 6 took over, and another device put a new entry 6 that this device
  // hasn't received.
  placed({ after: 6, afterMark: 'other', cursor: 7, mark: 'm7' });
  await again();
  expect(binds).toEqual([{ cursor: 0 }, { cursor: 6, mark: 'm6' }, { cursor: 0 }]);
});

test('[W1] requests everything on each connection to a gateway without cursors', async () => {
  const { binds, push, opened, again } = arranged([{}, {}]);
  await opened();
  push({});
  await again();
  expect(binds).toEqual([{ cursor: 0 }, { cursor: 0 }]);
});

test('[R13] is offline as soon as the device says so, and connects when the device is online again', async () => {
  const { link, becomes, isHeard, binds, opened } = arranged([{ cursor: 5, mark: 'm5', after: 0 }, {}, {}]);
  await opened();
  becomes('offline');
  expect(link.state()).toMatchObject({ state: 'offline', error: { code: 'CONNECTION_NOT_OPEN' } });
  expect(link.connection()).toBeUndefined();
  becomes('offline');
  becomes('online');
  expect(link.state().state).toBe('connecting');
  await opened();
  // A browser may be wrong about a server on the same device.
  becomes('offline');
  await opened();
  expect(binds).toHaveLength(3);
  link.stop();
  expect(isHeard()).toBe(false);
});
