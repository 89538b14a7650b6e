/**
 * The ledger kind that the application states takes precedence over the kind that the server
 * reports (`docs/internals/sealed-ledgers.md`).
 */
import { expect, test } from 'vitest';
import type { Attached } from '../src/sync/remote.ts';
import { type Replica, type World, world } from './sync-world.fixture.ts';

const refused = { state: 'refused', error: { code: 'LEDGER_KIND' } };
const keysAt = ({ gateway }: World) => [...gateway.ledgers.values()].flatMap(({ keys }) => [...keys]);

/**
 * Returns a database that was attached to a `sealed` ledger while offline, then detached and
 * reopened.
 */
async function namedOffline(here: World): Promise<Replica> {
  const replica = here.replica();
  replica.line.set('cut');
  const sync = await replica.attach({ kind: 'sealed' });
  await replica.db.put({ _id: 'secret' });
  await here.time.run(sync.detach());
  return replica.reopen();
}

const settled = ({ time }: World, sync: Attached) =>
  time.until(() => ['refused', 'in-sync'].includes(sync.status().state));

test.each(['open-key', undefined])(
  'never sends a raw key to a server that reports kind %s, when the application chose sealed while offline',
  async (said) => {
    const here = world();
    here.gateway.kind = said;
    const replica = await namedOffline(here);
    const sync = await replica.attach();
    await settled(here, sync);
    if (said === undefined) expect(sync.kind()).toBe('sealed');
    else expect(sync.status()).toMatchObject(refused);
    await here.time.pass(60_000);
    expect(keysAt(here).filter((key) => key.startsWith('z'))).toEqual([]);
    expect(here.gateway.log.includes('reqPutMeta')).toBe(said === undefined);
  },
);

test('lets the application choose a different kind until a server has reported the kind of the ledger', async () => {
  const here = world();
  here.gateway.kind = 'open-key';
  const replica = await namedOffline(here);
  const sync = await replica.attach({ kind: 'open-key' });
  await here.time.run(sync.synced());
  expect(sync.kind()).toBe('open-key');
  await here.time.run(sync.detach());
  const again = await replica.attach({ kind: 'sealed' });
  await settled(here, again);
  expect(again.status()).toMatchObject(refused);
});

test('never sends a raw key to a ledger that was sealed before, even if the application now chooses open-key', async () => {
  const here = world();
  const replica = here.replica();
  const sync = await replica.attach({ kind: 'sealed' });
  await replica.db.put({ _id: 'secret' });
  await here.time.run(sync.synced());
  await here.time.run(sync.detach());
  for (const ledger of here.gateway.ledgers.values()) {
    ledger.keys.clear();
    ledger.entries.clear();
  }
  here.gateway.kind = 'open-key';
  const again = await replica.attach({ kind: 'open-key' });
  await settled(here, again);
  expect(again.status()).toMatchObject(refused);
  await here.time.pass(60_000);
  expect(keysAt(here)).toEqual([]);
});

test('[R20] rejects an unknown kind', async () => {
  const here = world();
  await expect(here.replica().attach({ kind: 'Sealed' as 'sealed' })).rejects.toMatchObject({
    code: 'REQUEST_INVALID',
  });
});
