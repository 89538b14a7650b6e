/**
 * A server may say that a ledger moved. Devices show this, and stay with their ledger until the
 * application attaches to another one (decision 0205).
 */
import { expect, test } from 'vitest';
import { world } from './sync-world.fixture.ts';

const OTHER = { ledger: 'readable', kind: 'open-key' };

test('[S16] keeps syncing with a sealed ledger when the server names an open-key successor, and sends that one nothing', async () => {
  const { time, gateway, replica } = world();
  const device = replica();
  const sync = await device.attach({ kind: 'sealed' });
  await device.db.put({ _id: 'first' });
  await time.run(sync.synced());
  expect(sync.status()).not.toHaveProperty('movedTo');
  const shown: unknown[] = [];
  sync.onStatus(({ movedTo }) => void shown.push(movedTo));
  gateway.movedTo = OTHER;
  gateway.restart();
  await time.until(() => sync.status().movedTo !== undefined);
  await device.db.put({ _id: 'second' });
  await time.run(sync.synced());
  await time.pass(60_000);
  expect(sync.status()).toEqual({ state: 'in-sync', toSend: 0, toFetch: 0, movedTo: OTHER, keys: 1 });
  expect(shown.at(-1)).toEqual(OTHER);
  expect([...gateway.ledgers.keys()].join()).not.toContain(OTHER.ledger);
  const keys = [...gateway.ledgers.values()].flatMap((ledger) => [...ledger.keys]);
  expect(keys.filter((key) => key.startsWith('z'))).toEqual([]);

  gateway.movedTo = undefined;
  gateway.restart();
  await time.until(() => sync.status().movedTo === undefined);
});

test('[S16] rejects a successor whose kind is not the one that the user confirmed', async () => {
  const { time, gateway, replica } = world();
  const device = replica();
  const sync = await device.attach({ kind: 'open-key' });
  await device.db.put({ _id: 'secret' });
  await time.run(sync.synced());
  await time.run(sync.detach());
  gateway.kind = 'open-key';
  const next = await device.attach({ ledger: 'successor', kind: 'sealed' });
  await time.until(() => next.status().state === 'refused');
  expect(next.status().error).toMatchObject({ code: 'LEDGER_KIND' });
  await time.pass(60_000);
  const successor = [...gateway.ledgers].find(([id]) => id.includes('successor'))?.[1];
  expect([successor?.keys.size ?? 0, successor?.entries.size ?? 0]).toEqual([0, 0]);
});
