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

/**
 * Returns a database with a conflict of the document milk, which other documents may follow. The
 * other device can write again, and `meet` syncs both.
 */
export async function withConflict(more: readonly object[] = [], litres: readonly unknown[] = [2, 3]) {
  const { database, other, meet } = await twoDevices();
  await database.put({ _id: 'milk', litres: 1 });
  await meet();
  await database.put({ _id: 'milk', litres: litres[0] });
  await other.put({ _id: 'milk', litres: litres[1] });
  await meet();
  for (const doc of more) await database.put(doc);
  return { database, other, meet, seen: (await database.conflicts('milk')) as DocumentConflicts };
}

/** Returns a database without conflicts. The next `meet` begins a conflict of milk. */
export async function beforeConflict() {
  const { database, other, meet } = await twoDevices();
  await database.put({ _id: 'milk', litres: 1 });
  await meet();
  await database.put({ _id: 'milk', litres: 2 });
  await other.put({ _id: 'milk', litres: 3 });
  return { database, meet };
}

/** Returns a database in which the deletion of milk won over a change on the other device. */
export async function withDeletion() {
  const { database, other, meet } = await twoDevices();
  await database.put({ _id: 'milk', litres: 1 });
  await meet();
  await other.put({ _id: 'milk', litres: 3 });
  // Among concurrent writes, the one with fewer later commits wins. Reading the head commits.
  await other.head();
  await other.put({ _id: 'rice' });
  await database.del('milk');
  await meet();
  return { database, seen: (await database.conflicts('milk')) as DocumentConflicts };
}
