/** The worker's end of presence: sends the page what changed. */
import type { Presence, PresentClient } from '../sync/remote.ts';
import type { PresenceNews } from './messages.ts';
import type { PageEnd } from './page-end.ts';

/** Methods that the page calls. */
export interface PresenceVerbs {
  /** Replaces the state. @param number increases with each call of the page */
  set(me: object, number: number): void;
  /** Sends the present news to `tell`, then each change. Returns a function that stops this. */
  watch(tell: (news: PresenceNews) => void): () => void;
  leave(): void;
}

/** @param given the state with which the page entered */
export function presenceVerbs(
  presence: Presence,
  given: object | undefined,
  pageEnd: PageEnd,
): PresenceVerbs {
  /** The state that the page knows. */
  let known = given;
  let number = 0;
  void presence.ended.then(pageEnd.onEnd(presence.leave));
  return {
    set: (me, next) => {
      number = next;
      known = me;
      presence.set(me);
    },
    watch: (tell) => {
      let told: ReadonlyMap<string, PresentClient> = new Map();
      const news = (isOver: boolean) => {
        const [before, { me, others }] = [told, presence];
        told = others;
        tell({
          ...(me !== known && { me }),
          changed: [...others.values()].filter((one) => before.get(one.id) !== one),
          gone: [...before.keys()].filter((id) => !others.has(id)),
          ...{ status: presence.status(), number, isOver },
        });
        known = me;
      };
      news(false);
      void presence.ended.then(() => news(true));
      return presence.subscribe(() => news(false));
    },
    leave: presence.leave,
  };
}
