/** An archive counts as sent only if the remote has it. */
import { expect, test } from 'vitest';
import { type Replica, world } from './sync-world.fixture.ts';

const idsOf = async ({ db }: Replica) => (await db.allDocs()).rows.map(({ key }) => key);

test('[P1] sends a compacted archive when the remote has only one of its sources', async () => {
  const { time, replica } = world();
  const [a, b] = [replica(), replica()];
  const sync = await a.attach();
  await a.db.put({ _id: 'sent' });
  await time.run(sync.synced());
  await time.run(sync.detach());
  // While the database is attached to another ledger, compaction may rewrite archives that the
  // first ledger has.
  const other = await a.attach({ ledger: 'other' });
  await a.db.put({ _id: 'not sent' });
  await time.run(other.synced());
  await time.run(a.db.compact());
  await time.run(other.detach());
  const again = await a.attach();
  await time.run(again.synced());
  const late = await b.attach();
  await time.run(late.synced());
  expect(await idsOf(b)).toEqual(['not sent', 'sent']);
});

test.each([
  ['other bytes', new Uint8Array([1, 2, 3])],
  ['nothing', undefined],
])(
  '[R14] never announces an archive that the store rejects with 409 while it has %s under that name',
  async (_, stored) => {
    const { time, gateway, replica } = world();
    const [a, b] = [replica(), replica()];
    const sync = await a.attach();
    gateway.objectFailure = ({ method, url }) => {
      if (method !== 'PUT') return undefined;
      if (stored !== undefined) gateway.objects.set(url, stored);
      return 409;
    };
    await a.db.put({ _id: 'kept' });
    await time.pass(5000);
    expect(gateway.ledgers.get('t/l')?.entries.size ?? 0).toBe(0);
    expect(sync.status().state).toBe('catching-up');
    gateway.objectFailure = undefined;
    await time.run(sync.synced());
    const late = await b.attach();
    await time.run(late.synced());
    expect(await idsOf(b)).toEqual(['kept']);
  },
);
