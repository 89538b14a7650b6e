/** One ledger in in-memory tables, and an object store that a test can fill and break. */

import { carKey, metaEntry, newLedger } from '../../../tests/cloud.fixture.ts';
import { openMemoryDatabase } from '../../admin/memory-database.fixture.ts';
import { putMetas } from '../../tables/sync/put-metas.ts';
import { createCloudTokens, newSigningKey } from '../../tokens/cloud-tokens.ts';
import { createListings } from '../following/listings.ts';
import { createPresence } from './presence.ts';

export async function ledgerWithStore() {
  const db = await openMemoryDatabase();
  const clock = { ms: Date.parse('2026-11-20T12:00:00Z') };
  const now = () => clock.ms;
  const tokens = await createCloudTokens([await newSigningKey()], now);
  const { tenant, ledger, userId } = await newLedger({ db, tokens });
  const id = { tenant, ledger };
  /** Names of objects in the store, such as `car/<key>`. */
  const stored = new Set<string>();
  const lookups: string[] = [];
  const store = { isDown: false };
  const objects = {
    has: async (object: { store: string; key: string; index?: string }) => {
      if (store.isDown) throw new Error('the store does not answer');
      const index = object.index === undefined ? '' : `.${object.index}`;
      const name = `${object.store}${index}/${object.key}`;
      lookups.push(name);
      return stored.has(name);
    },
  };
  const reports: unknown[] = [];
  const published: string[] = [];
  const presence = createPresence(objects as never, now);
  const parts = {
    db,
    presence,
    bus: { publish: (ledgerId: string) => void published.push(ledgerId) },
    now,
    report: (error: unknown) => void reports.push(error),
    presenceMs: 0,
  };
  const listings = createListings(parts);
  const nameOf = (text: string) => `car/${carKey(new Uint8Array(Buffer.from(text)))}`;
  const entryOf = (...texts: string[]) => metaEntry(texts.map((text) => nameOf(text).slice(4)));
  /** Puts entries without any check, each with a separate writer. */
  const put = async (...entries: ReturnType<typeof metaEntry>[]) => {
    for (const entry of entries)
      await putMetas(db, id, JSON.stringify([userId, entry.cid]), { metas: [entry], keys: [] }, clock.ms);
  };
  return {
    ...{
      db,
      tokens,
      id,
      ledger,
      userId,
      clock,
      now,
      stored,
      store,
      lookups,
      objects,
      reports,
      published,
      presence,
    },
    ...{ listings, nameOf, entryOf, put },
  };
}
