/**
 * Counts the objects that were stored before this server counted bytes. Runs once, in the
 * background. Objects that no entry names aren't found; there are few of them.
 */
import type { StoredObjects } from '../objects/stored-objects.ts';
import type { Db } from '../tables/connection.ts';
import { hasMark, markOf } from '../tables/first-writer-rows.ts';
import { listLedgersAfter } from '../tables/ledgers/ledger-rows.ts';
import { countedSize, countObject } from '../tables/operators/object-sizes.ts';
import { allNamedObjects } from '../tables/sync/ledger-objects.ts';

const MARK = 'stored bytes counted';
const AT_ONCE = 100;

export interface CountParts {
  readonly db: Db;
  readonly stored: Pick<StoredObjects, 'bytesAt'>;
  readonly isStopping: () => boolean;
}

export async function countExistingObjects({ db, stored, isStopping }: CountParts): Promise<void> {
  if (await hasMark(db, MARK)) return;
  let after = '';
  for (;;) {
    const ledgers = await listLedgersAfter(db, after, AT_ONCE);
    const last = ledgers.at(-1);
    if (last === undefined) break;
    for (const { tenantId: tenant, ledgerId: ledger } of ledgers)
      for (const name of await allNamedObjects(db, ledger)) {
        if (isStopping()) return;
        const object = { tenant, ledger, name };
        const measure = () => stored.bytesAt(`${tenant}/${ledger}/${name}`);
        if ((await countedSize(db, object)) === undefined) await countObject(db, object, measure);
      }
    after = last.ledgerId;
  }
  await markOf(db, MARK, 'done');
}
