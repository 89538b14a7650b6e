/**
 * Lists the entries of a ledger that clients can read and whose objects the store has. Withholds
 * the others and reports them to clients, so that a device that has the objects uploads them again.
 * Lists an entry again as soon as its objects are back.
 *
 * Each page is checked before it is sent. The rest of the ledger is checked at most every ten
 * seconds, while clients read or follow it. When the object store doesn't answer, entries keep
 * their state.
 */
import type { HintBus } from '../../bus/hint-bus.ts';
import type { Db } from '../../tables/connection.ts';
import { namedFiles } from '../../tables/sync/ledger-objects.ts';
import {
  type LedgerId,
  type ListedMeta,
  type MetaPage,
  newestMetas,
  type Place,
  readMetas,
} from '../../tables/sync/meta-rows.ts';
import {
  type EntryNeeds,
  faultyObjects,
  markChecked,
  readWithheld,
  release,
  type Why,
  type WithheldMeta,
  withhold,
} from '../../tables/sync/withheld-rows.ts';
import type { Presence } from '../content/presence.ts';
import { type EntryContent, readEntry } from '../content/read-entry.ts';

const LOOK_MS = 10_000;
/**
 * Number of newest entries that a check reads. They refer to all objects that older entries need.
 */
const LOOKED_AT = 200;
const FILES_LOOKED_AT = 1000;
const WITHHELD_MAX = 100;
/** The only index name that clients of this protocol use. */
const INDEX = 'idx';

export interface Listing extends MetaPage {
  readonly withheld: readonly WithheldMeta[];
  /** Objects of files that are missing or damaged. Entries are listed even if these are missing. */
  readonly missingFiles: readonly string[];
}

export interface Listings {
  /** Returns a page of listed entries: see `readMetas`. */
  read(id: LedgerId, place: number | Place, limit: number): Promise<Listing>;
  /** Checks the ledger if a check is due. Resolves to whether something changed. */
  look(id: LedgerId): Promise<boolean>;
  /** Checks the ledger now, after an upload, a removal or a report. */
  changed(id: LedgerId): Promise<void>;
  /**
   * Checks the ledger after an upload, if the uploaded file was missing or an entry waits for
   * objects.
   */
  settle(id: LedgerId, name: string): Promise<void>;
}

export interface ListingsParts {
  readonly db: Db;
  readonly presence: Presence;
  readonly bus: Pick<HintBus, 'publish'>;
  readonly now: () => number;
  readonly report: (error: unknown) => void;
  /** Milliseconds for which an object counts as present after a lookup found it. */
  readonly presenceMs: number;
}

interface Looked {
  at: number;
  running: Promise<boolean> | undefined;
  missingFiles: readonly string[];
}

const LEDGERS_MAX = 10_000;

export function createListings(parts: ListingsParts): Listings {
  const { db, now, report, bus } = parts;
  const known = new Map<string, Looked>();

  function stateOf({ ledger }: LedgerId): Looked {
    const state = known.get(ledger) ?? { at: Number.NEGATIVE_INFINITY, running: undefined, missingFiles: [] };
    known.delete(ledger);
    known.set(ledger, state);
    if (known.size > LEDGERS_MAX) for (const oldest of known.keys()) if (known.delete(oldest)) break;
    return state;
  }

  async function lookThrough(id: LedgerId, state: Looked): Promise<boolean> {
    try {
      const faulty = await faultyObjects(db, id.ledger);
      const newest = await newestMetas(db, id.ledger, LOOKED_AT);
      const dropped = await inspect(parts, id, newest, faulty);
      const back = await releaseWhole(parts, id, faulty);
      const files = await missingOf(parts, id, await namedFiles(db, id.ledger, FILES_LOOKED_AT), faulty);
      const isNews = [...files].sort().join() !== state.missingFiles.join();
      state.missingFiles = [...files].sort();
      return dropped.size > 0 || back > 0 || isNews;
    } catch (cause) {
      // The store didn't answer, so nothing is known about its objects.
      report(cause);
      return false;
    }
  }

  async function look(id: LedgerId, isDue: boolean): Promise<boolean> {
    const state = stateOf(id);
    const age = now() - state.at;
    if (!isDue && age >= 0 && age < LOOK_MS) return (await state.running) ?? false;
    state.at = now();
    const before = state.running;
    const mine = (async () => {
      await before;
      return lookThrough(id, state);
    })().finally(() => {
      if (state.running === mine) state.running = undefined;
    });
    state.running = mine;
    return mine;
  }

  const changed = async (id: LedgerId) => {
    if (await look(id, true)) bus.publish(id.ledger);
  };

  return {
    look: (id) => look(id, false),
    changed,
    settle: async (id, name) => {
      const isAwaited =
        stateOf(id).missingFiles.includes(name) ||
        (await readWithheld(db, id.ledger, WITHHELD_MAX)).some(({ why }) => why === 'absent');
      if (isAwaited) await changed(id);
    },
    read: async (id, place, limit) => {
      if (await look(id, false)) bus.publish(id.ledger);
      const page = await readMetas(db, id, place, limit);
      const dropped = await inspectPage(parts, id, page.rows);
      if (dropped.size > 0) bus.publish(id.ledger);
      const rows = page.rows.filter(({ entry }) => !dropped.has(entry.cid));
      const withheld = await readWithheld(db, id.ledger, WITHHELD_MAX);
      return { ...page, rows, withheld, missingFiles: stateOf(id).missingFiles };
    },
  };
}

async function inspectPage(
  parts: ListingsParts,
  id: LedgerId,
  rows: readonly ListedMeta[],
): Promise<ReadonlySet<string>> {
  if (rows.length === 0) return new Set();
  try {
    return await inspect(parts, id, rows, await faultyObjects(parts.db, id.ledger));
  } catch (cause) {
    parts.report(cause);
    return new Set();
  }
}

/** Withholds entries that are unreadable or lack objects. Returns their CIDs. */
async function inspect(
  parts: ListingsParts,
  id: LedgerId,
  rows: readonly ListedMeta[],
  faulty: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  const whys = new Map<string, Why>();
  const checked = new Map<string, EntryNeeds>();
  const needs = new Map<string, readonly string[]>();
  for (const { entry, objects, isChecked } of rows) {
    const found = isChecked ? { objects } : await needsOf(parts, id, entry);
    if (found === undefined) whys.set(entry.cid, 'malformed');
    else needs.set(entry.cid, found.objects);
    if (found !== undefined && 'tells' in found) checked.set(entry.cid, found);
  }
  const missing = await missingOf(parts, id, [...needs.values()].flat(), faulty);
  for (const [cid, names] of needs) if (names.some((name) => missing.has(name))) whys.set(cid, 'absent');
  await markChecked(parts.db, id.ledger, checked, parts.now());
  await withhold(parts.db, id.ledger, whys);
  return new Set(whys.keys());
}

/** Returns the objects that an unchecked entry needs; undefined when no client can read it. */
async function needsOf(
  { presence, presenceMs }: ListingsParts,
  id: LedgerId,
  entry: ListedMeta['entry'],
): Promise<EntryNeeds | undefined> {
  const content = readUnlessMalformed(entry);
  if (content === undefined) return undefined;
  const { cars, tells } = content;
  const missing = await presence.missing(
    id,
    cars.map((key) => `car/${key}`),
    presenceMs,
  );
  // Archives of an index are stored separately, and an entry doesn't say whether it belongs to an
  // index.
  const ofIndex = [...missing].map((name) => name.replace('car/', `car.${INDEX}/`));
  const missingToo = await presence.missing(id, ofIndex, presenceMs);
  const found = new Set(ofIndex.filter((name) => !missingToo.has(name)));
  const nameOf = (key: string) => (found.has(`car.${INDEX}/${key}`) ? `car.${INDEX}/${key}` : `car/${key}`);
  return { objects: cars.map(nameOf), tells };
}

function readUnlessMalformed(entry: ListedMeta['entry']): EntryContent | undefined {
  try {
    return readEntry(entry);
  } catch {
    return undefined;
  }
}

async function missingOf(
  { presence, presenceMs }: ListingsParts,
  id: LedgerId,
  names: readonly string[],
  faulty: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  const missing = await presence.missing(id, names, presenceMs);
  return new Set([...missing, ...names.filter((name) => faulty.has(name))]);
}

/** Lists repaired entries again. Returns their number. */
async function releaseWhole(
  parts: ListingsParts,
  id: LedgerId,
  faulty: ReadonlySet<string>,
): Promise<number> {
  const withheld = await readWithheld(parts.db, id.ledger, WITHHELD_MAX);
  const absent = withheld.filter(({ why }) => why === 'absent');
  if (absent.length === 0) return 0;
  const missing = await missingOf(
    parts,
    id,
    absent.flatMap(({ objects }) => objects),
    faulty,
  );
  const whole = absent.filter(({ objects }) => !objects.some((name) => missing.has(name)));
  await release(parts.db, id.ledger, whole.map(({ cid }) => cid).reverse());
  return whole.length;
}
