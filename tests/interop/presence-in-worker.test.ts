/** Presence of a database in the same thread, and of one behind a bridge, at a started cloud. */
import { type Attached, type Database, fixpoint, type Presence, toCloud } from 'fixpoint';
import { connectEngine, type Engine, toCloud as toCloudInWorker } from 'fixpoint/bridge';
import { livePresence } from 'fixpoint/live';
import { serveEngine } from 'fixpoint/worker';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  newLedger,
  newMember,
  temporaryFolder,
  testCloud,
} from '../../packages/cloud/tests/cloud.fixture.ts';

type Cursor = Record<string, unknown>;
type Port = Parameters<typeof connectEngine>[0];

interface Client {
  readonly attached: Attached;
  /** Ends the worker of the database. */
  readonly endWorker: () => void;
}

async function start() {
  const cloud = await testCloud();
  const notes = await newLedger(cloud);
  const reader = await newMember(cloud, notes, 'read');
  const optionsFor = (token: string) => ({
    ...{ base: cloud.url, tenant: notes.tenant, ledger: notes.ledger, kind: 'open-key' as const, token },
  });
  async function client(where: 'direct' | 'bridged', token = notes.token): Promise<Client> {
    const directory = await temporaryFolder();
    const { port1, port2 } = new MessageChannel();
    onTestFinished(() => port1.close());
    serveEngine(port2 as unknown as Port, (name) => fixpoint(name, { directory }));
    const engine: Engine = connectEngine(port1 as unknown as Port);
    const db: Database = where === 'direct' ? fixpoint('notes', { directory }) : engine.open('notes');
    const remote = where === 'direct' ? toCloud : toCloudInWorker;
    const attached = await db.attach(remote(optionsFor(token)));
    onTestFinished(() => db.close().catch(() => undefined));
    return { attached, endWorker: () => engine.lost('the test ended it') };
  }
  return { notes, reader, client };
}

const statesOf = ({ others }: Presence<Cursor>) => [...others.values()].map(({ state }) => state);
const sees = (presence: Presence<Cursor>, states: readonly Cursor[]) =>
  expect.poll(() => statesOf(presence)).toEqual(states);

describe.each(['direct', 'bridged'] as const)('presence of a %s database', (where) => {
  test('shows each client the states of the others, with their users', async () => {
    const { notes, reader, client } = await start();
    const [ann, ben] = [await client(where), await client('direct', reader.token)];
    const a = await ann.attached.presence.enter<Cursor>({ name: 'Ann' });
    const b = await ben.attached.presence.enter<Cursor>();
    await sees(b, [{ name: 'Ann' }]);
    expect([...b.others.values()]).toMatchObject([{ user: notes.userId }]);
    b.set({ name: 'Ben' });
    await sees(a, [{ name: 'Ben' }]);
    const [shown] = a.others.values();
    const map = a.others;
    a.set({ name: 'Anna' });
    expect(a.me).toEqual({ name: 'Anna' });
    await sees(b, [{ name: 'Anna' }]);
    expect(a.others).toBe(map);
    expect([...a.others.values()]).toEqual([shown]);
    expect(a.status()).toEqual({ state: 'present' });
    b.leave();
    await sees(a, []);
  });

  test('tells subscribers of changes, and shares one state between several objects', async () => {
    const { client } = await start();
    const [ann, ben] = [await client(where), await client('direct')];
    const [first, b] = [
      await ann.attached.presence.enter<Cursor>({ n: 1 }),
      await ben.attached.presence.enter<Cursor>(),
    ];
    let told = 0;
    const stop = first.subscribe(() => {
      told += 1;
    });
    const second = await ann.attached.presence.enter<Cursor>({ n: 2 });
    await sees(b, [{ n: 2 }]);
    await expect.poll(() => first.me).toEqual({ n: 2 });
    expect(told).toBeGreaterThan(0);
    stop();
    first.leave();
    first.leave();
    await first.ended;
    expect(first.me).toBeUndefined();
    second.set({ n: 3 });
    await sees(b, [{ n: 3 }]);
    second.leave();
    await sees(b, []);
    expect(() => second.set({ n: 4 })).toThrow(/not open/);
  });

  test('rejects states that others cannot receive, at the call', async () => {
    const { client } = await start();
    const { attached } = await client(where);
    const presence = await attached.presence.enter<Cursor>({ name: 'Ann' });
    expect(() => presence.set({ text: 'x'.repeat(1400) })).toThrow(/limit reached/);
    expect(() => presence.set('text' as never)).toThrow(/must be an object/);
    expect(presence.me).toEqual({ name: 'Ann' });
    const rejected = attached.presence.enter({ text: 'x'.repeat(1400) });
    await expect(rejected).rejects.toMatchObject({ code: 'LIMIT_REACHED' });
  });

  test('ends with the attachment, and tells the others', async () => {
    const { client } = await start();
    const [ann, ben] = [await client(where), await client('direct')];
    const a = await ann.attached.presence.enter<Cursor>({ name: 'Ann' });
    const b = await ben.attached.presence.enter<Cursor>({ name: 'Ben' });
    await sees(a, [{ name: 'Ben' }]);
    await sees(b, [{ name: 'Ann' }]);
    await ann.attached.detach();
    await a.ended;
    expect(a.others.size).toBe(0);
    await sees(b, []);
    await expect(ann.attached.presence.enter({})).rejects.toMatchObject({ code: 'CONNECTION_NOT_OPEN' });
  });

  test('serves the live values of components', async () => {
    const { client } = await start();
    const [ann, ben] = [await client(where), await client('direct')];
    const store = livePresence<Cursor>(ann.attached);
    store.current().update({ name: 'early' });
    const stop = store.subscribe(() => undefined);
    const b = await ben.attached.presence.enter<Cursor>({ name: 'Ben' });
    await sees(b, [{ name: 'early' }]);
    await expect.poll(() => store.current().others.map(({ state }) => state)).toEqual([{ name: 'Ben' }]);
    await ann.attached.detach();
    await expect.poll(() => store.current().others).toEqual([]);
    stop();
  });
});

test('shows nobody after the worker of the database ended', async () => {
  const { client } = await start();
  const [ann, ben] = [await client('bridged'), await client('direct')];
  const a = await ann.attached.presence.enter<Cursor>({ name: 'Ann' });
  await ben.attached.presence.enter<Cursor>({ name: 'Ben' });
  await sees(a, [{ name: 'Ben' }]);
  ann.endWorker();
  await a.ended;
  expect(a.others.size).toBe(0);
  expect(a.status()).toMatchObject({ state: 'refused', error: { code: 'WORKER_LOST' } });
  await expect(ann.attached.presence.enter({})).rejects.toMatchObject({ code: 'WORKER_LOST' });
});
