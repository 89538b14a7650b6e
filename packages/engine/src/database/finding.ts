/** Finds documents by conditions, with the declared indexes, and answers queries. */
import { checkLimit } from '../base/check-options.ts';
import { createPace } from '../base/pace.ts';
import type { Snapshot } from '../commit/snapshot.ts';
import { saysDeleted } from '../documents/encode.ts';
import { indexPartsOf } from '../find/candidates.ts';
import { cursorOf } from '../find/cursor.ts';
import { BY_RANK, type FindOptions, parseFind, type Search } from '../find/find-options.ts';
import type { FindParts } from '../find/find-parts.ts';
import { findPlaces } from '../find/find-places.ts';
import { requireTextIndex } from '../find/find-text.ts';
import { type Fields, type GroupOptions, groupsOf, parseGroups } from '../find/groups.ts';
import { planOf, restOfSearch } from '../find/plan.ts';
import { parseReferences, referencedDocuments } from '../find/references.ts';
import type { Where } from '../find/where.ts';
import { type DeclaredIndex, isTextIndex, type TextIndex } from '../index/declared.ts';
import type { DeclaredState } from '../index/declared-indexes.ts';
import type { Sandbox } from '../ports/sandbox.ts';
import type { Core } from './core.ts';
import type { Database } from './database.ts';
import type {
  Finding,
  FindResult,
  KnownIndex,
  QueryOptions,
  QueryResult,
  Stored,
} from './database-results.ts';
import { currentDocuments } from './read.ts';

/** Work runs this long before it yields. */
const SLICE_MS = 6;

export function createFinding(open: () => Promise<Core>): Finding {
  /** Reads one version. */
  const reading = async <T>(read: (parts: FindParts, at: Snapshot) => Promise<T>): Promise<T> => {
    const { commits, indexes, platform } = await open();
    const pace = createPace(platform.time, SLICE_MS);
    return commits.read(async (at) =>
      read({ readers: commits.readers, indexes: await indexes.load(), pace }, at),
    );
  };

  const find = async <T extends object>(options: FindOptions = {}): Promise<FindResult<T>> => {
    const search = parseFind(options);
    const references = options.with === undefined ? [] : parseReferences(options.with);
    return reading(async (parts, at) => {
      const { places, snapshot } = await findPlaces(parts, search, at);
      const page = places.slice(0, search.limit);
      const last = page.at(-1);
      const ids = page.map(({ id }) => id);
      const docs = (await currentDocuments(parts.readers, snapshot, ids)) as Stored<T>[];
      const isMore = places.length > page.length && last !== undefined;
      const refs = await referencedDocuments<Stored>(docs as readonly Stored[], references, async (wanted) =>
        (await currentDocuments(parts.readers, snapshot, wanted)).filter((doc) => !saysDeleted(doc)),
      );
      return {
        docs,
        ...(options.with !== undefined && { refs }),
        ...(isMore && { next: cursorOf(search.sort, last) }),
      };
    });
  };

  return {
    find,
    count: async (where: Where = {}) => {
      const search = parseFind({ where });
      return reading(async (parts, at) => (await findPlaces(parts, search, at)).places.length);
    },
    groupBy: async (by: Fields, options: GroupOptions = {}) => {
      const grouping = parseGroups(by, options);
      return reading((parts, at) => groupsOf(parts, grouping, at));
    },
    explain: async (options = {}) => {
      const search = parseFind(options);
      return explained(search, await (await (await open()).indexes.load()).declared());
    },
  };
}

function explained(
  search: Search,
  { all, ready, building, texts }: DeclaredState,
): Awaited<ReturnType<Finding['explain']>> {
  const fieldsOf = ({ fields }: DeclaredIndex | TextIndex) => fields.map(({ text }) => text);
  const declared = all.map(
    (index): KnownIndex => ({
      kind: isTextIndex(index) ? 'text' : 'fields',
      fields: fieldsOf(index),
      prefix: index.prefix,
      isReady: !building.includes(index),
    }),
  );
  const wanted = search.words === undefined ? search : { test: search.test, sort: [], isLimited: false };
  const plan = planOf(wanted, ready);
  const indexes = indexPartsOf(plan).map(({ index }) => fieldsOf(index));
  if (search.words !== undefined) {
    const index = requireTextIndex(search.test, texts);
    return {
      indexes: [fieldsOf(index), ...indexes],
      reads: restOfSearch(search.test, index) ? 'candidates' : 'matches',
      sorts: search.sort !== BY_RANK,
      building: building.map(fieldsOf),
      declared,
    };
  }
  return {
    indexes,
    reads: plan.kind === 'scan' ? 'all' : plan.kind === 'ids' ? 'ids' : plan.rest ? 'candidates' : 'matches',
    sorts: !plan.isSorted,
    building: building.map(fieldsOf),
    declared,
  };
}

/** See `Database.query`. @throws FixpointError QUERY_INVALID, MAP_FAILED, MISSING_BLOCK, CORRUPT */
export async function query<T extends object>(
  open: () => Promise<Core>,
  sandbox: Sandbox | undefined,
  map: Parameters<Database['query']>[0],
  options: QueryOptions = {},
): Promise<QueryResult<T>> {
  checkLimit(options);
  const { indexes, commits } = await open();
  return commits.read(async () => {
    const { rows, snapshot } = await (await indexes.load()).query(map, options, sandbox);
    if (options.includeDocs === false) return { rows };
    const ids = rows.map(({ id }) => id);
    const docs = (await currentDocuments(commits.readers, snapshot, ids)) as Stored<T>[];
    return { rows: rows.map((row, at) => ({ ...row, doc: docs[at] })), docs } as QueryResult<T>;
  });
}
