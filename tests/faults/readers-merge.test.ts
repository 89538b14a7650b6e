/** Merge rules on devices that may only read a ledger, at the real gateway. */
import { expect, test } from 'vitest';
import { newMember } from '../../packages/cloud/tests/cloud.fixture.ts';
import { isMergeStamp } from '../../packages/engine/src/clock/stamp.ts';
// Imports lazy modules before the tests start, because simulated time doesn't wait for imports.
import '../../packages/engine/src/sync/lazy-sync-chunk.ts';
import type { Replica } from '../../packages/engine/tests/sync-world.fixture.ts';
import { gatewayWorld } from './gateway-world.fixture.ts';

const mergesOf = async (replica: Replica) =>
  [...(await replica.events()).values()].filter(({ by }) => isMergeStamp(by)).length;

/** A ledger with two versions of a document, and a member who may only read. */
async function conflict() {
  const here = await gatewayWorld();
  const world = await here.ledger(1);
  const { time, db, tokens } = here;
  const member = await newMember({ db, tokens }, world.notes, 'read');
  const [one, other] = [world.replica(), world.replica()];
  await other.db.put({ _id: 'x', b: 1 });
  const attached = await one.attach();
  await one.db.put({ _id: 'x', a: 1 });
  await time.run(attached.synced());
  const second = await other.attach();
  await time.run(second.synced());
  await time.run(attached.synced());
  return { here, world, member, one, other, attached };
}

const sum = (_: unknown, ours: object, theirs: object) => ({ ...ours, ...theirs, merged: true });

test('[P1] writes no merges, and stays in sync, on a device whose token says that it may only read', async () => {
  const { here, world, member, one, other, attached } = await conflict();
  const { time, tokens } = here;
  const { userId, tenant, ledger } = member;
  const token = await tokens.mint({
    userId,
    email: 'reader@example.com',
    created: '2026-01-01T00:00:00.000Z',
    tenants: [{ id: tenant, role: 'member' }],
    ledgers: [{ id: ledger, role: 'member', right: 'read' }],
    selected: { tenant, ledger },
  });
  const reader = world.replica();
  await reader.db.mergeWith('', sum);
  const reading = await reader.attach({ token });
  await time.run(reading.synced());
  await time.pass(1000);
  expect(reading.status()).toEqual({ state: 'in-sync', toSend: 0, toFetch: 0 });
  expect(await mergesOf(reader)).toBe(0);
  expect((await reader.db.conflicts()).map(({ id }) => id)).toEqual(['x']);
  // Also offline, and before it is attached again.
  const again = await reader.reopen();
  await again.db.mergeWith('', sum);
  await time.pass(1000);
  expect(await mergesOf(again)).toBe(0);
  // It shows what a device that may write has merged.
  await time.run((await again.attach({ token })).synced());
  await one.db.mergeWith('', sum);
  await time.until(async () => (await mergesOf(again)) === 1);
  expect(await again.db.get('x')).toEqual({ _id: 'x', a: 1, b: 1, merged: true });
  expect(await mergesOf(one)).toBe(1);
  await time.run(attached.synced());
  for (const { db } of [one, other, again]) await time.run(db.close());
  expect(here.reports).toEqual([]);
});

test('[P1] writes no further merges on a device that the gateway refuses', async () => {
  const { here, world, member, one, other } = await conflict();
  const { time } = here;
  const reader = world.replica();
  await reader.db.mergeWith('', sum);
  const reading = await reader.attach({ token: member.token });
  await time.until(() => reading.status().state === 'refused');
  expect(reading.status()).toMatchObject({ error: { code: 'FORBIDDEN' }, toSend: 1 });
  expect(await mergesOf(reader)).toBe(1);
  const edit = async (n: number, into: Replica) => {
    await (n % 2 === 0 ? one : other).db.put({ _id: 'x', n });
    await one.db.put({ _id: 'latest', n });
    await time.until(async () => (await into.db.get('latest').catch(() => undefined))?.['n'] === n);
    await time.pass(1000);
  };
  for (let n = 0; n < 5; n++) await edit(n, reader);
  expect(await mergesOf(reader)).toBe(1);
  // The edits of others stay readable.
  const { winner, losers = [] } = (await reader.db.conflicts('x')) ?? {};
  expect([winner, ...losers].map((version) => version?.value?.['n'])).toContain(4);
  const again = await reader.reopen();
  await again.db.mergeWith('', sum);
  const attachedAgain = await again.attach({ token: member.token });
  await time.until(() => attachedAgain.status().state === 'refused');
  for (let n = 5; n < 8; n++) await edit(n, again);
  expect(await mergesOf(again)).toBe(1);
  for (const { db } of [one, other, again]) await time.run(db.close());
});
