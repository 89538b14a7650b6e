import { isApplicationOrigin } from '../tables/applications/application-rows.ts';
import type { Connection } from '../tables/connection.ts';

/** Milliseconds for which another server of this cloud may not notice a change. */
const CACHE_MS = 5000;
const ENTRIES_MAX = 1000;
/** Longer than every registered origin. */
const ORIGIN_CHARS_MAX = 2048;

/** Knows the origins of registered applications. Senders can claim any origin. */
export interface ApplicationOrigins {
  /** Returns whether an application has this origin; undefined if that needs a lookup. */
  cached(origin: string): boolean | undefined;
  /** Returns whether an application has this origin. */
  has(origin: string): Promise<boolean>;
  /** Clears the cache after a possible change. */
  forget(): void;
}

export function createApplicationOrigins(
  db: Connection,
  now: () => number,
  entriesMax = ENTRIES_MAX,
): ApplicationOrigins {
  const known = new Map<string, { readonly at: number; readonly isKnown: boolean }>();
  let changes = 0;
  const cached = (origin: string) => {
    if (origin.length > ORIGIN_CHARS_MAX) return false;
    const found = known.get(origin);
    const age = found === undefined ? Number.POSITIVE_INFINITY : now() - found.at;
    return age >= 0 && age < CACHE_MS ? found?.isKnown : undefined;
  };
  return {
    cached,
    forget: () => {
      changes += 1;
      known.clear();
    },
    has: async (origin) => {
      const before = cached(origin);
      if (before !== undefined) return before;
      const [at, then] = [now(), changes];
      const isKnown = await isApplicationOrigin(db, origin);
      // The lookup may have read the tables before a change.
      if (then !== changes) return isKnown;
      known.delete(origin);
      const [oldest] = known.keys();
      if (known.size >= entriesMax && oldest !== undefined) known.delete(oldest);
      known.set(origin, { at, isKnown });
      return isKnown;
    },
  };
}
