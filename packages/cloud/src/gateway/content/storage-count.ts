/** Counts the stored bytes of tenants, and admits uploads within their byte quotas. */
import type { ObjectCare } from '../../objects/object-guard.ts';
import type { StoredObjects } from '../../objects/stored-objects.ts';
import type { Db } from '../../tables/connection.ts';
import {
  type CountedObject,
  countedSize,
  countNewObject,
  countObject,
  type Usage,
  usageOf,
} from '../../tables/operators/object-sizes.ts';

export interface StorageCount extends Pick<ObjectCare, 'admit' | 'counted'> {
  /** Called after an object was removed. */
  removed(path: string): Promise<void>;
}

export function createStorageCount(db: Db, stored: Pick<StoredObjects, 'bytesAt'>): StorageCount {
  /** Bytes of uploads that are running in this process, by tenant. */
  const running = new Map<string, number>();
  const add = (tenant: string, bytes: number) => {
    const sum = (running.get(tenant) ?? 0) + bytes;
    if (sum === 0) running.delete(tenant);
    else running.set(tenant, sum);
  };
  const measure = (path: string) => () => stored.bytesAt(path);
  return {
    admit: async (path, bytes) => {
      const object = objectAt(path);
      const { tenant } = object;
      add(tenant, bytes);
      try {
        const usage = await usageOf(db, tenant);
        const refused = refusalOf(usage, running.get(tenant) ?? 0, bytes);
        const counted = refused === undefined ? undefined : await countedSize(db, object);
        if (refused !== undefined) add(tenant, -bytes);
        const end = () => (refused === undefined ? add(tenant, -bytes) : undefined);
        return { refused, countedBytes: counted?.bytes ?? 0, end };
      } catch (cause) {
        add(tenant, -bytes);
        throw cause;
      }
    },
    counted: async (path, bytes, isNew) => {
      const object = objectAt(path);
      if (isNew) return countNewObject(db, object, bytes, measure(path));
      // The process that stored the object may have ended before it counted it.
      if ((await countedSize(db, object)) === undefined) await countObject(db, object, measure(path));
    },
    removed: (path) => countObject(db, objectAt(path), measure(path)),
  };
}

function objectAt(path: string): CountedObject {
  const [tenant = '', ledger = '', ...rest] = path.split('/');
  return { tenant, ledger, name: rest.join('/') };
}

/** Returns why an upload doesn't fit, in words that its sender reads. */
function refusalOf({ bytes, maxBytes }: Usage, runningBytes: number, ofUpload: number): string | undefined {
  if (maxBytes === undefined || bytes + runningBytes <= maxBytes) return undefined;
  return `this tenant stores ${sizeText(bytes)} of ${sizeText(maxBytes)}, and an upload of ${sizeText(ofUpload)} doesn't fit; the operator of the server can raise the quota`;
}

const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB', 'PB'];

/** Returns a size in decimal units, such as `912 MB`. */
export function sizeText(bytes: number): string {
  const step = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), UNITS.length - 1);
  const value = bytes / 1000 ** step;
  return `${Number(value.toFixed(step === 0 || value >= 100 ? 0 : 1))} ${UNITS[step]}`;
}
