/** Presence over real sockets, at one gateway and at two gateways on PostgreSQL. */
import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { newPostgresDatabase, POSTGRES } from '../src/tables/postgres.fixture.ts';
import {
  bind,
  httpClient,
  type Ledger,
  newLedger,
  newMember,
  socketClient,
  testCloud,
} from './cloud.fixture.ts';

type Client = Awaited<ReturnType<typeof present>>;

const newClientId = () => `zz${randomBytes(10).toString('hex').replaceAll('0', 'x')}`;
const about = ({ tenant, ledger }: Ledger) => ({ tenant: { tenant, ledger } });

/** Opens a socket that notes the states that it receives. */
async function present(cloud: { url: string }, ledger: Ledger) {
  const client = await socketClient(cloud, ledger);
  const id = newClientId();
  const frames: string[] = [];
  const seen = new Map<string, string>();
  const byUser = new Map<string, [id: string, user: string, state: string]>();
  client.socket.on('message', (data) => {
    frames.push(String(data));
    const { type, all, states = [], gone = [] } = JSON.parse(String(data));
    if (type !== 'eventPresence') return;
    if (all) for (const map of [seen, byUser]) map.clear();
    for (const [of, user, state] of states) {
      seen.set(of, state);
      byUser.set(`${of} ${user}`, [of, user, state]);
    }
    for (const [of, user] of gone) byUser.delete(`${of} ${user}`);
    for (const [of] of gone) seen.delete(of);
  });
  const send = (fields: object) =>
    client.request('reqPresence', { ...about(ledger), presence: { id, ...fields } });
  return { ...client, id, frames, seen, states: () => [...byUser.values()], send };
}

const sees = (client: Client, of: { id: string }, state: string | undefined) =>
  expect.poll(() => client.seen.get(of.id)).toBe(state);

describe('presence over sockets', () => {
  test('answers with nothing, then sends states, changes and leaves to readers, too', async () => {
    const cloud = await testCloud();
    const notes = await newLedger(cloud);
    const reader = await newMember(cloud, notes, 'read');
    const [ann, ben] = [await present(cloud, notes), await present(cloud, reader)];
    const answered = { type: 'resPresence', tid: expect.any(String) };
    expect(await ben.send({})).toEqual({ ...answered, user: reader.userId });
    expect(await ann.send({ state: 'A1' })).toEqual({ ...answered, user: notes.userId });
    await sees(ben, ann, 'A1');
    await ann.send({ state: 'A2' });
    await sees(ben, ann, 'A2');
    await ben.send({ state: 'B1' });
    await sees(ann, ben, 'B1');
    ann.socket.terminate();
    await sees(ben, ann, undefined);
    await ben.send({ leave: true });
    expect(ben.frames.join()).not.toContain('auth');
  });

  test('sends nothing about presence to clients that did not ask for it', async () => {
    const cloud = await testCloud();
    const notes = await newLedger(cloud);
    const [ann, ben, follower] = [
      await present(cloud, notes),
      await present(cloud, notes),
      await present(cloud, notes),
    ];
    await follower.request('bindGetMeta', bind(notes));
    await ben.send({});
    await ann.send({ state: 'A1' });
    await sees(ben, ann, 'A1');
    expect(follower.frames.join()).not.toContain('resence"');
  });

  test.each([
    ['an id that is too short', { id: 'short' }, 'presence.id'],
    ['a state that is too long', { state: 'x'.repeat(2049) }, 'presence.state'],
    ['a state with other characters', { state: '<script>' }, 'presence.state'],
    ['a state that is no text', { state: { a: 1 } }, 'presence.state'],
  ])('rejects %s', async (_, fields, path) => {
    const cloud = await testCloud();
    const ann = await present(cloud, await newLedger(cloud));
    expect(await ann.send(fields)).toMatchObject({ type: 'error', code: 'REQUEST_INVALID', path });
  });

  test('rejects strangers, and requests over HTTP', async () => {
    const cloud = await testCloud();
    const [notes, other] = [await newLedger(cloud), await newLedger(cloud)];
    const stranger = await socketClient(cloud, other);
    const presence = { id: newClientId(), state: 'x' };
    const answer = await stranger.request('reqPresence', { ...about(notes), presence });
    expect(answer).toMatchObject({ type: 'error', code: 'NOT_FOUND' });
    const overHttp = await httpClient(cloud, notes);
    expect(await overHttp.request('reqPresence', { ...about(notes), presence })).toMatchObject({
      code: 'NOT_IMPLEMENTED',
    });
  });

  test('limits the messages of a user over all sockets, for leaves too, but not other messages', async () => {
    const rates = {
      perUserSecond: 10,
      perAddressSecond: 1e6,
      socketsPerAddressMinute: 1e6,
      socketsPerUser: 100,
    };
    const cloud = await testCloud({ rates });
    const notes = await newLedger(cloud);
    const [one, two] = [await present(cloud, notes), await present(cloud, notes)];
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, n) =>
        (n % 2 === 0 ? one : two).send(n % 3 === 0 ? { leave: true } : { state: `S${n}` }),
      ),
    );
    const limited = answers.filter(({ code }) => code === 'RATE_LIMITED');
    expect(limited.length).toBeGreaterThan(20);
    expect(limited[0]).toMatchObject({ retryAfter: expect.any(Number) });
    expect(await one.request('bindGetMeta', bind(notes))).toMatchObject({ type: 'eventGetMeta' });
  });

  test('says in the gestalt that it supports presence, except to clients without sockets', async () => {
    const cloud = await testCloud();
    const client = await httpClient(cloud, await newLedger(cloud));
    const { gestalt } = await client.request('reqGestalt');
    expect(gestalt.features).toContain('presence');
    expect(JSON.stringify([gestalt.reqTypes, gestalt.resTypes, gestalt.eventTypes])).not.toMatch(/presence/i);
  });
});

const NATS = process.env['FIXPOINT_TEST_NATS'];
/** The ways in which gateways that share a database hear of each other. */
const BUSES = [
  ['PostgreSQL', false, (url: string) => ({ kind: 'postgres', url }) as const],
  ['NATS', NATS === undefined, () => ({ kind: 'nats', urls: [NATS ?? ''] }) as const],
] as const;

describe.skipIf(POSTGRES === undefined)('presence at two gateways (FIXPOINT_TEST_POSTGRES)', () => {
  test.each(BUSES)(
    'passes states on over %s, and forgets them when a gateway stops',
    async (...given) => {
      const [, isMissing, busOf] = given;
      if (isMissing) return;
      const databaseUrl = await newPostgresDatabase();
      const shared = { databaseUrl, bus: busOf(databaseUrl) };
      const one = await testCloud(shared);
      const two = await testCloud({ ...shared, data: one.data });
      const notes = await newLedger(one);
      const clients = [
        ...(await Promise.all([1, 2, 3, 4].map(() => present(one, notes)))),
        ...(await Promise.all([1, 2, 3, 4].map(() => present(two, notes)))),
      ];
      const long = 'x'.repeat(1900);
      await Promise.all(clients.map((client, n) => client.send({ state: `${long}${n}` })));
      for (const client of clients)
        for (const [n, other] of clients.entries()) await sees(client, other, `${long}${n}`);
      const [ann, ...others] = clients as [Client, ...Client[]];
      for (let n = 0; n < 20; n += 1) await ann.send({ state: `A${n}` });
      for (const client of others) await sees(client, ann, 'A19');
      await ann.send({ leave: true });
      for (const client of others) await sees(client, ann, undefined);
      const late = await present(two, notes);
      await late.send({});
      await expect.poll(() => late.seen.size).toBe(7);
      // An id belongs to its client at the other gateway, too. Another user may have the same one.
      const [, taken] = clients as [Client, Client];
      expect(await late.send({ id: taken.id, state: 'stolen' })).toMatchObject({ refused: 'CONFLICT' });
      const eve = await present(two, await newMember(two, notes, 'read'));
      expect(await eve.send({ id: taken.id, state: 'of_eve' })).not.toHaveProperty('refused');
      await expect
        .poll(() => late.states().filter(([id]) => id === taken.id))
        .toEqual(expect.arrayContaining([[taken.id, notes.userId, `${long}1`]]));
      await expect.poll(() => late.states().filter(([id]) => id === taken.id)).toHaveLength(2);
      eve.socket.terminate();
      await expect.poll(() => late.states().filter(([id]) => id === taken.id)).toHaveLength(1);
      await one.stop();
      await expect.poll(() => late.seen.size).toBe(4);
    },
    60_000,
  );
});
