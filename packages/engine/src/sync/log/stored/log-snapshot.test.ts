/**
 * Tests that a device opens a long log without evaluating it, and that the row by which it does so
 * has no effect unless it was concluded from exactly the entries that the device has.
 */
import { isEntryText } from '@fixpoint/protocol/storage';
import { expect, test } from 'vitest';
import { utf8 } from '../../../base/bytes.ts';
import { logWorld, type TestDevice } from '../ledger-devices.fixture.ts';

type Values = Map<string, Uint8Array>;
type World = ReturnType<typeof logWorld>;

const rowIn = (values: Values, part: string): string =>
  [...values.keys()].find((key) => key.includes(part)) as string;

/** Replaces the texts of entries, so that nobody can evaluate the log. Their ids stay. */
function withoutTexts(values: Values): Values {
  const entry = rowIn(values, '/entry/').replace(/[0-9a-f]*$/, '');
  return new Map([...values].map(([key, bytes]) => [key, key.startsWith(entry) ? utf8('S2.') : bytes]));
}

/** Returns the same ledger on a device with other rows. */
const reopened = (world: World, of: TestDevice, values: Values) => world.again({ ...of, values });

const idOf = ({ keys }: TestDevice) => keys.devices().find(({ isThis }) => isThis)?.id as string;

async function opened(seed: number) {
  const world = logWorld(seed);
  const { F, W, X } = await world.team();
  for (const one of [F, W, X]) await one.hear();
  return { world, F, W, X };
}

test('[F4] knows its seat and its data key without reading an entry', async () => {
  const { world, W } = await opened(1);
  const again = await reopened(world, W, withoutTexts(W.values));
  expect([again.seals(), again.keys.isApproved()]).toEqual([W.seals(), true]);
  // Without the row, the device must evaluate the entries.
  const values = withoutTexts(W.values);
  values.delete(rowIn(values, '/log-state'));
  expect((await reopened(world, W, values)).seals()).toBe('LEDGER_FORKED');
});

test('[F4] describes the same members, devices and safety number as before', async () => {
  const { world, W } = await opened(2);
  const again = await reopened(world, W, W.values);
  expect(again.keys.keyring()).toEqual({ ...W.keys.keyring(), asking: [] });
  expect(again.keys.devices().map(({ id }) => id)).toEqual(W.keys.devices().map(({ id }) => id));
});

test('[C1] ignores what was concluded before a removal that the device has', async () => {
  const { world, F, W } = await opened(3);
  const earlier = W.values.get(rowIn(W.values, '/log-state')) as Uint8Array;
  world.put(...(await F.keys.rotate([idOf(W)])));
  await W.hear();
  expect(W.seals()).toBe('DEVICE_NOT_APPROVED');
  const values = new Map(W.values).set(rowIn(W.values, '/log-state'), earlier);
  expect((await reopened(world, W, values)).seals()).toBe('DEVICE_NOT_APPROVED');
});

test('[C1] learns a removal from the first list, and seals nothing from then on', async () => {
  const { world, F, W } = await opened(4);
  const before = new Map(W.values);
  world.put(...(await F.keys.rotate([idOf(W)])));
  const again = await reopened(world, W, before);
  expect(again.seals()).toBe(W.seals());
  await again.hear();
  expect(again.seals()).toBe('DEVICE_NOT_APPROVED');
});

test('[F6] ignores the row of another member, of another version, and without checked entries', async () => {
  const { world, F, W } = await opened(5);
  const row = rowIn(W.values, '/log-state');
  const [own, ofF] = [W, F].map(({ values }) => values.get(rowIn(values, '/log-state')) as Uint8Array);
  const other = JSON.parse(Buffer.from(own as Uint8Array).toString());
  const changed = utf8(
    JSON.stringify([other[0].replace(/^./, (one: string) => (one === '0' ? '1' : '0')), other[1]]),
  );
  for (const bytes of [ofF as Uint8Array, changed]) {
    const values = withoutTexts(W.values).set(row, bytes);
    expect((await reopened(world, W, values)).seals()).toBe('LEDGER_FORKED');
  }
  const unchecked = withoutTexts(W.values);
  unchecked.delete(rowIn(unchecked, '/log-checked/'));
  expect((await reopened(world, W, unchecked)).seals()).toBe('LEDGER_FORKED');
});

test('[F10] evaluates the log before it signs an entry', async () => {
  const { world, F, W } = await opened(6);
  const again = await reopened(world, F, F.values);
  world.put(...(await again.keys.setRole('W', 'read')));
  await W.hear();
  expect(W.keys.keyring().log?.role).toBe('read');
  const broken = await reopened(world, F, withoutTexts(F.values));
  await expect(broken.keys.setRole('W', 'write')).rejects.toThrow();
  expect([...world.list].filter(isEntryText).every((text) => text.length > 3)).toBe(true);
});
