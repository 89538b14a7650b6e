/** Merges concurrent versions of documents by the rules of an application (decision 0168). */
import { FixpointError, isFixpointError, LIMITS } from '@fixpoint/protocol';
import { inMerge } from '../base/merge-turn.ts';
import { createPace, type Pace } from '../base/pace.ts';
import { keysSince } from '../clock/changes-since.ts';
import { type Unmerged, unmergedWrites } from '../clock/unmerged-writes.ts';
import type { Block } from '../codec/block.ts';
import type { Cid } from '../codec/cid.ts';
import { isGone } from '../commit/reads.ts';
import type { Operation } from '../commit/write-queue.ts';
import { type DocKey, parseDocKey } from '../documents/doc-key.ts';
import { type Doc, decodeDocument, encodeDocument, saysDeleted, TOMBSTONE } from '../documents/encode.ts';
import { mergeFields } from '../documents/merge-fields.ts';
import { isPlain } from '../documents/sanitise.ts';
import type { Core } from './core.ts';
import type { MergeRule, Stored } from './database-results.ts';
import { mayMerge, onRights } from './merge-rights.ts';
import { type Merged, mergedUpTo, readMerged, rememberMerged } from './merged-up-to.ts';
import { type KnownConflicts, knownConflicts, requireAllRead } from './past/conflicts.ts';
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
/** Failures that may pass are tried again after this time. */
const RETRY_MS = 60_000;

interface Merger {
  /** Rules by prefix and then by owner. The newest rule of a prefix applies. */
  readonly rules: Map<string, Map<object, MergeRule>>;
  /** Conflicts that the rules can't merge. */
  settled: WeakSet<object>;
  /** Rules that took too long. Rules of other owners apply instead. */
  slow: WeakSet<MergeRule>;
  /** The version of the list of conflicts in which nothing is left to merge. */
  searched: number | undefined;
  merged: Merged | undefined;
  /** Resolves when `merged` was read. */
  readonly ready: Promise<void>;
  isRunning: boolean;
  /** The head of the last plan, and the documents that it merges. */
  planned: { readonly head: string; readonly ids: ReadonlySet<string> };
  /** Called when the plan may have changed. */
  readonly waiting: Set<() => void>;
  refresh(): void;
  /** Starts over later. */
  retry(): void;
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
  merger.slow = new WeakSet();
  merger.searched = undefined;
  merger.refresh();
}

function startMerger(core: Core): Merger {
  const { commits, platform } = core;
  let isDue = false;
  let retry: (() => void) | undefined;
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
      if (!isFixpointError(cause, 'DATABASE_CLOSED')) {
        platform.report(cause);
        merger.retry();
      }
    } finally {
      // In the same step as the last look at `isDue`.
      merger.isRunning = false;
      tellWaiting(merger);
    }
  };
  const merger: Merger = {
    rules: new Map(),
    settled: new WeakSet(),
    slow: new WeakSet(),
    searched: undefined,
    merged: undefined,
    ready: readMerged(core).then((merged) => {
      merger.merged = merged;
    }),
    isRunning: false,
    planned: { head: '', ids: new Set() },
    waiting: new Set(),
    refresh: () => {
      isDue = true;
      if (merger.isRunning) return;
      merger.isRunning = true;
      void run();
    },
    retry: () => {
      if (retry !== undefined) return;
      const stop = platform.time.after(RETRY_MS, () => {
        core.onClosed.delete(stop);
        retry = undefined;
        startOver(merger);
      });
      retry = stop;
      core.onClosed.add(stop);
    },
  };
  commits.subscribe(({ before, after }) => {
    if (before.join() !== after.join()) merger.refresh();
  });
  onRights(core, merger.refresh);
  return merger;
}

function tellWaiting({ waiting }: Merger): void {
  for (const tell of [...waiting]) tell();
}

/**
 * Resolves when no rule is about to merge versions of a document, so that a write that depends on
 * the document doesn't replace them. Resolves anyway after the time that a rule may take.
 */
export async function mergeSettled(core: Core, id: string): Promise<void> {
  const merger = mergers.get(core);
  if (merger === undefined || !mayChange(core, merger, id)) return;
  await new Promise<void>((resolve) => {
    const end = () => {
      stop();
      merger.waiting.delete(look);
      resolve();
    };
    const look = () => {
      if (!mayChange(core, merger, id)) end();
    };
    const stop = core.platform.time.after(RULE_MS, end);
    merger.waiting.add(look);
  });
}

function mayChange({ commits }: Core, merger: Merger, id: string): boolean {
  if (!merger.isRunning || ruleOf(merger, id) === undefined) return false;
  const { head } = commits.snapshot();
  const { planned } = merger;
  return planned.ids.has(id) || (head.length > 1 && planned.head !== head.join());
}

/** Merges until no document is left that a rule can merge. */
async function mergeAll(core: Core, merger: Merger): Promise<void> {
  const { commits } = core;
  for (let tries = 1; ; tries++) {
    const { head, operations, settled } = await plan(core, merger);
    if (operations.length === 0) return;
    const isWritten = await commits.writeMerge(async (snapshot) => {
      // The application has replaced a rule.
      if (settled !== merger.settled) return [];
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
  /** The set of the merger when the operations were computed. It changes with the rules. */
  readonly settled: WeakSet<object>;
}

async function plan(core: Core, merger: Merger): Promise<Plan> {
  const { settled } = merger;
  const nothing: Plan = { head: [], operations: [], settled };
  const prefixes = [...merger.rules.keys()];
  if (prefixes.length === 0) return nothing;
  const upTo = await mergedUpTo(core, merger.merged, prefixes);
  if (upTo !== undefined) {
    merger.merged = upTo;
    return nothing;
  }
  const known = await knownConflicts(core);
  // All devices must merge the same versions, so a device that lacks an event merges nothing.
  requireAllRead(known);
  const { version } = known;
  const head = known.at?.head ?? [];
  const open = openConflicts(known, merger);
  if (version !== merger.searched) {
    const due = open.filter(([, conflict]) => !settled.has(conflict)).sort(([a], [b]) => (a < b ? -1 : 1));
    const isAllowed = due.length === 0 || (await mayMerge(core));
    merger.planned = { head: head.join(), ids: new Set(isAllowed ? due.map(([id]) => id) : []) };
    tellWaiting(merger);
    if (!isAllowed) {
      // Another tab may learn that this device may write again.
      merger.retry();
      return nothing;
    }
    const operations = await merged(core, merger, head, due);
    if (operations.length > 0 || settled !== merger.settled) return { head, operations, settled };
    merger.searched = version;
  }
  merger.planned = { head: head.join(), ids: new Set() };
  // Conflicts that no rule can merge are tried again when the database is opened.
  if (open.length === 0) merger.merged = rememberMerged(core, { head, prefixes });
  return nothing;
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
    const operation = await tryMerge(core, merger, id, head, pace);
    // The result depends only on the writes in conflict, so it is computed once for them.
    if (operation === undefined) settled.add(conflict);
    else {
      bytes += operation.value.bytes.length;
      const isFull = operations.length === OPERATIONS_PER_EVENT_MAX || bytes > BYTES_PER_EVENT_MAX;
      if (operations.length > 0 && isFull) break;
      operations.push(operation);
    }
  }
  return operations;
}

/** Returns the rule with the longest prefix of the id. */
function ruleOf({ rules, slow }: Merger, id: string): MergeRule | undefined {
  let [longest, found]: [number, readonly MergeRule[]] = [-1, []];
  for (const [prefix, owned] of rules)
    if (prefix.length > longest && id.startsWith(prefix))
      [longest, found] = [prefix.length, [...owned.values()]];
  return found.findLast((rule) => !slow.has(rule)) ?? found.at(-1);
}

/** Returns undefined if the versions can't be merged, so that other documents still are. */
async function tryMerge(
  core: Core,
  merger: Merger,
  id: string,
  head: readonly Cid[],
  pace: Pace,
): Promise<Operation | undefined> {
  const { event } = core.commits.readers;
  const rule = ruleOf(merger, id);
  if (rule === undefined) return undefined;
  try {
    const key = parseDocKey(id);
    const unmerged = await unmergedWrites(head, id, eventsIndexOf(core), event, pace);
    if (unmerged === undefined || unmerged.versions.length === 0) return undefined;
    const value = await mergedDocument(core, rule, key, unmerged);
    return value && { key, value };
  } catch (cause) {
    // Compaction dropped a version, or the page of the rule has ended.
    if (isGone(cause) || isFixpointError(cause, 'DATABASE_CLOSED')) return undefined;
    core.platform.report(cause);
    const isLate = isFixpointError(cause, 'TIMEOUT');
    if (isLate || isFixpointError(cause, 'STORE_FAILED')) merger.retry();
    if (!isLate) return undefined;
    // The page of the rule may be frozen.
    merger.slow.add(rule);
    const next = ruleOf(merger, id);
    return next && !merger.slow.has(next) ? tryMerge(core, merger, id, head, pace) : undefined;
  }
}

async function mergedDocument(
  core: Core,
  rule: MergeRule,
  id: DocKey,
  unmerged: Unmerged,
): Promise<Block | undefined> {
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
    // Decoded for each call, because a function may change its arguments.
    const base = unmerged.base && (await writtenBy(core, unmerged.base, id));
    const ours = result as Stored;
    const given = await inTime(
      core,
      inMerge(() => rule(base, ours, next)),
    );
    if (given === undefined) return undefined;
    result = { ...requireDocument(given), _id: id };
  }
  return encodeDocument(result as Doc, id);
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
