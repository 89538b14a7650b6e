/**
 * Opens a sealed ledger and its devices, as the version of 2026-11-22 wrote them. The ledger has 65
 * keys, and a grant of that version contains 60 of these keys.
 */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { utf8 } from '../../src/base/bytes.ts';
import { keyWorld } from '../../src/crypto/ledger-keys.fixture.ts';

interface Golden {
  readonly ledger: string;
  readonly keys: readonly string[];
  readonly sealed: readonly { readonly text: string; readonly body: string }[];
  readonly current: string;
  readonly recoveryCode: string;
  readonly askingCode: string;
  readonly rows: Readonly<Record<'first' | 'second' | 'offline' | 'asking', Record<string, string>>>;
}
const golden = JSON.parse(readFileSync(new URL('sealed-ledger.json', import.meta.url), 'utf8')) as Golden;

async function goldenWorld() {
  const world = keyWorld(31, utf8(golden.ledger));
  world.put(...golden.keys);
  const device = async (name: keyof Golden['rows']) => {
    const rows = Object.entries(golden.rows[name]);
    const made = await world.device(
      new Map(rows.map(([key, text]) => [key, new Uint8Array(Buffer.from(text, 'base64'))])),
    );
    await world.hear(made.keys);
    return made.keys;
  };
  const opensAll = async (keys: Awaited<ReturnType<typeof device>>) => {
    for (const { text, body } of golden.sealed)
      expect([text, await world.opens(keys, new Uint8Array(Buffer.from(body, 'base64')))]).toEqual([
        text,
        true,
      ]);
  };
  return { world, device, opensAll };
}

test('[R17] opens a golden sealed ledger, approves a waiting device, recovers a second device, and continues', async () => {
  const { world, device, opensAll } = await goldenWorld();
  const [first, second, offline, asking] = [
    await device('first'),
    await device('second'),
    await device('offline'),
    await device('asking'),
  ];
  for (const keys of [first, second, offline]) {
    expect(keys.current().name).toBe(golden.current);
    await opensAll(keys);
  }
  expect(asking.isApproved()).toBe(false);
  expect(asking.code()).toBe(golden.askingCode);
  world.put(...(await first.grant(golden.askingCode)));
  const saved = (await world.device()).keys;
  await world.hear(saved);
  world.put(saved.announcement(), ...(await saved.recover(golden.recoveryCode)));
  await world.hear(first, second, asking, saved);
  for (const keys of [asking, saved]) await opensAll(keys);

  world.put(...(await first.links()));
  await world.rotate(first, second, offline, asking, saved);
  expect(first.current().name).not.toBe(golden.current);
  const { keys: fresh } = await world.joined(first);
  const found = await first.supersededRecords();
  expect(found?.superseded.length).toBeGreaterThan(60);
  world.put(...(found?.first ?? []));
  for (const text of found?.superseded ?? []) world.list.delete(text);
  const { keys: late } = await world.joined(first);
  const again = await device('offline');
  for (const keys of [second, offline, asking, saved, fresh, late, again]) {
    await world.hear(keys);
    expect(keys.current().name).toBe(first.current().name);
    await opensAll(keys);
  }
});
