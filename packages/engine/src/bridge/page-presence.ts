/** The page's end of presence. */
import { FixpointError } from '@fixpoint/protocol';
import { stateText } from '../sync/presence/state-text.ts';
import type { Presence, PresenceStatus, PresentClient } from '../sync/remote.ts';
import type { PresenceNews } from './messages.ts';
import type { Session } from './session.ts';

interface PageState<T> {
  me: T | undefined;
  /** The JSON text of `me`. */
  text: string | undefined;
  others: ReadonlyMap<string, PresentClient<T>>;
  status: PresenceStatus;
  /** Number of states that this page has set. */
  number: number;
  isOver: boolean;
  readonly listeners: Set<() => void>;
  /** Called at the end. */
  readonly stops: (() => void)[];
}

/**
 * Enters the presence of a ledger to which a database in the worker is attached.
 * @param attached the number of the attachment in the worker
 * @throws FixpointError as `enter` does
 */
export async function enterFromPage<T extends object>(
  session: Session,
  attached: number,
  me: T | undefined,
): Promise<Presence<T>> {
  const state: PageState<T> = {
    me,
    text: me === undefined ? me : stateText(me),
    others: new Map(),
    status: { state: 'connecting' },
    number: 0,
    isOver: false,
    listeners: new Set(),
    stops: [],
  };
  const on = session.newNumber();
  const ended = new Promise<void>((resolve) => state.stops.push(resolve));
  await session.call(attached, 'enter', [me], on);
  const stopLost = session.onEnd((error) => {
    state.status = { state: 'refused', error };
    finish(state);
  });
  await new Promise<void>((resolve) => {
    const watch = (news: PresenceNews) => {
      take(state, news);
      resolve();
    };
    state.stops.push(stopLost, resolve, session.listen(on, 'watch', [watch]), () => session.drop(on));
  });
  const send = (verb: string, args: unknown[]) => session.call(on, verb, args).catch(() => undefined);
  return handleOf(state, ended, send);
}

function handleOf<T extends object>(
  state: PageState<T>,
  ended: Promise<void>,
  send: (verb: string, args: unknown[]) => void,
): Presence<T> {
  const { listeners } = state;
  return {
    get me() {
      return state.me;
    },
    get others() {
      return state.others;
    },
    status: () => state.status,
    set: (me) => {
      if (state.isOver) throw new FixpointError('CONNECTION_NOT_OPEN');
      const text = stateText(me);
      if (text === state.text) return;
      Object.assign(state, { me, text });
      state.number += 1;
      // First, because a listener may throw.
      send('set', [me, state.number]);
      tell(state);
    },
    subscribe: (fn) => {
      const own = () => fn();
      listeners.add(own);
      return () => void listeners.delete(own);
    },
    leave: () => {
      if (state.isOver) return;
      send('leave', []);
      listeners.clear();
      finish(state);
    },
    ended,
  };
}

function take<T extends object>(state: PageState<T>, news: PresenceNews): void {
  const { me, changed, gone, status, number } = news;
  if (state.isOver) return;
  if (changed.length + gone.length > 0) {
    const all = new Map(state.others);
    for (const id of gone) all.delete(id);
    for (const one of changed) all.set(one.id, one as PresentClient<T>);
    state.others = all;
  }
  state.status = status;
  // The worker may not know the latest state of this page yet.
  if (me !== undefined && number === state.number) Object.assign(state, { me, text: stateText(me) });
  if (news.isOver) finish(state);
  else tell(state);
}

function finish<T>(state: PageState<T>): void {
  if (state.isOver) return;
  Object.assign(state, { isOver: true, me: undefined, others: new Map() });
  for (const stop of state.stops) stop();
  const { listeners } = state;
  const left = new Set(listeners);
  listeners.clear();
  tell({ listeners: left });
}

/** Calls all listeners, then throws the first error of one. */
function tell({ listeners }: Pick<PageState<unknown>, 'listeners'>): void {
  const errors: unknown[] = [];
  for (const listener of [...listeners])
    try {
      listener();
    } catch (cause) {
      errors.push(cause);
    }
  if (errors.length > 0) throw errors[0];
}
