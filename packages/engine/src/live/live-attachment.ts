import type { Database } from '../database/database.ts';
import type { Attached, CloudOptions, Remote, SyncStatus } from '../sync/remote.ts';
import { toCloud } from '../sync/to-cloud.ts';
import { inputText } from './inputs.ts';
import { asError, type LiveStore, listeners } from './live-store.ts';

/**
 * The state of attaching. After a database has attached, its sync status shows further problems.
 */
export type AttachState =
  | { readonly state: 'initial' | 'attaching'; readonly attached?: undefined; readonly error?: undefined }
  | { readonly state: 'attached'; readonly attached: Attached; readonly error?: undefined }
  | { readonly state: 'error'; readonly attached?: undefined; readonly error: Error };

/** The state of attaching, and how to try again. */
export type LiveAttach = AttachState & {
  /** Retries after an error. The function is always the same. */
  retry(): void;
};

const INITIAL: AttachState = { state: 'initial' };

const isRemote = (target: Remote | CloudOptions): target is Remote => 'attach' in target;

/**
 * Keeps a database attached to a ledger while there are listeners; undefined attaches nothing. If a
 * listener unsubscribes and another subscribes in the same turn, the database stays attached.
 * Options, also those of a remote that `toCloud` created, count as the same inputs while all but a
 * token function are equal. Other remotes count as the same if they are one object, or if their
 * `inputs` are equal.
 */
export function liveAttach(
  database: Database,
  target: Remote | CloudOptions | undefined,
): LiveStore<LiveAttach> {
  let state = INITIAL;
  let shown: LiveAttach = { ...INITIAL, retry };
  let wanted = false;
  let running = false;

  const show = (next: AttachState) => {
    state = next;
    shown = { ...next, retry };
    observed.tell();
  };

  /** Attaches or detaches, one step at a time, until the wanted state is reached. */
  async function settle(remote: Remote): Promise<void> {
    if (running) return;
    running = true;
    await Promise.resolve();
    try {
      while (wanted !== (state.state === 'attached')) {
        if (state.state === 'attached') {
          await state.attached.detach();
          show(INITIAL);
        } else {
          show({ state: 'attaching' });
          show({ state: 'attached', attached: await database.attach(remote) });
        }
      }
    } catch (cause) {
      show({ state: 'error', error: asError(cause) });
    } finally {
      running = false;
    }
  }

  const remote = target === undefined || isRemote(target) ? target : toCloud(target);
  const observed = listeners(() => {
    if (remote === undefined) return () => undefined;
    wanted = true;
    void settle(remote);
    return () => {
      wanted = false;
      void settle(remote);
    };
  });
  function retry(): void {
    if (remote !== undefined && wanted) void settle(remote);
  }
  const options = optionsIn(target);
  const identity = options === undefined ? (remote?.inputs ?? remote) : cloudText(options);
  return { subscribe: observed.add, current: () => shown, inputs: [database, identity] };
}

const optionsIn = (target: Remote | CloudOptions | undefined): CloudOptions | undefined =>
  target !== undefined && isRemote(target) ? target.options?.() : target;

const cloudText = ({ base, tenant, ledger, token, kind, files, members }: CloudOptions): string =>
  inputText([base, tenant, ledger, typeof token === 'string' ? token : 'function', kind, files, members]);

/** Returns the live sync status of an attached database; undefined while it isn't attached. */
export function liveSyncStatus(attached: Attached | undefined): LiveStore<SyncStatus | undefined> {
  let last = attached?.status();
  return {
    subscribe: (listener) => attached?.onStatus(() => listener()) ?? (() => undefined),
    current: () => {
      const now = attached?.status();
      if (!isSame(last, now)) last = now;
      return last;
    },
    inputs: [attached],
  };
}

const isSame = (a: SyncStatus | undefined, b: SyncStatus | undefined): boolean =>
  a?.state === b?.state &&
  a?.toSend === b?.toSend &&
  a?.toFetch === b?.toFetch &&
  a?.rejected === b?.rejected &&
  a?.error === b?.error;
