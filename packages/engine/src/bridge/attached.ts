import { FixpointError } from '@fixpoint/protocol';
import type { Attached, CloudOptions, Remote, SyncStatus } from '../sync/remote.ts';
import { ATTACHED_CALLS, type AttachedState, BRIDGED_DEVICE_CALLS } from './messages.ts';
import { enterFromPage } from './page-presence.ts';
import type { Session } from './session.ts';

/**
 * Describes a ledger for a bridged database. The worker receives the options, but a function that
 * returns tokens runs in the page.
 */
export function toCloud(options: CloudOptions): Remote {
  return {
    options: () => options,
    attach: () => Promise.reject(new FixpointError('NOT_IMPLEMENTED', 'a remote of a bridged database')),
  };
}

/**
 * Returns the options of a remote that `toCloud` created.
 * @throws FixpointError NOT_IMPLEMENTED for any other remote
 */
export function cloudOptionsOf(remote: Remote): CloudOptions {
  if (remote.options === undefined)
    throw new FixpointError('NOT_IMPLEMENTED', 'attach to toCloud of fixpoint/bridge');
  return remote.options();
}

export async function attachedTo(session: Session, on: number, options: CloudOptions): Promise<Attached> {
  const as = session.newNumber();
  const listeners = new Set<(status: SyncStatus) => void>();
  /** The worker sends it before it answers the call below. */
  let state: AttachedState;
  const show = (next: AttachedState, isNewStatus: boolean): void => {
    state = next;
    if (isNewStatus) for (const tell of [...listeners]) tell(next.status);
  };
  await session.call(on, 'attach', [options, show], as);
  const ask = (verb: string, args: unknown[] = []) => session.call(as, verb, args) as Promise<never>;
  const callsOf = <K extends string>(verbs: readonly K[]) =>
    Object.fromEntries(verbs.map((verb) => [verb, (...args: unknown[]) => ask(verb, args)])) as Record<
      K,
      (...args: unknown[]) => Promise<never>
    >;
  return {
    status: () => state.status,
    onStatus: (fn) => {
      const own = (status: SyncStatus) => fn(status);
      listeners.add(own);
      return () => void listeners.delete(own);
    },
    kind: () => state.kind,
    devices: { ...callsOf(BRIDGED_DEVICE_CALLS), isApproved: () => state.isApproved },
    presence: {
      enter: (me) => enterFromPage(session, as, me),
    },
    ...callsOf(ATTACHED_CALLS),
  };
}
