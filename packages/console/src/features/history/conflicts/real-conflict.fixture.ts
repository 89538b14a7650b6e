import type { DocumentConflicts } from 'fixpoint';
import type { BridgedDatabase } from 'fixpoint/bridge';
import { rowsOf } from 'fixpoint/rows';
import { fakeCloud, memoryDatabase } from 'fixpoint/testing';
import { onTestFinished } from 'vitest';

/** Returns a database of two devices that sync on request. The second one can write, too. */
async function twoDevices() {
  const cloud = fakeCloud();
  const [own, other] = [memoryDatabase(), memoryDatabase()];
  onTestFinished(async () => void (await Promise.all([own.destroy(), other.destroy()])));
  const meet = async () => {
    for (const one of [own, other, own]) {
      const attached = await one.attach(cloud.remote());
      await attached.synced();
      await attached.detach();
    }
  };
  const database: BridgedDatabase = Object.assign(own, { rows: rowsOf(own) });
  return { database, other, meet };
}

/** Returns a database with a conflict of the document milk, which other documents may follow. */
export async function withConflict(more: readonly object[] = []) {
  const { database, other, meet } = await twoDevices();
  await database.put({ _id: 'milk', litres: 1 });
  await meet();
  await database.put({ _id: 'milk', litres: 2 });
  await other.put({ _id: 'milk', litres: 3 });
  await meet();
  for (const doc of more) await database.put(doc);
  return { database, seen: (await database.conflicts('milk')) as DocumentConflicts };
}
