/**
 * Protects the objects of ledgers, based on the entries in the tables. Never removes an object that
 * an entry needs, and replaces damaged bytes only with the right bytes.
 */
import type { ObjectCare } from '../../objects/object-guard.ts';
import type { ObjectStore } from '../../objects/object-store.ts';
import type { Db } from '../../tables/connection.ts';
import type { Traffic } from '../../tables/operators/traffic.ts';
import { readKeys } from '../../tables/sync/ledger-key-rows.ts';
import { removeUnnamed } from '../../tables/sync/ledger-objects.ts';
import type { LedgerId } from '../../tables/sync/meta-rows.ts';
import { clearFaulty, faultyObjects, markFaulty } from '../../tables/sync/withheld-rows.ts';
import type { Listings } from '../following/listings.ts';
import { keyIdsOf } from '../keys/key-ids.ts';
import { checkContent } from './check-content.ts';
import { objectOfName, type Presence } from './presence.ts';
import type { StorageCount } from './storage-count.ts';

export interface CareParts {
  readonly db: Db;
  readonly presence: Presence;
  readonly listings: Listings;
  readonly count: StorageCount;
  readonly traffic: Pick<Traffic, 'add'>;
  readonly now: () => number;
  readonly report: (error: unknown) => void;
}

const placeOf = (path: string): { readonly id: LedgerId; readonly name: string } => {
  const [tenant = '', ledger = '', ...rest] = path.split('/');
  return { id: { tenant, ledger }, name: rest.join('/') };
};

export function createObjectCare(parts: CareParts): ObjectCare {
  const { db, presence, listings, count, traffic, now, report } = parts;
  const isFaulty = async (id: LedgerId, name: string) => (await faultyObjects(db, id.ledger)).has(name);
  return {
    admit: count.admit,
    counted: async (path, bytes, isNew) => {
      // The object is already stored. The next upload of it counts it.
      await count.counted(path, bytes, isNew).catch(report);
    },
    transferred: (path, direction, bytes) => traffic.add(placeOf(path).id.tenant, direction, bytes),
    remove: async (path, remove) => {
      const { id, name } = placeOf(path);
      const outcome = await removeUnnamed(db, id.ledger, name, now(), remove);
      presence.forget(id, name);
      if (outcome !== 'kept') await count.removed(path).catch(report);
      return outcome;
    },
    content: async (path, bytes) => {
      const { id, name } = placeOf(path);
      return checkContent(name.slice(name.indexOf('/') + 1), bytes, await readKeys(db, id.ledger));
    },
    isSuspect: async (path) => {
      const { id, name } = placeOf(path);
      return isFaulty(id, name);
    },
    stored: async (path, isRight) => {
      const { id, name } = placeOf(path);
      try {
        if ((await isFaulty(id, name)) && (await isRight())) await clearFaulty(db, id.ledger, name);
        await listings.settle(id, name);
      } catch (cause) {
        // The object is already stored. The next check of the ledger finds it.
        report(cause);
      }
    },
    missing: (path) => {
      const { id, name } = placeOf(path);
      presence.forget(id, name);
      listings.changed(id).catch(report);
    },
  };
}

/** Checks objects that a client reported as absent or damaged, and records the faulty ones. */
export async function checkReported(
  { db, presence, listings, now }: Pick<CareParts, 'db' | 'presence' | 'listings' | 'now'>,
  objects: ObjectStore,
  id: LedgerId,
  names: readonly string[],
): Promise<void> {
  let isNews = false;
  const known = await faultyObjects(db, id.ledger);
  for (const name of new Set(names)) {
    const object = objectOfName(id, name);
    if (object === undefined || known.has(name)) continue;
    presence.forget(id, name);
    const bytes = await objects.read(object, () => keyIdsOf(db, id.ledger));
    const isThere = bytes !== undefined || (await objects.has(object));
    const isWrong =
      bytes === undefined
        ? isThere
        : checkContent(object.key, bytes, await readKeys(db, id.ledger)) === 'wrong';
    if (isWrong) await markFaulty(db, id.ledger, name, now());
    isNews ||= isWrong || !isThere;
  }
  if (isNews) await listings.changed(id);
}
