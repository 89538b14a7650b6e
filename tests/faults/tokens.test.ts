/**
 * Lets tokens of the real gateway expire before any message, and syncs devices with wrong clocks.
 */
import { expect, test } from 'vitest';
import type { Attached } from '../../packages/engine/src/sync/remote.ts';
import { budget, patienceMs, seed } from '../../packages/engine/tests/budget.fixture.ts';
import { haveSameHead, type Replica } from '../../packages/engine/tests/sync-world.fixture.ts';
import { Acknowledged, type Counted, expectConverged } from './converged.fixture.ts';
import { type GatewayWorld, gatewayWorld } from './gateway-world.fixture.ts';

const BOUNDARIES = budget({ commit: 50, night: 1000, release: 1000 });
const RESUMED_MS = 5000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const IDS = ['a', 'b'];

const inSync = ({ time }: GatewayWorld, replicas: readonly Replica[], syncs: readonly Attached[]) =>
  time.until(
    async () => syncs.every((sync) => sync.status().state === 'in-sync') && (await haveSameHead(replicas)),
  );

test.each([
  ['over sockets', true, 0, 1],
  ['by polling', false, 0, 3],
  ['with a clock that is a day ahead', true, DAY_MS, 3],
  ['with a clock that is a day behind', true, -DAY_MS, 3],
] as const)(
  '[R16] loses no write and resumes within 5 s when a token expires at any message, %s',
  { timeout: patienceMs() },
  async (_, isStreamOffered, aheadMs, stride) => {
    const here = await gatewayWorld();
    const { time } = here;
    here.offerStream(isStreamOffered);
    for (let boundary = 0; boundary < BOUNDARIES; boundary += stride) {
      const { token, replica } = await here.ledger(seed() + boundary);
      const replicas = [replica({ aheadMs }), replica()];
      const [a, b] = replicas as [Replica, Replica];
      const acknowledged = new Acknowledged();
      const put = async ({ db }: Replica, doc: Counted) => {
        await db.put({ ...doc });
        acknowledged.put(db === a.db ? 0 : 1, doc);
      };
      await put(a, { _id: 'a', n: 1 });
      const syncs = await Promise.all([a.attach({ token }), b.attach({ token })]);
      // Half of the tokens expire while a device connects, the others while a device has changes to
      // send.
      if (boundary % 2 === 1) {
        await inSync(here, replicas, syncs);
        await put(a, { _id: 'a', n: 2 });
        await put(b, { _id: 'b', n: 3 });
      }
      const passed = () => replicas.reduce((sum, { line }) => sum + line.passed(), 0);
      const begin = passed();
      await time.until(() => passed() >= begin + boundary || isQuiet(syncs));
      const endedAt = time.now();
      here.expireTokens();
      await put(a, { _id: 'a', n: 4 });
      await put(b, { _id: 'b', n: 5 });
      await inSync(here, replicas, syncs);
      expect(time.now() - endedAt).toBeLessThan(RESUMED_MS);
      await expectConverged(replicas, IDS, acknowledged);
      expect(replicas.flatMap(({ reports }) => reports)).toEqual([]);
      for (const { db } of replicas) await time.run(db.close());
    }
    expect(here.reports).toEqual([]);
  },
);

const isQuiet = (syncs: readonly Attached[]) => syncs.every((sync) => sync.status().state === 'in-sync');

test.each([DAY_MS, -DAY_MS])(
  '[R16] requests at most one additional token when the clock of the device is %i ms ahead',
  async (aheadMs) => {
    const here = await gatewayWorld();
    const { time } = here;
    const { token, replica } = await here.ledger(seed());
    const asked = { wrong: 0, right: 0 };
    const tokenOf = (who: keyof typeof asked) => () => {
      asked[who] += 1;
      return token();
    };
    const replicas = [replica({ aheadMs }), replica()] as const;
    const [wrong, right] = replicas;
    const syncs = [
      await wrong.attach({ token: tokenOf('wrong') }),
      await right.attach({ token: tokenOf('right') }),
    ];
    for (let n = 0; n < 20; n++) {
      await wrong.db.put({ _id: 'a', n });
      await right.db.put({ _id: 'b', n });
      await inSync(here, replicas, syncs);
      await time.pass(HOUR_MS / 10);
    }
    expect(await wrong.db.get('b')).toEqual(await right.db.get('b'));
    expect(replicas.flatMap(({ reports }) => reports)).toEqual([]);
    for (const sync of syncs) expect(sync.status()).toEqual({ state: 'in-sync', toSend: 0, toFetch: 0 });
    expect(asked.wrong).toBeLessThanOrEqual(asked.right + 1);
    for (const { db } of replicas) await time.run(db.close());
  },
);
