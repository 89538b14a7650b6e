/** Uploads one after another, and the headers that come of them. */
import { type ArchiveHeader, readArchiveHeader } from '../src/archive/pack.ts';
import { parseKeyText } from '../src/crypto/keys.ts';
import { open } from '../src/crypto/seal.ts';
import { decodeMetaEntry } from '../src/sync/meta-entry.ts';
import type { Attached } from '../src/sync/remote.ts';
import { OBJECTS, type TestGateway } from './sync-gateway.fixture.ts';
import type { Replica, World } from './sync-world.fixture.ts';

/** The headers that the metas of the ledger name, the newest last. */
export async function headersAt({ ledgers, objects }: TestGateway): Promise<ArchiveHeader[]> {
  const ledger = ledgers.get('t/l');
  const keys = new Map([...(ledger?.keys ?? [])].map(parseKeyText).map((key) => [key.id, key]));
  const entries = [...(ledger?.entries.values() ?? [])].map(({ entry }) => entry);
  return Promise.all(
    entries.map(async (entry) => {
      const [cid] = decodeMetaEntry({ ...entry, parents: [...entry.parents] });
      const body = objects.get(`${OBJECTS}t/l/car/${cid}`) ?? new Uint8Array();
      return readArchiveHeader(await open(body, keys));
    }),
  );
}

/** Writes one document after another, each sent before the next. */
export async function upload(
  { time }: World,
  { db }: Replica,
  sync: Attached,
  name: string,
  count: number,
): Promise<void> {
  for (let n = 0; n < count; n++) {
    await db.put({ _id: `${name}-${n % 40}`, n });
    await time.run(sync.synced());
  }
}
