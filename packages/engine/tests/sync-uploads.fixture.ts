/** Uploads documents one after another, and reads the headers at the remote. */
import { type ArchiveHeader, readArchiveHeader } from '../src/archive/pack.ts';
import { parseKeyText } from '../src/crypto/keys.ts';
import { open } from '../src/crypto/seal.ts';
import type { ArchiveGroup } from '../src/sync/ledger/ledger-sealing.ts';
import { decodeMetaEntry } from '../src/sync/ledger/meta-entry-codec.ts';
import type { Attached } from '../src/sync/remote.ts';
import { OBJECTS, type TestGateway } from '../src/testing/memory-gateway.ts';
import type { Replica, World } from './sync-world.fixture.ts';

/** Returns the groups of all metas in the ledger, newest last. */
export async function groupsAt({ ledgers }: TestGateway): Promise<ArchiveGroup[]> {
  const entries = [...(ledgers.get('t/l')?.entries.values() ?? [])].map(({ entry }) => entry);
  return entries.map((entry) => decodeMetaEntry({ ...entry, parents: [...entry.parents] }).group);
}

/** Returns the headers of all groups in the ledger. */
export async function headersAt(gateway: TestGateway): Promise<ArchiveHeader[]> {
  const { ledgers, objects } = gateway;
  const keys = new Map([...(ledgers.get('t/l')?.keys ?? [])].map(parseKeyText).map((key) => [key.id, key]));
  return Promise.all(
    (await groupsAt(gateway)).map(async ([cid]) => {
      const body = objects.get(`${OBJECTS}t/l/car/${cid}`) ?? new Uint8Array();
      return readArchiveHeader(await open(body, keys));
    }),
  );
}

/** Writes `count` documents. Each document is sent before the next one is written. */
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
