/** Clients that write while faults occur, and the archives that the tables refer to afterwards. */
import { expect } from 'vitest';
import { tablesOf } from '../../packages/cloud/tests/cloud.fixture.ts';
import { seededRandom } from '../../packages/engine/src/testing/seeded-random.ts';
import { seed } from '../../packages/engine/tests/budget.fixture.ts';
import { type Arranged, type Client, shown, untilEqual } from './hurried.fixture.ts';

/** Starts three clients. Records the ids of all documents that they write. */
export async function writers({ client }: Arranged, url: string) {
  const clients: Client[] = [];
  for (let n = 0; n < 3; n++) clients.push(await client(url));
  const ids: string[] = [];
  const random = seededRandom(seed());
  const write = async (text: string, count: number) => {
    for (let n = 0; n < count; n++) {
      const { db } = clients[random.below(clients.length)] as Client;
      const _id = `${text} ${ids.length}`;
      await db.put({ _id, text: 'x'.repeat(random.below(3000)) });
      ids.push(_id);
      await new Promise((resolve) => setTimeout(resolve, random.below(40)));
    }
  };
  /** Expects that all clients, and a new client, have every document. */
  const expectAll = async () => {
    await untilEqual(clients);
    const late = await client(url);
    await untilEqual([...clients, late]);
    expect(await shown(late)).toEqual(ids.slice().sort());
  };
  return { clients, random, write, expectAll };
}

/** Returns the CIDs of the archives that the entries of an open-key ledger refer to. */
export async function namedArchives({ data, notes }: Arranged, databaseUrl?: string): Promise<Set<string>> {
  const { db } = await tablesOf(data, databaseUrl);
  const rows = await db.selectFrom('Metas').select('entry').where('ledgerId', '=', notes.ledger).execute();
  await db.destroy();
  const texts = rows.map(({ entry }) => Buffer.from(JSON.parse(entry).data.slice(1), 'base64'));
  const named = texts.flatMap((text) => [...text.toString('latin1').matchAll(/"\/":"([a-z2-7]+)"/g)]);
  return new Set(named.map(([, cid = '']) => cid));
}
