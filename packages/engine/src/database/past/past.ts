/** Loads history, time travel and proofs on first use: most applications never need them. */

import { checkListener } from '../../base/listeners.ts';
import { loadDatabaseChunk } from '../../chunks.ts';
import type { Head } from '../../clock/event.ts';
import { parseHead } from '../../clock/head.ts';
import type { Sandbox } from '../../ports/sandbox.ts';
import type { Core } from '../core.ts';
import type { Database } from '../database.ts';
import type { Conflicts, ConflictsOptions } from './conflicts-interface.ts';
import type { History } from './history.ts';
import type { Proofs } from './proofs.ts';
import type { DatabaseView, TimeTravel } from './time-travel.ts';

export type Past = History & Conflicts & TimeTravel & Proofs;

export function createPast(
  open: () => Promise<Core>,
  verbs: Pick<Database, 'put' | 'del' | 'subscribe'>,
  sandbox: Sandbox | undefined,
): Past {
  const history = async () => (await loadDatabaseChunk()).createHistory(open);
  const conflicts = async () => (await loadDatabaseChunk()).createConflicts(open, verbs);
  const travel = async () => (await loadDatabaseChunk()).createTimeTravel(open, verbs, sandbox);
  const proofs = async () => (await loadDatabaseChunk()).createProofs(open);
  return {
    history: async (id, options) => (await history()).history(id, options),
    conflicts: async (asked?: unknown, options?: ConflictsOptions) =>
      (await conflicts()).conflicts(asked as readonly string[], options) as Promise<never>,
    onConflicts: (listener) => followLater(conflicts, listener),
    events: async (options) => (await history()).events(options),
    device: async () => (await history()).device(),
    at: (head) => viewOf(parseHead(head), travel),
    diff: async (before, after) => (await travel()).diff(before, after),
    restore: async (id, head) => (await travel()).restore(id, head),
    prove: async (id, head) => (await proofs()).prove(id, head),
    verify: async (options) => (await proofs()).verify(options),
  };
}

/** Subscribes as soon as the code has loaded. */
function followLater(
  load: () => Promise<Conflicts>,
  listener: Parameters<Conflicts['onConflicts']>[0],
): () => void {
  checkListener(listener);
  let stop: (() => void) | undefined;
  let isStopped = false;
  load().then(
    (conflicts) => {
      if (!isStopped) stop = conflicts.onConflicts(listener);
    },
    // Other calls reject with the reason why the code can't be loaded.
    () => undefined,
  );
  return () => {
    isStopped = true;
    stop?.();
  };
}

function viewOf(head: Head, travel: () => Promise<TimeTravel>): DatabaseView {
  let loaded: Promise<DatabaseView> | undefined;
  const view = () => {
    loaded ??= travel().then((past) => past.at(head));
    return loaded;
  };
  return {
    head,
    get: async (id) => (await view()).get(id),
    allDocs: async (options) => (await view()).allDocs(options),
    query: async (map, options) => (await view()).query(map, options),
  };
}
