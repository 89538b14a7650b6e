import { randomUUID } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import { newPostgresDatabase, onServer, POSTGRES } from '../tables/postgres.fixture.ts';
import { type HintBus, localBus } from './hint-bus.ts';
import { natsBus } from './nats-bus.ts';
import { postgresBus } from './postgres-bus.ts';

const NATS = process.env['FIXPOINT_TEST_NATS'];
const ignore = () => undefined;

/**
 * Each entry creates the buses of several processes. A hint that one bus publishes reaches all of
 * them.
 */
const BUSES: Record<string, { missing: boolean; open: (count: number) => Promise<HintBus[]> }> = {
  'in one process': { missing: false, open: async () => [localBus()] },
  'PostgreSQL (FIXPOINT_TEST_POSTGRES)': {
    missing: POSTGRES === undefined,
    open: async (count) => {
      const url = await newPostgresDatabase();
      return Promise.all(Array.from({ length: count }, () => postgresBus(url, ignore)));
    },
  },
  'NATS (FIXPOINT_TEST_NATS)': {
    missing: NATS === undefined,
    open: async (count) => Promise.all(Array.from({ length: count }, () => natsBus([NATS ?? ''], ignore))),
  },
};

async function opened(name: string, count = 3) {
  const buses = (await BUSES[name]?.open(count)) ?? [];
  onTestFinished(() => Promise.all(buses.map((bus) => bus.close())).then(ignore));
  const heard = buses.map((bus) => {
    const ids: string[] = [];
    bus.subscribe((id) => ids.push(id));
    return ids;
  });
  return { buses, heard };
}

for (const [name, { missing }] of Object.entries(BUSES))
  describe.skipIf(missing)(`hints: ${name}`, () => {
    test('delivers a hint to all processes, including the sender', async () => {
      const { buses, heard } = await opened(name);
      const ids: string[] = buses.map(() => randomUUID());
      buses.forEach((bus, index) => {
        bus.publish(ids[index] ?? '');
      });
      for (const each of heard) await expect.poll(() => ids.every((id) => each.includes(id))).toBe(true);
    });

    test('delivers 2,000 hints that are published at once, and no other hints', async () => {
      const { buses, heard } = await opened(name);
      const ids: string[] = Array.from({ length: 2000 }, () => randomUUID());
      ids.forEach((id, index) => {
        buses[index % buses.length]?.publish(id);
      });
      for (const each of heard) {
        await expect.poll(() => new Set(each).size).toBeGreaterThanOrEqual(ids.length);
        const given = new Set<string>(ids);
        expect([...new Set(each)].filter((id) => !given.has(id))).toEqual([]);
      }
    });

    test.skipIf(name === 'in one process')(
      'delivers texts about presence to all processes, as long as a notification may be, in order',
      async () => {
        const { buses } = await opened(name);
        const [from] = buses;
        const heard = buses.map((bus) => {
          const texts: string[] = [];
          bus.states?.listen((text) => texts.push(text));
          return texts;
        });
        const sent = Array.from({ length: 100 }, (_, n) => `${n} `.padEnd(7800, 'x'));
        for (const text of sent) from?.states?.send(text);
        for (const texts of heard) await expect.poll(() => texts).toEqual(sent);
      },
    );

    test.skipIf(name === 'in one process')(
      'delivers hints before many waiting texts about presence',
      async () => {
        const { buses } = await opened(name, 2);
        const [from, to] = buses;
        const order: string[] = [];
        to?.subscribe((id) => order.push(`hint ${id}`));
        to?.states?.listen((text) => order.push(text.slice(0, 5)));
        for (let n = 0; n < 2000; n += 1) from?.states?.send(`state${n}`.padEnd(7000, 'x'));
        from?.publish('z1');
        await expect.poll(() => order).toContain('hint z1');
        await expect.poll(() => order.filter((one) => one === 'state').length).toBeGreaterThanOrEqual(500);
        // A buffer holds 512 texts. Later ones replace the oldest.
        expect(order.filter((one) => one === 'state').length).toBeLessThanOrEqual(600);
        expect(order.indexOf('hint z1')).toBeLessThan(100);
      },
    );

    test.skipIf(name === 'in one process')('keeps delivering after a listener failed', async () => {
      const { buses } = await opened(name, 2);
      const [from, to] = buses;
      const heard: string[] = [];
      to?.states?.listen(() => {
        throw new Error('a listener');
      });
      to?.states?.listen((text) => heard.push(text));
      for (const text of ['a', 'b']) from?.states?.send(text);
      await expect.poll(() => heard).toEqual(['a', 'b']);
    });

    test('delivers nothing to a listener that unsubscribed', async () => {
      const { buses } = await opened(name);
      const [bus] = buses;
      const heard: string[] = [];
      bus?.subscribe((id) => heard.push(id))();
      bus?.publish('z1');
      expect(heard).toEqual([]);
    });
  });

test.skipIf(POSTGRES === undefined)('hints: reopens a broken connection', async () => {
  const url = await newPostgresDatabase();
  const reported: unknown[] = [];
  const [from, to] = [
    await postgresBus(url, ignore),
    await postgresBus(url, (error) => reported.push(error)),
  ];
  onTestFinished(() => Promise.all([from.close(), to.close()]).then(ignore));
  const heard: string[] = [];
  to.subscribe((id) => heard.push(id));
  await onServer(
    url,
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'fixpoint-hints' and datname = current_database()`,
  );
  await expect.poll(() => reported.length).toBeGreaterThan(0);
  await expect
    .poll(() => {
      from.publish('z1');
      return heard.length;
    })
    .toBeGreaterThan(0);
  expect(new Set(heard)).toEqual(new Set(['z1']));
});

test('hints: fails at start without a NATS server, and hides the password in the error', async () => {
  const refused = await natsBus(['nats://user:canary@127.0.0.1:1'], ignore).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: 'CONFIG_INVALID' });
  expect(String(refused)).not.toMatch(/canary/);
});
