/** Presence of two clients in simulated time, at a gateway in memory that a test makes fail. */
import { FixpointError } from '@fixpoint/protocol';
import { PRESENCE_EVENT, PRESENCE_FEATURE } from '@fixpoint/protocol/storage';
import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../testing/seeded-random.ts';
import { simulatedTime } from '../../testing/simulated-time.ts';
import { createStatus } from '../sync-status.ts';
import type { Connection } from '../transport/connection.ts';
import { enterPresence, type PresenceParts } from './enter-presence.ts';

type Cursor = Record<string, unknown>;
interface Asked {
  readonly id: string;
  readonly state?: string;
  readonly before?: string;
  readonly leave?: boolean;
}
type Answer = { readonly user?: string; readonly refused?: string };

function world() {
  const time = simulatedTime();
  const rooms = new Map<Connection, { user: string; id: string; state: string | undefined }>();
  const event = (content: object) =>
    `${PRESENCE_EVENT}${JSON.stringify({ ledger: 'l', ...content }).slice(1)}`;
  const tellAll = () => {
    const states = [...rooms.values()].flatMap(({ id, user, state }) =>
      state === undefined ? [] : [[id, user, state]],
    );
    for (const connection of rooms.keys()) connection.presence?.(event({ all: true, states }));
  };

  function client(user: string, seed: number) {
    const asked: Asked[] = [];
    const reports: { code?: string }[] = [];
    /** Decides the next answers. */
    const gateway = {
      features: [PRESENCE_FEATURE] as unknown,
      answer: (_: Asked): Answer | Error | undefined => undefined,
      isSilent: false,
    };
    const status = createStatus(() => undefined);
    const ended = new AbortController();
    let connection: Connection | undefined;
    let isApproved = true;

    function connect(): Connection {
      const own: Connection = {
        conn: { reqId: 'q', resId: 's' },
        request: async (type, _, fields) => {
          await new Promise((resolve) => time.after(10, () => resolve(undefined)));
          if (type === 'reqGestalt') return { gestalt: { features: gateway.features } } as never;
          const presence = fields['presence'] as Asked;
          asked.push(presence);
          if (gateway.isSilent) await new Promise(() => undefined);
          const given = gateway.answer(presence);
          if (given instanceof Error) throw given;
          if (presence.leave) rooms.delete(own);
          else if (given?.refused === undefined)
            rooms.set(own, { user, id: presence.id, state: presence.state });
          tellAll();
          return { user, ...given } as never;
        },
        bind: async () => undefined,
        close: () => undefined,
      };
      return own;
    }
    const parts = {
      session: {
        target: { tenant: 't', ledger: 'l' },
        platform: { time, random: seededRandom(seed), report: (error: object) => void reports.push(error) },
        signal: ended.signal,
      },
      status,
      ledger: {
        isReady: () => isApproved,
        sealing: () => ({ kind: 'open-key' }),
        keys: () => undefined,
      },
      link: { connection: () => connection },
      downloads: { keys: () => new Set<string>() },
    } as unknown as PresenceParts;
    const changed = () => status.show('in-sync', { toSend: 0, toFetch: 0 }, undefined);
    return {
      ...{ asked, reports, gateway },
      enter: (me?: Cursor) => enterPresence<Cursor>(parts, me),
      /** Connects, or loses the connection. */
      connected: (isConnected: boolean) => {
        if (connection !== undefined) rooms.delete(connection);
        connection = isConnected ? connect() : undefined;
        tellAll();
        changed();
      },
      approved: (is: boolean) => {
        isApproved = is;
        changed();
      },
      detach: () => ended.abort(),
      leaving: () => connection?.leaving,
      receive: () => connection?.presence,
    };
  }
  return { time, client };
}

const statesOf = ({ others }: ReturnType<typeof enterPresence>) =>
  [...others.values()].map(({ state }) => state);

/** Two clients, of which the first one only watches. */
async function pair() {
  const { time, client } = world();
  const [watcher, ann] = [client('watcher', 1), client('ann', 2)];
  const seen = watcher.enter();
  watcher.connected(true);
  await time.pass(1000);
  return { time, watcher, ann, seen };
}

describe('a client', () => {
  test('waits for a connection, and then shows its latest state', async () => {
    const { time, ann, seen } = await pair();
    const presence = ann.enter({ n: 1 });
    presence.set({ n: 2 });
    await time.pass(5000);
    expect([presence.status(), ann.asked]).toEqual([{ state: 'connecting' }, []]);
    ann.connected(true);
    await time.pass(1000);
    expect([presence.status(), statesOf(seen)]).toEqual([{ state: 'present' }, [{ n: 2 }]]);
    expect([...seen.others.values()].map(({ user }) => user)).toEqual(['ann']);
    expect(statesOf(presence)).toEqual([]);
  });

  test('sends the latest of many states, at most every 100 ms', async () => {
    const { time, ann, seen } = await pair();
    const presence = ann.enter({ n: 0 });
    ann.connected(true);
    await time.pass(1000);
    const before = ann.asked.length;
    for (let n = 1; n <= 100; n += 1) {
      presence.set({ n });
      await time.pass(10);
    }
    await time.pass(200);
    expect(statesOf(seen)).toEqual([{ n: 100 }]);
    const sent = ann.asked.length - before;
    expect(sent).toBeGreaterThanOrEqual(5);
    expect(sent).toBeLessThanOrEqual(11);
    // Nothing changed since, so nothing is sent.
    presence.set({ n: 100 });
    await time.pass(60_000);
    expect(ann.asked.length - before).toBe(sent);
  });

  test('has another id over each connection, and names the previous one', async () => {
    const { time, ann, seen } = await pair();
    const presence = ann.enter({ n: 1 });
    ann.connected(true);
    await time.pass(1000);
    const first = ann.asked.at(-1)?.id;
    ann.connected(false);
    await time.pass(1000);
    expect([presence.status().state, statesOf(seen)]).toEqual(['connecting', []]);
    ann.connected(true);
    await time.pass(1000);
    const [again] = ann.asked.filter(({ before }) => before !== undefined);
    expect(again?.before).toBe(first);
    expect(again?.id).not.toBe(first);
    expect(statesOf(seen)).toEqual([{ n: 1 }]);
    // Once the gateway knows, it needs no earlier id.
    presence.set({ n: 2 });
    await time.pass(1000);
    expect([ann.asked.at(-1)?.before, statesOf(seen)]).toEqual([undefined, [{ n: 2 }]]);
  });

  test.each([undefined, null, 'presence', [], ['other']])(
    'asks a gateway with the features %j for nothing more',
    async (features) => {
      const { time, ann } = await pair();
      ann.gateway.features = features;
      const presence = ann.enter({ n: 1 });
      ann.connected(true);
      await time.pass(60_000);
      expect([presence.status(), ann.asked]).toEqual([{ state: 'unsupported' }, []]);
    },
  );

  test('notices that a gateway supports presence after a new connection', async () => {
    const { time, ann } = await pair();
    ann.gateway.answer = () => new FixpointError('NOT_IMPLEMENTED');
    const presence = ann.enter({ n: 1 });
    ann.connected(true);
    await time.pass(60_000);
    expect([presence.status(), ann.asked.length]).toEqual([{ state: 'unsupported' }, 1]);
    ann.gateway.answer = () => undefined;
    ann.connected(true);
    await time.pass(1000);
    expect(presence.status()).toEqual({ state: 'present' });
  });

  test('repeats a state after a refusal, and waits twice as long each time, at most 30 s', async () => {
    const { time, ann, seen } = await pair();
    const times: number[] = [];
    ann.gateway.answer = ({ state }) => {
      if (state === undefined) return undefined;
      times.push(time.now());
      return { refused: 'LIMIT_REACHED' };
    };
    const presence = ann.enter({ n: 1 });
    ann.connected(true);
    await time.pass(120_000);
    expect(presence.status()).toMatchObject({ state: 'refused', error: { code: 'LIMIT_REACHED' } });
    const waits = times.slice(1).map((at, n) => Math.round((at - (times[n] ?? 0)) / 1000));
    expect(waits.slice(0, 7)).toEqual([1, 2, 4, 8, 16, 30, 30]);
    ann.gateway.answer = () => undefined;
    await time.pass(31_000);
    expect([presence.status(), statesOf(seen)]).toEqual([{ state: 'present' }, [{ n: 1 }]]);
  });

  test('takes another id if somebody else has its id', async () => {
    const { time, ann, seen } = await pair();
    let taken: string | undefined;
    ann.gateway.answer = ({ id, state }) => {
      if (state === undefined) return undefined;
      taken ??= id;
      return id === taken ? { refused: 'CONFLICT' } : undefined;
    };
    const presence = ann.enter({ n: 1 });
    ann.connected(true);
    await time.pass(5000);
    expect([presence.status(), statesOf(seen)]).toEqual([{ state: 'present' }, [{ n: 1 }]]);
    expect(ann.asked.at(-1)?.id).not.toBe(taken);
  });

  test.each([
    [new FixpointError('TIMEOUT'), 'TIMEOUT'],
    [{ user: 7 } as unknown as Answer, 'UNEXPECTED_RESPONSE'],
  ])('shows the error of an answer, and recovers: %#', async (answer, code) => {
    const { time, ann, seen } = await pair();
    ann.gateway.answer = () => answer;
    const presence = ann.enter({ n: 1 });
    ann.connected(true);
    await time.pass(500);
    expect(presence.status()).toMatchObject({ state: 'refused', error: { code } });
    ann.gateway.answer = () => undefined;
    await time.pass(5000);
    expect([presence.status(), statesOf(seen)]).toEqual([{ state: 'present' }, [{ n: 1 }]]);
  });

  test('sends and shows nothing while its device has no access, until it has', async () => {
    const { time, ann, watcher, seen } = await pair();
    ann.approved(false);
    const presence = ann.enter({ n: 1 });
    ann.connected(true);
    await time.pass(10_000);
    expect(presence.status()).toMatchObject({ state: 'refused', error: { code: 'DEVICE_NOT_APPROVED' } });
    expect(ann.asked).toEqual([]);
    ann.approved(true);
    await time.pass(1000);
    expect([presence.status(), statesOf(seen)]).toEqual([{ state: 'present' }, [{ n: 1 }]]);
    expect(watcher.asked.every(({ state }) => state === undefined)).toBe(true);
  });

  test('never sends the state itself', async () => {
    const { time, ann } = await pair();
    ann.enter({ secret: 'of Ann' });
    ann.connected(true);
    await time.pass(1000);
    const sent = ann.asked.flatMap(({ state }) => state ?? []);
    expect(sent.length).toBeGreaterThan(0);
    for (const state of sent) expect(Buffer.from(state, 'base64url').includes('of Ann')).toBe(false);
  });

  test('ignores events that are not JSON, and takes the next one', async () => {
    const { time, ann, watcher, seen } = await pair();
    const presence = ann.enter({ n: 1 });
    ann.connected(true);
    await time.pass(1000);
    const receive = watcher.receive();
    expect([
      receive?.(`${PRESENCE_EVENT}`),
      receive?.(`${PRESENCE_EVENT}"ledger":"l","gone":[null]}`),
    ]).toEqual([true, true]);
    expect([receive?.('{"type":"resPutMeta"}'), receive?.('')]).toEqual([false, false]);
    presence.set({ n: 2 });
    await time.pass(1000);
    expect([statesOf(seen), watcher.reports]).toEqual([[{ n: 2 }], []]);
  });

  test('reports the error of a listener, and tells the next one', async () => {
    const { time, ann } = await pair();
    const presence = ann.enter({ n: 1 });
    ann.connected(true);
    await time.pass(1000);
    let told = 0;
    presence.subscribe(() => {
      throw new Error('of a listener');
    });
    presence.subscribe(() => {
      told += 1;
    });
    presence.set({ n: 2 });
    expect([told, ann.reports.map(({ code }) => code)]).toEqual([1, ['SUBSCRIBER']]);
  });
});

describe('the end of a client', () => {
  test.each(['leave', 'detach'] as const)('is known to the others after %s', async (how) => {
    const { time, ann, seen } = await pair();
    const presence = ann.enter({ n: 1 });
    ann.connected(true);
    await time.pass(1000);
    if (how === 'leave') presence.leave();
    else ann.detach();
    await presence.ended;
    await time.run(ann.leaving() ?? Promise.reject(new Error('does not leave')));
    expect([ann.asked.at(-1)?.leave, statesOf(seen), presence.others.size]).toEqual([true, [], 0]);
    const count = ann.asked.length;
    await time.pass(60_000);
    expect(ann.asked).toHaveLength(count);
  });

  test('waits half a second for a gateway that does not answer', async () => {
    const { time, ann } = await pair();
    const presence = ann.enter({ n: 1 });
    ann.connected(true);
    await time.pass(1000);
    ann.gateway.isSilent = true;
    const before = time.now();
    presence.leave();
    await time.run(ann.leaving() ?? Promise.reject(new Error('does not leave')));
    expect([ann.asked.at(-1)?.leave, time.now() - before]).toEqual([true, 500]);
  });

  test('lets it enter again, with the states of the others', async () => {
    const { time, ann, seen, watcher } = await pair();
    seen.set({ w: 1 });
    const first = ann.enter({ n: 1 });
    ann.connected(true);
    await time.pass(1000);
    first.leave();
    const second = ann.enter({ n: 2 });
    await time.pass(2000);
    expect([statesOf(second), second.me, first.me]).toEqual([[{ w: 1 }], { n: 2 }, undefined]);
    expect([statesOf(seen), watcher.reports]).toEqual([[{ n: 2 }], []]);
  });

  test('is final after detach', async () => {
    const { ann } = await pair();
    ann.detach();
    expect(() => ann.enter({})).toThrow(expect.objectContaining({ code: 'CONNECTION_NOT_OPEN' }));
  });
});
