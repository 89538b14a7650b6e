/** The page's end of presence. Loads on first use, so that other pages don't load it. */
import { presenceHandle } from '../sync/presence/presence-handle.ts';
import { stateText } from '../sync/presence/state-text.ts';
import type { Presence, PresenceStatus, PresentClient } from '../sync/remote.ts';
import type { PresenceNews } from './messages.ts';
import type { Session } from './session.ts';

interface PageState {
  readonly session: Session;
  /** The number of the presence in the worker. */
  readonly on: number;
  readonly handles: Set<() => void>;
  readonly listeners: Set<() => void>;
  all: ReadonlyMap<string, PresentClient>;
  me: object | undefined;
  text: string | undefined;
  status: PresenceStatus;
  /** Number of states that this page has set. */
  number: number;
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
  const state: PageState = {
    ...{ session, me, on: session.newNumber(), handles: new Set(), listeners: new Set(), all: new Map() },
    text: me === undefined ? undefined : stateText(me),
    status: { state: 'connecting' },
    number: 0,
  };
  const { on } = state;
  await session.call(attached, 'enter', [me], on);
  const presence = presenceHandle<T>(
    {
      ...{ handles: state.handles, listeners: state.listeners, others: { all: () => state.all } },
      get me() {
        return state.me;
      },
      get text() {
        return state.text;
      },
      get status() {
        return state.status;
      },
    },
    {
      set: (next, text) => set(state, next, text),
      end: () => void session.call(on, 'leave', []).catch(() => undefined),
    },
  );
  let stop: () => void = () => undefined;
  await new Promise<void>((resolve) => {
    stop = session.listen(on, 'watch', [
      (news: PresenceNews) => {
        take(state, news);
        resolve();
      },
    ]);
    const stopLost = session.onEnd((error) => {
      Object.assign(state, { status: { state: 'refused', error }, all: new Map() });
      finish(state);
      resolve();
    });
    void presence.ended.then(stopLost);
  });
  void presence.ended.then(() => {
    stop();
    session.drop(on);
  });
  return presence;
}

function set(state: PageState, me: object, text: string): void {
  const { session, on } = state;
  Object.assign(state, { me, text, number: state.number + 1 });
  tell(state);
  session.call(on, 'set', [me, state.number]).catch(() => undefined);
}

function take(state: PageState, { me, changed, gone, status, number, isOver }: PresenceNews): void {
  if (changed.length + gone.length > 0) {
    const all = new Map(state.all);
    for (const id of gone) all.delete(id);
    for (const one of changed) all.set(one.id, one);
    state.all = all;
  }
  state.status = status;
  // The worker may not know the latest state of this page yet.
  if (me !== undefined && number === state.number) Object.assign(state, { me, text: stateText(me) });
  if (isOver) finish(state);
  else tell(state);
}

function finish(state: PageState): void {
  tell(state);
  for (const end of [...state.handles]) end();
}

function tell({ listeners }: PageState): void {
  for (const listener of [...listeners]) listener();
}
