import { fixpoint, toCloud } from 'fixpoint';
import { describe, expect, test } from 'vitest';
import {
  type Ledger,
  newLedger,
  temporaryFolder,
  testCloud,
} from '../../packages/cloud/tests/cloud.fixture.ts';

async function replica(url: string, { tenant, ledger, token }: Ledger) {
  const db = fixpoint('notes', { directory: await temporaryFolder() });
  const attached = await db.attach(toCloud({ base: url, tenant, ledger, token }));
  return { db, attached };
}

const idsOf = async ({ db }: Awaited<ReturnType<typeof replica>>) =>
  (await db.allDocs()).rows.map(({ key }) => key).sort();

describe('databases over the gateway', () => {
  test('[R13] converges two databases that wrote while disconnected, and a third that joins late', async () => {
    const cloud = await testCloud();
    const notes = await newLedger(cloud);
    const [a, b] = [await replica(cloud.url, notes), await replica(cloud.url, notes)];
    for (let index = 0; index < 10; index++) {
      await a.db.put({ _id: `a${index}`, from: 'a' });
      await b.db.put({ _id: `b${index}`, from: 'b' });
    }
    await expect.poll(() => idsOf(a)).toHaveLength(20);
    await expect.poll(() => idsOf(b)).toEqual(await idsOf(a));
    await expect.poll(() => a.db.head()).toEqual(await b.db.head());
    const late = await replica(cloud.url, notes);
    await expect.poll(() => idsOf(late)).toEqual(await idsOf(a));
    for (const { db, attached } of [a, b, late]) {
      await attached.detach();
      await db.close();
    }
  });
});
