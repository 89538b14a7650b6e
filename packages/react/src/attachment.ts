import { type Attached, type CloudOptions, type Database, type Remote, toCloud } from 'fixpoint';
import { asError, listeners, type Observer } from './observer.ts';

/**
 * The state of attaching. After a database has attached, its sync status shows further problems.
 */
export type AttachState =
  | { readonly state: 'initial' | 'attaching'; readonly attached?: undefined; readonly error?: undefined }
  | { readonly state: 'attached'; readonly attached: Attached; readonly error?: undefined }
  | { readonly state: 'error'; readonly attached?: undefined; readonly error: Error };

const INITIAL: AttachState = { state: 'initial' };

export const isRemote = (target: Remote | CloudOptions): target is Remote => 'attach' in target;

export interface Attachment extends Observer<AttachState> {
  /** Retries after an error. */
  retry(): void;
}

/**
 * Keeps the database attached while there are listeners. If a listener unsubscribes and another
 * subscribes in the same turn, the database stays attached.
 */
export function observeAttachment(database: Database, target: Remote | CloudOptions | undefined): Attachment {
  let state = INITIAL;
  let wanted = false;
  let running = false;

  const show = (next: AttachState) => {
    state = next;
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
  return {
    subscribe: observed.add,
    current: () => state,
    retry: () => {
      if (remote !== undefined && wanted) void settle(remote);
    },
  };
}
