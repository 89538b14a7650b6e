/**
 * Recovery codes of a sealed ledger at the real gateway, when keys change immediately after a code
 * was created.
 */
import { expect, test } from 'vitest';
import { seed } from '../../packages/engine/tests/budget.fixture.ts';
import { gatewayWorld } from './gateway-world.fixture.ts';

test.each([
  ['a device is removed', false],
  ['a document is written', true],
])('[S5] keeps a new recovery code valid when %s immediately afterwards', async (_, isWrite) => {
  const here = await gatewayWorld();
  const there = await here.ledger(seed());
  const writer = there.replica();
  const sync = await writer.attach({ kind: 'sealed' });
  await here.time.run(writer.db.put({ _id: 'first' }));
  await here.time.run(sync.synced());
  // The device receives nothing from the gateway between the creation of the code and the next
  // call.
  const both = sync.devices.newRecoveryCode().then(async (code) => {
    await (isWrite ? writer.db.put({ _id: 'second' }) : sync.devices.remove([]));
    return code;
  });
  const code = await here.time.run(both);
  await here.time.run(sync.synced());
  await here.time.pass(60_000);
  await here.time.run(sync.detach());
  const replica = there.replica();
  const late = await replica.attach({ kind: 'sealed' });
  await here.time.run(late.devices.recover(code));
  await here.time.run(late.synced());
  expect((await replica.db.get('first'))._id).toBe('first');
  expect((await here.time.run(late.devices.list())).filter(({ isRecovery }) => isRecovery)).toHaveLength(1);
});
