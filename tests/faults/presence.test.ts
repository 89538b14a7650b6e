/** Presence of clients at the real gateway in simulated time. */
import { describe, expect, test } from 'vitest';
import { newMember } from '../../packages/cloud/tests/cloud.fixture.ts';
// Imports lazy modules before the tests start, because simulated time doesn't wait for imports.
import '../../packages/engine/src/sync/lazy-sync-chunk.ts';
import type { Attached, Presence } from '../../packages/engine/src/sync/remote.ts';
import type { Replica } from '../../packages/engine/tests/sync-world.fixture.ts';
import { type GatewayWorld, gatewayWorld, type LedgerWorld } from './gateway-world.fixture.ts';

interface Device {
  readonly replica: Replica;
  readonly sync: Attached;
}
type Cursor = Record<string, unknown>;

/** Notes the frames that the gateway sends to a device. */
function listenTo(replica: Replica) {
  const frames: string[] = [];
  const { connect } = replica.line;
  Object.assign(replica.line, {
    connect: (url: string, events: { message(text: string): void; closed(): void }, ms: number) =>
      connect(
        url,
        {
          ...events,
          message: (text: string) => {
            frames.push(text);
            events.message(text);
          },
        },
        ms,
      ),
  });
  return frames;
}

/**
 * Notes the frames that a device sends, and passes them on as `change` returns them. The gateway
 * doesn't notice when the device closes a socket.
 */
function sendOnly(replica: Replica, change = (text: string) => text) {
  const frames: string[] = [];
  const { connect } = replica.line;
  Object.assign(replica.line, {
    connect: async (...args: Parameters<typeof connect>) => {
      const socket = await connect(...args);
      const send = (text: string) => {
        frames.push(text);
        socket.send(change(text));
      };
      return { send, close: () => undefined };
    },
  });
  return frames;
}

async function device(world: LedgerWorld, token = world.notes.token, options = {}): Promise<Device> {
  const replica = world.replica();
  return { replica, sync: await replica.attach({ token, ...options }) };
}

async function memberOf(here: GatewayWorld, world: LedgerWorld, right: 'read' | 'write' = 'write') {
  return newMember({ db: here.db, tokens: here.tokens }, world.notes, right);
}

const statesOf = ({ others }: Presence<Cursor>) => [...others.values()].map(({ state }) => state);
const enter = ({ time }: GatewayWorld, { sync }: Device, state?: Cursor) =>
  time.run(sync.presence.enter(state));
const end = async ({ time }: GatewayWorld, ...devices: Device[]) => {
  for (const { replica } of devices) await time.run(replica.db.close());
};

async function letIn({ time }: GatewayWorld, by: Device, asking: Device): Promise<void> {
  const code = await time.run(asking.sync.devices.code());
  await time.until(() => asking.sync.status().error?.code === 'DEVICE_NOT_APPROVED');
  await time.run(by.sync.devices.approve(code));
  await time.until(() => asking.sync.devices.isApproved());
}

describe('presence', () => {
  test('shows each client the states of the others, with their users', async () => {
    const here = await gatewayWorld();
    const world = await here.ledger(1);
    const reader = await memberOf(here, world, 'read');
    const [ann, ben] = [await device(world), await device(world, reader.token)];
    const a = await enter(here, ann, { name: 'Ann', cursor: 1 });
    const b = await enter(here, ben);
    expect(b.me).toBeUndefined();
    await here.time.until(() => b.others.size === 1);
    expect([...b.others.values()]).toMatchObject([
      { user: world.notes.userId, state: { name: 'Ann', cursor: 1 } },
    ]);
    expect(a.others.size).toBe(0);
    b.set({ name: 'Ben' });
    await here.time.until(() => a.others.size === 1);
    expect([...a.others.values()]).toMatchObject([{ user: reader.userId, state: { name: 'Ben' } }]);
    b.leave();
    await b.ended;
    await here.time.until(() => a.others.size === 0);
    expect(() => b.set({ name: 'late' })).toThrow(/not open/);
    await end(here, ann, ben);
    expect(here.reports).toEqual([]);
  });

  test('sends at most ten states a second, and the latest one in the end', async () => {
    const here = await gatewayWorld();
    const world = await here.ledger(2);
    const [ann, ben] = [await device(world), await device(world)];
    const frames = listenTo(ben.replica);
    const [a, b] = [await enter(here, ann, { n: 0 }), await enter(here, ben)];
    await here.time.until(() => b.others.size === 1);
    const before = frames.length;
    for (let n = 1; n <= 200; n += 1) {
      a.set({ n });
      await here.time.pass(5);
    }
    await here.time.until(() => statesOf(b)[0]?.['n'] === 200);
    expect(frames.slice(before).filter((text) => text.includes('eventPresence')).length).toBeLessThan(14);
    await end(here, ann, ben);
  });

  test('returns the same map and entries until they change, and tells subscribers once', async () => {
    const here = await gatewayWorld();
    const world = await here.ledger(3);
    const [ann, ben, cid] = [await device(world), await device(world), await device(world)];
    const [a, b] = [await enter(here, ann, { name: 'Ann' }), await enter(here, ben, { name: 'Ben' })];
    const c = await enter(here, cid);
    await here.time.until(() => c.others.size === 2);
    const before = c.others;
    const [benBefore] = [...before.values()].filter(({ state }) => state['name'] === 'Ben');
    let told = 0;
    const stop = c.subscribe(() => {
      told += 1;
    });
    await here.time.pass(5000);
    expect(c.others).toBe(before);
    expect(told).toBe(0);
    a.set({ name: 'Anna' });
    await here.time.until(() => statesOf(c).some(({ name }) => name === 'Anna'));
    expect(told).toBe(1);
    expect([...c.others.values()]).toContain(benBefore);
    stop();
    b.leave();
    await here.time.until(() => c.others.size === 1);
    expect(told).toBe(1);
    await end(here, ann, ben, cid);
  });

  test('rejects states that are too long or no objects, with typed errors', async () => {
    const here = await gatewayWorld();
    const world = await here.ledger(4);
    const ann = await device(world);
    const a = await enter(here, ann, { text: 'x'.repeat(1300) });
    await here.time.until(() => a.status().state === 'present');
    const codeOf = (state: unknown) => {
      try {
        a.set(state as Cursor);
        return 'taken';
      } catch (cause) {
        return (cause as { code?: string }).code;
      }
    };
    const ring: Cursor = {};
    ring['self'] = ring;
    expect(codeOf({ text: 'x'.repeat(1400) })).toBe('LIMIT_REACHED');
    expect(codeOf({ text: 'ü'.repeat(700) })).toBe('LIMIT_REACHED');
    for (const state of [undefined, null, 5, 'text', [1], ring, () => 1])
      expect(codeOf(state)).toBe('REQUEST_INVALID');
    expect(a.me).toEqual({ text: 'x'.repeat(1300) });
    await expect(here.time.run(ann.sync.presence.enter({ n: 1n }))).rejects.toMatchObject({
      code: 'REQUEST_INVALID',
    });
    await end(here, ann);
  });

  test('shares one place between several objects, and leaves with the last one', async () => {
    const here = await gatewayWorld();
    const world = await here.ledger(5);
    const [ann, ben] = [await device(world), await device(world)];
    const [first, b] = [await enter(here, ann, { n: 1 }), await enter(here, ben)];
    const second = await enter(here, ann, { n: 2 });
    await here.time.until(() => statesOf(b)[0]?.['n'] === 2);
    expect(first.me).toEqual({ n: 2 });
    first.leave();
    first.leave();
    await here.time.pass(2000);
    expect(statesOf(b)).toEqual([{ n: 2 }]);
    second.leave();
    await here.time.until(() => b.others.size === 0);
    const third = await enter(here, ann);
    await here.time.pass(2000);
    expect(third.me).toBeUndefined();
    expect(b.others.size).toBe(0);
    await end(here, ann, ben);
  });

  test('shows nobody while offline, and enters again by itself', async () => {
    const here = await gatewayWorld();
    const world = await here.ledger(6);
    const [ann, ben] = [await device(world), await device(world)];
    const [a, b] = [await enter(here, ann, { name: 'Ann' }), await enter(here, ben, { name: 'Ben' })];
    await here.time.until(() => a.others.size === 1 && b.others.size === 1);
    const [idBefore] = [...b.others.keys()];
    ann.replica.line.set('cut');
    await here.time.until(() => a.others.size === 0 && b.others.size === 0);
    expect(a.status()).toMatchObject({ state: 'connecting' });
    a.set({ name: 'Ann, offline' });
    await here.time.pass(5000);
    ann.replica.line.set('up');
    await here.time.until(() => a.others.size === 1 && b.others.size === 1);
    expect(statesOf(b)).toEqual([{ name: 'Ann, offline' }]);
    expect(statesOf(a)).toEqual([{ name: 'Ben' }]);
    expect([...b.others.keys()]).not.toEqual([idBefore]);
    here.kill();
    await here.time.until(() => a.status().state === 'connecting');
    await here.time.until(() => a.others.size === 1 && b.others.size === 1);
    await end(here, ann, ben);
  });

  test('tells the gateway that the database is detached before the connection closes', async () => {
    const here = await gatewayWorld();
    const world = await here.ledger(7);
    const [ann, ben] = [await device(world), await device(world)];
    const sent = sendOnly(ann.replica);
    const [a, b] = [await enter(here, ann, { name: 'Ann' }), await enter(here, ben)];
    await here.time.until(() => b.others.size === 1);
    await here.time.run(ann.sync.detach());
    expect(sent.filter((text) => text.includes('"leave":true'))).toHaveLength(1);
    await a.ended;
    expect(a.me).toBeUndefined();
    await here.time.until(() => b.others.size === 0);
    await expect(here.time.run(ann.sync.presence.enter({}))).rejects.toMatchObject({
      code: 'CONNECTION_NOT_OPEN',
    });
    await end(here, ann, ben);
  });

  test.each([
    ['replaces its earlier self at the same gateway', (text: string) => text, 1],
    [
      'hides its earlier self that another gateway still lists',
      (text: string) => text.replace(/"before":"[^"]*"/, '"more":0'),
      2,
    ],
  ])('%s after a connection that only this device lost', async (_, change, seenByOthers) => {
    const here = await gatewayWorld();
    const world = await here.ledger(13);
    const [ann, ben] = [await device(world), await device(world)];
    sendOnly(ann.replica, change);
    const [a, b] = [await enter(here, ann, { name: 'Ann' }), await enter(here, ben, { name: 'Ben' })];
    await here.time.until(() => a.others.size === 1 && b.others.size === 1);
    const most = { a: 0, b: 0 };
    const stops = [
      a.subscribe(() => {
        most.a = Math.max(most.a, a.others.size);
      }),
      b.subscribe(() => {
        most.b = Math.max(most.b, b.others.size);
      }),
    ];
    ann.replica.line.set('silent');
    await here.time.until(() => a.others.size === 0);
    expect(b.others.size).toBe(1);
    ann.replica.line.set('up');
    await here.time.until(() => a.status().state === 'present');
    a.set({ name: 'Ann again' });
    await here.time.until(() => statesOf(b).some(({ name }) => name === 'Ann again'));
    await here.time.pass(2000);
    expect(statesOf(a)).toEqual([{ name: 'Ben' }]);
    expect(most).toEqual({ a: 1, b: seenByOthers });
    expect(b.others.size).toBe(seenByOthers);
    for (const stop of stops) stop();
    await end(here, ann, ben);
  });

  test('says that a gateway without sockets has no presence', async () => {
    const here = await gatewayWorld();
    here.offerStream(false);
    const world = await here.ledger(8);
    const ann = await device(world);
    const a = await enter(here, ann, { name: 'Ann' });
    await here.time.until(() => a.status().state === 'unsupported');
    expect(a.others.size).toBe(0);
    await end(here, ann);
  });

  test('removes a member who lost access within five seconds, in both directions', async () => {
    const here = await gatewayWorld();
    const world = await here.ledger(9);
    const member = await memberOf(here, world);
    const [ann, ben] = [await device(world), await device(world, member.token)];
    const frames = listenTo(ben.replica);
    const [a, b] = [await enter(here, ann, { name: 'Ann' }), await enter(here, ben, { name: 'Ben' })];
    await here.time.until(() => a.others.size === 1 && b.others.size === 1);
    await here.db.deleteFrom('TenantUsers').where('userId', '=', member.userId).execute();
    await here.time.pass(5000);
    expect(a.others.size).toBe(0);
    const before = frames.filter((text) => text.includes('eventPresence')).length;
    for (let n = 0; n < 20; n += 1) {
      a.set({ n });
      b.set({ n });
      await here.time.pass(500);
    }
    expect(frames.filter((text) => text.includes('eventPresence'))).toHaveLength(before);
    expect(a.others.size).toBe(0);
    await end(here, ann, ben);
  });

  test('stores nothing: no row, no object, no report', async () => {
    const here = await gatewayWorld();
    const world = await here.ledger(10);
    const [ann, ben] = [await device(world), await device(world)];
    const tables = ['Metas', 'LedgerKeys', 'LedgerObjects'] as const;
    const rows = () => Promise.all(tables.map((table) => here.db.selectFrom(table).selectAll().execute()));
    await here.time.until(() => [ann, ben].every(({ sync }) => sync.status().state === 'in-sync'));
    const before = JSON.stringify(await rows());
    const [a, b] = [await enter(here, ann, { name: 'secret-Ann' }), await enter(here, ben)];
    for (let n = 0; n < 20; n += 1) {
      a.set({ name: 'secret-Ann', n });
      await here.time.pass(200);
    }
    expect(statesOf(b)).toEqual([{ name: 'secret-Ann', n: 19 }]);
    expect(JSON.stringify(await rows())).toBe(before);
    expect(here.reports).toEqual([]);
    expect(ann.replica.reports).toEqual([]);
    await end(here, ann, ben);
  });

  test('sends no events to clients that did not enter', async () => {
    const here = await gatewayWorld();
    const world = await here.ledger(11);
    const [ann, ben] = [await device(world), await device(world)];
    const [toAnn, toBen] = [listenTo(ann.replica), listenTo(ben.replica)];
    const a = await enter(here, ann, { name: 'Ann' });
    for (let n = 0; n < 5; n += 1) {
      a.set({ n });
      await here.time.pass(500);
    }
    await ben.replica.db.put({ _id: 'doc' });
    await here.time.until(async () => (await ann.replica.db.allDocs()).rows.length === 1);
    expect(toAnn.join()).toMatch(/eventPresence|resPresence/);
    expect(toBen.join()).not.toMatch(/Presence"/);
    await end(here, ann, ben);
  });

  test('lets each tab of a device be present', async () => {
    const here = await gatewayWorld();
    const world = await here.ledger(12);
    const ann = await device(world);
    const tab = ann.replica.tab();
    const other: Device = { replica: tab, sync: await tab.attach({ token: world.notes.token }) };
    const [a, b] = [await enter(here, ann, { tab: 1 }), await enter(here, other, { tab: 2 })];
    await here.time.until(() => a.others.size === 1 && b.others.size === 1);
    expect([statesOf(a), statesOf(b)]).toEqual([[{ tab: 2 }], [{ tab: 1 }]]);
    await end(here, ann, other);
  });
});

describe('presence in a sealed ledger', () => {
  async function sealed(here: GatewayWorld, seed: number) {
    const world = await here.ledger(seed);
    const member = await memberOf(here, world);
    const owner = await device(world, undefined, { kind: 'sealed' });
    await owner.replica.db.put({ _id: 'first' });
    await here.time.until(() => owner.sync.status().state === 'in-sync');
    const other = await device(world, member.token);
    await letIn(here, owner, other);
    return { world, member, owner, other };
  }

  test('shows the gateway nothing of the state', async () => {
    const here = await gatewayWorld();
    const { owner, other } = await sealed(here, 21);
    const frames = listenTo(other.replica);
    const [a, b] = [await enter(here, owner, { name: 'canary' }), await enter(here, other)];
    await here.time.until(() => b.others.size === 1);
    expect(statesOf(b)).toEqual([{ name: 'canary' }]);
    expect(frames.join()).not.toContain('canary');
    expect(frames.join()).not.toContain(Buffer.from('canary').toString('base64').slice(0, 8));
    a.leave();
    await end(here, owner, other);
  });

  test('says that a device without the key is not approved, and enters once it is', async () => {
    const here = await gatewayWorld();
    const { world, owner, other } = await sealed(here, 22);
    const asking = await device(world);
    const [a, c] = [await enter(here, owner, { name: 'Ann' }), await enter(here, asking, { name: 'new' })];
    await here.time.until(() => c.status().state === 'refused');
    expect(c.status().error?.code).toBe('DEVICE_NOT_APPROVED');
    expect(c.others.size).toBe(0);
    await letIn(here, owner, asking);
    await here.time.until(() => c.others.size === 1 && a.others.size === 1);
    await here.time.until(() => c.status().state === 'present');
    await end(here, owner, other, asking);
  });

  test('sends the state under the new key after a rotation, without a gap', async () => {
    const here = await gatewayWorld();
    const { world, owner, other } = await sealed(here, 23);
    const third = await device(world);
    await letIn(here, owner, third);
    const [a, b] = [await enter(here, owner, { name: 'Ann' }), await enter(here, other, { name: 'Ben' })];
    await here.time.until(() => a.others.size === 1 && b.others.size === 1);
    let fewest = 1;
    b.subscribe(() => {
      fewest = Math.min(fewest, b.others.size);
    });
    const keyOf = async () => (await owner.sync.devices.keyring())?.current;
    const before = await keyOf();
    await here.time.run(owner.sync.devices.remove([await idOfThis(here, third)]));
    await here.time.until(async () => (await keyOf()) !== before);
    await here.time.pass(120_000);
    expect(fewest).toBe(1);
    expect(statesOf(b)).toEqual([{ name: 'Ann' }]);
    expect(statesOf(a)).toEqual([{ name: 'Ben' }]);
    await end(here, owner, other, third);
  });

  async function idOfThis({ time }: GatewayWorld, { sync }: Device): Promise<string> {
    const list = await time.run(sync.devices.list());
    const own = list.find(({ isThis }) => isThis);
    if (own === undefined) throw new Error('the device is not in the list');
    return own.id;
  }

  test('drops the state of a removed device after a minute at most', async () => {
    const here = await gatewayWorld();
    const { world, owner, other } = await sealed(here, 24);
    const third = await device(world);
    await letIn(here, owner, third);
    const [a, c] = [await enter(here, owner, { name: 'Ann' }), await enter(here, third, { name: 'removed' })];
    await here.time.until(() => a.others.size === 1 && c.others.size === 1);
    const removedId = await idOfThis(here, third);
    // The removed device doesn't notice its removal, and sends on.
    await here.time.run(owner.sync.devices.remove([removedId]));
    await here.time.pass(70_000);
    expect(a.others.size).toBe(0);
    c.set({ name: 'still here?' });
    await here.time.pass(5000);
    expect(a.others.size).toBe(0);
    await end(here, owner, other, third);
  });
});
