import { type Attached, type CloudOptions, type Database, type Remote, toCloud } from 'fixpoint';
import { asError, listeners, type Observer } from './observer.ts';

/** What became of attaching; why a database that is attached does not sync stands in its sync status. */
export type AttachState =
  | { readonly state: 'initial' | 'attaching'; readonly attached?: undefined; readonly error?: undefined }
  | { readonly state: 'attached'; readonly attached: Attached; readonly error?: undefined }
  | { readonly state: 'error'; readonly attached?: undefined; readonly error: Error };

const INITIAL: AttachState = { state: 'initial' };

export const isRemote = (target: Remote | CloudOptions): target is Remote => 'attach' in target;

export interface Attachment extends Observer<AttachState> {
  /** Tries again after an error. */
  retry(): void;
}

/** Attached as long as somebody listens; those who come back within the same turn find it attached still. */
export function observeAttachment(database: Database, target: Remote | CloudOptions | undefined): Attachment {
  let state = INITIAL;
  let wanted = false;
  let running = false;

  const show = (next: AttachState) => {
    state = next;
    observed.tell();
  };

  /** Attaches and detaches, one after the other, until what is wanted is so. */
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
