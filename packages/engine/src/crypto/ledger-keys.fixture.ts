/** Creates devices of a sealed ledger, and the list that the gateway keeps for them. */
import type { LedgerDeviceEntry } from '@fixpoint/protocol/storage';
import { utf8 } from '../base/bytes.ts';
import { memoryStore } from '../platform/memory-store.ts';
import { seededRandom } from '../testing/seeded-random.ts';
import { type LedgerKeys, openLedgerKeys } from './ledger-keys.ts';
import { objectName, openObject, sealObject } from './sealed-object.ts';

export const ledger = utf8('ledger');

export function keyWorld(seed: number, where = ledger) {
  const random = seededRandom(seed);
  const list = new Set<string>();
  const reports: unknown[] = [];
  async function device(values = new Map<string, Uint8Array>()) {
    const store = memoryStore(values);
    const keys = await openLedgerKeys({
      followsLogs: true,
      ledger: where,
      random,
      prefix: 'p/',
      rows: await store.readPrefix('p/'),
      save: async (rows) => void (await store.write(rows)),
      reread: () => store.readPrefix('p/'),
      report: (error) => void reports.push(error),
    });
    return { keys, values };
  }
  const world = {
    random,
    list,
    reports,
    device,
    put: (...records: readonly string[]) => {
      for (const record of records) list.add(record);
    },
    hear: async (...all: readonly LedgerKeys[]) => {
      for (const keys of all) await keys.learn([...list]);
    },
    founded: async () => {
      const first = await device();
      world.put(...(await first.keys.create()));
      await world.hear(first.keys);
      return first;
    },
    joined: async (by: LedgerKeys) => {
      const made = await device();
      world.put(made.keys.announcement());
      await world.hear(by);
      world.put(...(await by.grant(made.keys.code())));
      await world.hear(made.keys, by);
      return made;
    },
    rotate: async (by: LedgerKeys, ...others: readonly LedgerKeys[]) => {
      world.put(...(await by.rotate([])));
      await world.hear(by, ...others);
    },
    seal: (keys: LedgerKeys, text: string) => sealObject(where, 'car', utf8(text), keys.current(), random),
    opens: (keys: LedgerKeys, sealed: Uint8Array) =>
      openObject(where, 'car', objectName(sealed), sealed, keys.all()).then(
        () => true,
        () => false,
      ),
  };
  return world;
}

/** Returns the gateway's report that people with access made these announcements. */
export const saidOf = (
  announcements: readonly string[],
  entry: Partial<LedgerDeviceEntry> = {},
): readonly LedgerDeviceEntry[] =>
  announcements.map((text) => ({
    pub: Buffer.from(text.slice(3), 'base64url').subarray(-65).toString('base64url'),
    ...entry,
  }));
