/** Merges concurrent versions of documents by the rules of an application (decision 0168). */
import { FixpointError, isFixpointError, LIMITS } from '@fixpoint/protocol';
import { createPace, type Pace } from '../base/pace.ts';
import { keysSince } from '../clock/changes-since.ts';
import { type Unmerged, unmergedWrites } from '../clock/unmerged-writes.ts';
import type { Block } from '../codec/block.ts';
import type { Cid } from '../codec/cid.ts';
import { isGone } from '../commit/reads.ts';
import type { Operation } from '../commit/write-queue.ts';
import { parseDocKey } from '../documents/doc-key.ts';
import { type Doc, decodeDocument, encodeDocument, saysDeleted, TOMBSTONE } from '../documents/encode.ts';
import { mergeFields } from '../documents/merge-fields.ts';
import { isPlain } from '../documents/sanitise.ts';
import type { Core } from './core.ts';
import type { MergeRule, Stored } from './database-results.ts';
import { mayMerge, onRights } from './merge-rights.ts';
import { isMergedUpTo, type Merged, readMerged, rememberMerged } from './merged-up-to.ts';
import { type KnownConflicts, knownConflicts } from './past/conflicts.ts';
import { eventsIndexOf } from './past/history.ts';

/** Work runs this long before it yields. */
const SLICE_MS = 10;
/** Limits of an event. They are the same on all devices, so that the events are. */
const OPERATIONS_PER_EVENT_MAX = 5000;
const BYTES_PER_EVENT_MAX = LIMITS.archiveBytesThreshold;
/** Number of tries that start over if the head moves. */
const TRIES_MAX = 3;
/** A rule that takes longer has failed. */
const RULE_MS = 10_000;

interface Merger {
  /** Rules by prefix and then by owner. The newest rule of a prefix applies. */
  readonly rules: Map<string, Map<object, MergeRule>>;
  /** Conflicts that the rules can't merge. */
  settled: WeakSet<object>;
  /** The version of the list of conflicts in which nothing is left to merge. */
  searched: number | undefined;
  merged: Merged | undefined;
  /** Resolves when `merged` was read. */
  readonly ready: Promise<void>;
  refresh(): void;
}

const mergers = new WeakMap<Core, Merger>();

/**
 * See `Database.mergeWith`. Returns a function that removes the rule, so that an earlier rule of
 * another owner applies again.
 * @param owner has one rule for each prefix
 * @throws FixpointError REQUEST_INVALID
 */
export function mergeWith(
  core: Core,
  prefix: string,
  rule: 'fields' | MergeRule,
  owner: object = core,
): () => void {
  if (typeof prefix !== 'string') throw new FixpointError('REQUEST_INVALID', 'the prefix is not a text');
  if (rule !== 'fields' && typeof rule !== 'function')
    throw new FixpointError('REQUEST_INVALID', 'the rule is neither fields nor a function');
  const merger = mergers.get(core) ?? startMerger(core);
  mergers.set(core, merger);
  const own: MergeRule = rule === 'fields' ? (...versions) => mergeFields(...versions) : rule;
  const rules = merger.rules.get(prefix) ?? new Map<object, MergeRule>();
  merger.rules.set(prefix, rules);
  rules.delete(owner);
  rules.set(owner, own);
  startOver(merger);
  return () => {
    if (rules.get(owner) !== own) return;
    rules.delete(owner);
    if (rules.size === 0 && merger.rules.get(prefix) === rules) merger.rules.delete(prefix);
    startOver(merger);
  };
}

function startOver(merger: Merger): void {
  merger.settled = new WeakSet();
  merger.searched = undefined;
  merger.refresh();
}

function startMerger(core: Core): Merger {
  const { commits, platform } = core;
  let isRunning = false;
  let isDue = false;
  const run = async () => {
    try {
      // The other collections of a handle set their rules first.
      await platform.time.turn?.();
      await merger.ready;
      while (isDue) {
        isDue = false;
        await mergeAll(core, merger);
      }
    } catch (cause) {
      if (!isFixpointError(cause, 'DATABASE_CLOSED')) platform.report(cause);
    } finally {
      // In the same step as the last look at `isDue`.
      isRunning = false;
    }
  };
  const merger: Merger = {
    rules: new Map(),
    settled: new WeakSet(),
    searched: undefined,
    merged: undefined,
    ready: readMerged(core).then((merged) => {
      merger.merged = merged;
    }),
    refresh: () => {
      isDue = true;
      if (isRunning) return;
      isRunning = true;
      void run();
    },
  };
  commits.subscribe(({ before, after }) => {
    if (before.join() !== after.join()) merger.refresh();
  });
  onRights(core, merger.refresh);
  return merger;
}

/** Merges until no document is left that a rule can merge. */
async function mergeAll(core: Core, merger: Merger): Promise<void> {
  const { commits } = core;
  for (let tries = 1; ; tries++) {
    const { head, operations } = await plan(core, merger);
    if (operations.length === 0) return;
    const isWritten = await commits.writeMerge(async (snapshot) => {
      const isSame = snapshot.head.join() === head.join();
      if (!isSame && tries < TRIES_MAX) return [];
      const changed = new Set(isSame ? [] : await keysSince(snapshot.head, head, commits.readers.event));
      return operations.filter(({ key }) => !changed.has(key));
    });
    if (isWritten) tries = 0;
  }
}

interface Plan {
  /** The head at which the operations were computed. */
  readonly head: readonly Cid[];
  /** The merged documents, sorted by id. */
  readonly operations: readonly Operation[];
}

const NOTHING: Plan = { head: [], operations: [] };

async function plan(core: Core, merger: Merger): Promise<Plan> {
  const prefixes = [...merger.rules.keys()];
  if (prefixes.length === 0 || (await isMergedUpTo(core, merger.merged, prefixes))) return NOTHING;
  const { settled } = merger;
  const known = await knownConflicts(core);
  if (known.version === merger.searched) return NOTHING;
  const { version } = known;
  const open = openConflicts(known, merger);
  const due = open.filter(([, conflict]) => !settled.has(conflict)).sort(([a], [b]) => (a < b ? -1 : 1));
  if (due.length > 0 && !(await mayMerge(core))) return NOTHING;
  const head = known.at?.head ?? [];
  const operations = await merged(core, merger, head, due);
  if (operations.length === 0 && settled === merger.settled) {
    merger.searched = version;
    // Conflicts that no rule can merge are tried again when the database is opened.
    if (open.length === 0) merger.merged = rememberMerged(core, { head, prefixes });
  }
  return { head, operations };
}

/** Returns the conflicts that have a rule, and that merges don't cover. */
function openConflicts({ writes }: KnownConflicts, merger: Merger): (readonly [string, object])[] {
  const open: (readonly [string, object])[] = [];
  for (const [id, conflict] of writes)
    if (!conflict.isMerged && ruleOf(merger, id) !== undefined) open.push([id, conflict]);
  return open;
}

/** Merges documents, as many as one event may contain. */
async function merged(
  core: Core,
  merger: Merger,
  head: readonly Cid[],
  due: readonly (readonly [string, object])[],
): Promise<readonly Operation[]> {
  const { platform } = core;
  const { settled } = merger;
  const pace = createPace(platform.time, SLICE_MS);
  const operations: Operation[] = [];
  let bytes = 0;
  for (const [id, conflict] of due) {
    if (pace.isDue()) await pace.rest();
    const rule = ruleOf(merger, id);
    const value = rule && (await tryMerge(core, rule, id, head, pace));
    // The result depends only on the writes in conflict, so it is computed once for them.
    if (value === undefined) settled.add(conflict);
    else {
      bytes += value.bytes.length;
      const isFull = operations.length === OPERATIONS_PER_EVENT_MAX || bytes > BYTES_PER_EVENT_MAX;
      if (operations.length > 0 && isFull) break;
      operations.push({ key: parseDocKey(id), value });
    }
  }
  return operations;
}

/** Returns the rule with the longest prefix of the id. */
function ruleOf({ rules }: Merger, id: string): MergeRule | undefined {
  let [longest, found]: [number, MergeRule | undefined] = [-1, undefined];
  for (const [prefix, owned] of rules)
    if (prefix.length > longest && id.startsWith(prefix))
      [longest, found] = [prefix.length, [...owned.values()].at(-1)];
  return found;
}

/** Returns undefined if the versions can't be merged, so that other documents still are. */
async function tryMerge(
  core: Core,
  rule: MergeRule,
  id: string,
  head: readonly Cid[],
  pace: Pace,
): Promise<Block | undefined> {
  const { event } = core.commits.readers;
  try {
    const unmerged = await unmergedWrites(head, id, eventsIndexOf(core), event, pace);
    return unmerged?.versions.length ? await mergedDocument(core, rule, id, unmerged) : undefined;
  } catch (cause) {
    // Compaction dropped a version, or the page of the rule has ended.
    if (!isGone(cause) && !isFixpointError(cause, 'DATABASE_CLOSED')) core.platform.report(cause);
    return undefined;
  }
}

async function mergedDocument(
  core: Core,
  rule: MergeRule,
  id: string,
  unmerged: Unmerged,
): Promise<Block | undefined> {
  const base = unmerged.base && (await writtenBy(core, unmerged.base, id));
  const versions: Stored[] = [];
  for (const version of unmerged.versions) {
    const doc = await writtenBy(core, version, id);
    // An edit wins over a deletion.
    if (doc !== undefined) versions.push(doc);
  }
  const [first, ...others] = versions;
  if (first === undefined) return TOMBSTONE;
  let result: object = first;
  for (const next of others) {
    const given = await inTime(core, rule(base, result as Stored, next));
    if (given === undefined) return undefined;
    result = { ...requireDocument(given), _id: id };
  }
  return encodeDocument(result as Doc, parseDocKey(id));
}

/** @throws FixpointError DOC_INVALID for anything but a document that isn't deleted */
function requireDocument(given: unknown): object {
  if (typeof given === 'object' && given !== null && isPlain(given) && !saysDeleted(given as Doc))
    return given;
  throw new FixpointError('DOC_INVALID', 'the merge function returned no document');
}

/** @throws FixpointError TIMEOUT if the result would block other documents for too long */
async function inTime<T>({ platform }: Core, result: T | Promise<T>): Promise<T> {
  if (!(result instanceof Promise)) return result;
  let stop = () => {};
  const late = new Promise<never>((_, reject) => {
    stop = platform.time.after(RULE_MS, () =>
      reject(new FixpointError('TIMEOUT', 'the merge function did not return')),
    );
  });
  return Promise.race([result, late]).finally(stop);
}

/** Returns the document that an event wrote; undefined if the event deleted it. */
async function writtenBy({ commits }: Core, event: Cid, id: string): Promise<Stored | undefined> {
  const { operations } = await commits.readers.event(event);
  const link = operations.findLast(({ key }) => key === id)?.value;
  if (link === undefined) return undefined;
  const stored = decodeDocument(await commits.readers.block(link));
  return 'doc' in stored ? stored.doc : undefined;
}
