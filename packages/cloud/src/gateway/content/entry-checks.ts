/**
 * Checks entries before the gateway stores them: clients must be able to read the entries, and the
 * object store must have all objects that a reader needs.
 */
import { FieldError, FixpointError, isFixpointError } from '@fixpoint/protocol';
import type { MetaEntry, RequestOf } from '@fixpoint/protocol/storage';
import { removalsOf } from '../../tables/sync/ledger-objects.ts';
import type { LedgerId } from '../../tables/sync/meta-rows.ts';
import type { PutMetas } from '../../tables/sync/put-metas.ts';
import { type EntryNeeds, faultyObjects } from '../../tables/sync/withheld-rows.ts';
import { metaUrlParam } from '../echo.ts';
import type { GatewayParts } from '../gateway-types.ts';
import { objectOfName } from './presence.ts';
import { type EntryContent, readEntry } from './read-entry.ts';

const OBJECTS_MAX = 2000;
const TRIES_MAX = 5;
/** Maximum number of missing objects that an error lists. */
const TOLD_MAX = 100;
/**
 * Maximum age of a cached lookup of an object that the client lists. If such an object disappears
 * within this time, a later listing notices.
 */
const NAMED_BEFORE_MS = 60_000;

type Checks = Pick<PutMetas, 'needs' | 'files' | 'removals'>;

/**
 * Checks entries, then calls `store` with the results. Repeats the check when an object was removed
 * while it ran.
 * @throws FixpointError REQUEST_INVALID, MISSING_CARS, STORE_FAILED, and errors of `store`
 */
export async function withEntryChecks<T>(
  parts: Pick<GatewayParts, 'db' | 'objects' | 'presence'>,
  id: LedgerId,
  request: RequestOf<'reqPutMeta'>,
  store: (checks: Checks) => Promise<T>,
): Promise<T> {
  const { metas } = request.meta;
  if (metas.length === 0) return store({});
  const contents = metas.map(readOrRefuse);
  const told = toldObjects(id, request.objects);
  for (let tries = 1; ; tries += 1) {
    const removals = await removalsOf(parts.db, id.ledger);
    const needs = await requireObjects(parts, id, request, contents, told);
    try {
      return await store({ needs, files: told.files, removals });
    } catch (cause) {
      if (tries >= TRIES_MAX || !isOutdated(cause)) throw cause;
    }
  }
}

const isOutdated = (cause: unknown): boolean =>
  isFixpointError(cause, 'MISSING_CARS') && (cause.cause as { isOutdated?: unknown })?.isOutdated === true;

/** @throws FixpointError REQUEST_INVALID with the index of the entry, its CID, and the reason */
function readOrRefuse(entry: MetaEntry, index: number): EntryContent {
  try {
    return readEntry(entry);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new FieldError(`meta.metas.${index}`, `(${entry.cid}): ${why}`, { cause });
  }
}

interface Told {
  /** Archives that the client listed; undefined when the request has no list. */
  readonly cars: readonly string[] | undefined;
  readonly files: readonly string[];
}

/** @throws FixpointError REQUEST_INVALID */
function toldObjects(id: LedgerId, objects: readonly string[] | undefined): Told {
  if (objects === undefined) return { cars: undefined, files: [] };
  if (objects.length > OBJECTS_MAX) throw new FieldError('objects', `must have at most ${OBJECTS_MAX} names`);
  const wrong = objects.findIndex((name) => objectOfName(id, name) === undefined);
  if (wrong !== -1) throw new FieldError(`objects.${wrong}`, 'must be car/<key> or file/<key>');
  return {
    cars: objects.filter((name) => name.startsWith('car')),
    files: objects.filter((name) => name.startsWith('file')),
  };
}

/**
 * Returns the objects that each entry needs.
 * @throws FixpointError MISSING_CARS, STORE_FAILED
 */
async function requireObjects(
  { db, presence }: Pick<GatewayParts, 'db' | 'presence'>,
  id: LedgerId,
  request: RequestOf<'reqPutMeta'>,
  contents: readonly EntryContent[],
  told: Told,
): Promise<ReadonlyMap<string, EntryNeeds>> {
  const { index } = metaUrlParam(request);
  const indexed = typeof index === 'string' && index !== '' ? index : undefined;
  const named = [...new Set(contents.flatMap(({ cars }) => cars))];
  const faulty = await faultyObjects(db, id.ledger);
  const notThere = async (names: readonly string[], ageMs: number) => {
    const missing = await presence.missing(id, names, ageMs);
    return new Set(names.filter((name) => missing.has(name) || faulty.has(name)));
  };
  const missing = await notThere(
    named.map((key) => `car/${key}`),
    0,
  );
  const apart =
    indexed === undefined ? [] : [...missing].map((name) => name.replace('car/', `car.${indexed}/`));
  const missingToo = await notThere(apart, 0);
  const found = new Set(apart.filter((name) => !missingToo.has(name)));
  const nameOf = (key: string) =>
    found.has(`car.${indexed}/${key}`) ? `car.${indexed}/${key}` : `car/${key}`;
  const direct = named.map(nameOf).filter((name) => missing.has(name));
  const others = await notThere([...(told.cars ?? []), ...told.files], NAMED_BEFORE_MS);
  const lacking = [...new Set([...direct, ...others])];
  if (lacking.length > 0) throw missingObjects(lacking);
  const tellsAll = told.cars !== undefined;
  return new Map(
    request.meta.metas.map(({ cid }, at) => {
      const { cars = [], tells = 'nothing' } = contents[at] ?? {};
      const objects = [...new Set([...cars.map(nameOf), ...(told.cars ?? [])])];
      return [cid, { objects, tells: tellsAll ? 'all' : tells }];
    }),
  );
}

function missingObjects(names: readonly string[]): FixpointError {
  const objects = names.slice(0, TOLD_MAX);
  return new FixpointError('MISSING_CARS', objects.join(', '), { cause: { objects } });
}
