/**
 * Objects in the worker that the page calls by number: databases, attachments, streams, and
 * subscriptions.
 */
import { FixpointError } from '@fixpoint/protocol';
import { prefetch } from '../base/prefetch.ts';
import { loadDatabaseChunk } from '../chunks.ts';
import type { Database } from '../database/database.ts';
import type { MergeRule } from '../database/database-results.ts';
import { type Rows, rowsOf } from '../database/database-rows.ts';
import { insideOf } from '../database/inside.ts';
import type { DatabaseView } from '../database/past/time-travel.ts';
import { type StoredFile, withFiles } from '../files/read-file.ts';
import { loadOpenChunk } from '../open-chunk.ts';
import type { Attached, CloudOptions } from '../sync/remote.ts';
import { toCloud } from '../sync/to-cloud.ts';
import {
  ATTACHED_CALLS,
  type AttachedState,
  BRIDGED_DEVICE_CALLS,
  CALLS,
  ROW_CALLS,
  rowVerb,
  STREAMS,
  VIEW_CALLS,
} from './messages.ts';
import type { PageEnd } from './page-end.ts';
import { pageWrites } from './page-writes.ts';
import { presenceVerbs } from './presence-thing.ts';

export interface Thing {
  /** Calls a method. If the result isn't a promise, the call has already taken effect. */
  call(verb: string, args: readonly unknown[]): unknown;
  beforeAnswer?(): void;
}

type Verb = (...args: never[]) => unknown;
type Verbs = Readonly<Record<string, Verb>>;

const thingOf = (verbs: Verbs, beforeAnswer: () => void = () => undefined): Thing => ({
  call: (verb, args) => {
    const found = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined;
    if (found === undefined) throw new FixpointError('NOT_IMPLEMENTED', verb);
    return (found as (...given: unknown[]) => unknown)(...args);
  },
  beforeAnswer,
});

/** The methods that take a map function, which needs the variables of its page. */
const MAPPING: readonly string[] = ['query', 'map'] satisfies (keyof Database | keyof Rows)[];

/** Returns these methods of an object as verbs. */
function pick<T extends object, K extends keyof T & string>(object: T, names: readonly K[]): Verbs {
  const verbOf = (name: K) => object[name] as Verb;
  return Object.fromEntries(
    names.map((name) => [name, MAPPING.includes(name) ? withoutFunction(verbOf(name)) : verbOf(name)]),
  );
}

const withoutFunction =
  (verb: Verb): Verb =>
  (...args) => {
    if (typeof args[0] === 'function')
      throw new FixpointError('NOT_IMPLEMENTED', 'a worker cannot receive a function; use {source}');
    return verb(...args);
  };

const stopping = (stop: () => void): Thing => thingOf({ stop });

export function databaseThing(database: Database, pageEnd: PageEnd): Thing {
  const rows = rowsOf(database);
  const ofRows = [
    ...Object.entries(pick(rows, ROW_CALLS)),
    ...Object.entries(pick(rows, STREAMS)).map(
      ([name, stream]) => [name, (...args: never[]) => streamThing(stream(...args))] as const,
    ),
  ].map(([name, verb]) => [rowVerb(name), verb] as const);
  const verbs: Verbs = {
    ...Object.fromEntries(ofRows),
    ...pick(database, CALLS),
    ...(pageWrites(database, pageEnd) as Verbs),
    view: viewVerb(database),
    mergeWith: (...args: Parameters<Database['mergeWith']>) => mergeInPage(database, pageEnd, ...args),
    subscribe: (...args: Parameters<Database['subscribe']>) => stopping(database.subscribe(...args)),
    onConflicts: (...args: Parameters<Database['onConflicts']>) => stopping(database.onConflicts(...args)),
    onClosed: (fn: (reason?: FixpointError) => void) => stopping(database.onClosed((reason) => fn(reason))),
    onFields: (...args: Parameters<typeof rows.onFields>) => stopping(rows.onFields(...args)),
    attach: async (options: CloudOptions, tell: TellState) =>
      attachedThing(await database.attach(toCloud(options)), tell, pageEnd),
    file: (name: string, entry: Record<string, unknown>) => fileOf(database, name, entry),
  };
  return thingOf(verbs);
}

/** Keeps the last view, because pages read many documents of one past state one by one. */
function viewVerb(database: Database): Verb {
  let last: DatabaseView | undefined;
  return async (head: readonly string[], verb: (typeof VIEW_CALLS)[number], args: readonly unknown[]) => {
    const view = last?.head.join() === head.join() ? last : database.at(head);
    last = view;
    try {
      return await thingOf(pick(view, VIEW_CALLS)).call(verb, args);
    } catch (cause) {
      // A view keeps the failure to read its state, which the next call must try again.
      if (last === view) last = undefined;
      throw cause;
    }
  };
}

/** Sets a rule that runs in the page, and ends with it. */
async function mergeInPage(
  database: Database,
  pageEnd: PageEnd,
  prefix: string,
  rule: 'fields' | MergeRule,
): Promise<Thing> {
  const core = await insideOf(database)?.open();
  if (core === undefined) throw new FixpointError('NOT_IMPLEMENTED', 'mergeWith of a foreign handle');
  const { mergeWith } = await loadDatabaseChunk();
  const own: typeof rule =
    typeof rule === 'function' ? (...args) => pageEnd.before(async () => rule(...args)) : rule;
  const stop = mergeWith(core, prefix, own, pageEnd);
  pageEnd.onEnd(stop);
  return stopping(stop);
}

/** Wraps a stream. Prefetches the next part while one is sent to the page. */
function streamThing(stream: unknown): Thing {
  const steps = prefetch(stream as AsyncIterable<unknown>);
  return thingOf({
    next: () => steps.next(),
    return: async () => void (await steps.return()),
  });
}

/** Sends the state to the page, and whether the status differs from the last one. */
type TellState = (state: AttachedState, isNewStatus: boolean) => void;

function attachedThing(attached: Attached, tell: TellState, pageEnd: PageEnd): Thing {
  const { devices } = attached;
  const state = (): AttachedState => ({
    status: attached.status(),
    kind: attached.kind(),
    isApproved: devices.isApproved(),
  });
  attached.onStatus(() => tell(state(), true));
  tell(state(), false);
  const calls = pick(attached, ATTACHED_CALLS);
  const enter = async (me: object | undefined) => {
    const { watch, ...verbs } = presenceVerbs(await attached.presence.enter(me), me, pageEnd);
    return thingOf({ ...verbs, watch: (...args: Parameters<typeof watch>) => stopping(watch(...args)) });
  };
  return thingOf({ ...pick(devices, BRIDGED_DEVICE_CALLS), ...calls, enter }, () => tell(state(), false));
}

/** Reads a file by the entry that a document had, even if the document has changed since. */
async function fileOf(database: Database, name: string, entry: Record<string, unknown>): Promise<File> {
  const inside = insideOf(database);
  if (inside === undefined) throw new FixpointError('NOT_IMPLEMENTED', 'a file of a foreign handle');
  const { readers } = (await inside.open()).commits;
  const doc = withFiles({ _files: { [name]: entry } }, readers.fileArchive, loadOpenChunk);
  return (doc._files[name] as unknown as StoredFile).file();
}
