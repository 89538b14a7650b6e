/**
 * A lease between tabs is a Web Lock. The browser frees the lock when the holder's tab closes or
 * crashes, but not when the tab freezes. So waiting tabs ping the holder, and steal the lock if the
 * holder doesn't answer. The holder doesn't send pings by itself: a hidden tab answers messages at
 * once, but its timers are slow.
 */
import { localStorageName } from '@fixpoint/protocol';
import type { Lease, LeaseEvents, Leases } from '../../ports/lease.ts';
import type { Time } from '../../ports/time.ts';

const ASK_MS = 1000;
const UNANSWERED_MAX = 3;

type Report = (error: unknown) => void;

export function tabLeases(time: Time, report: Report): Leases {
  return {
    seek: (database, name, events) =>
      // Browsers provide locks on secure pages only; elsewhere each tab does the work by itself.
      'locks' in navigator
        ? seekTabLease(`fixpoint:${localStorageName(database)}:${name}`, events, time, report)
        : holdForEver(events),
  };
}

function holdForEver(events: LeaseEvents): Lease {
  events.taken();
  return { settled: Promise.resolve(), tell: () => undefined, release: async () => undefined };
}

function seekTabLease(name: string, events: LeaseEvents, time: Time, report: Report): Lease {
  const channel = new BroadcastChannel(name);
  let letGo: (() => void) | undefined;
  let waiting: AbortController | undefined;
  let isStopped = false;
  let unanswered = 0;
  let stopTimer: () => void = () => undefined;

  /** Holds the lock until it is released or stolen. */
  function hold(): Promise<void> {
    if (isStopped) return Promise.resolve();
    waiting = undefined;
    return new Promise((resolve) => {
      letGo = resolve;
      events.taken();
      tell();
    });
  }

  function wait(how: { readonly steal?: true } = {}): void {
    if (isStopped) return;
    unanswered = 0;
    waiting?.abort();
    const mine = new AbortController();
    waiting = how.steal ? undefined : mine;
    const options: LockOptions = how.steal ? how : { signal: mine.signal };
    navigator.locks.request(name, options, hold).catch((cause) => ended(cause, mine));
  }

  /**
   * Handles a failed request for the lock: another tab stole the lock, or the request was aborted.
   */
  function ended(cause: unknown, mine?: AbortController): void {
    if (mine?.signal.aborted || isStopped) return;
    if (letGo === undefined) report(cause);
    else {
      letGo = undefined;
      events.lost();
      wait();
    }
  }

  function ask(): void {
    stopTimer = time.after(ASK_MS, ask);
    if (letGo !== undefined) return;
    unanswered += 1;
    if (unanswered > UNANSWERED_MAX) wait({ steal: true });
    else channel.postMessage({ ask: true });
  }

  function tell(): void {
    if (letGo !== undefined) channel.postMessage({ words: events.words() });
  }

  channel.onmessage = ({ data }: MessageEvent<{ ask?: true; words?: string }>) => {
    if (isStopped) return;
    if (data.ask) return tell();
    if (letGo !== undefined || data.words === undefined) return;
    unanswered = 0;
    events.heard(data.words);
  };

  const settled = holdIfFree(name, hold, wait, ended);
  ask();

  return {
    settled,
    tell,
    release: async () => {
      isStopped = true;
      stopTimer();
      waiting?.abort();
      letGo?.();
      letGo = undefined;
      channel.close();
    },
  };
}

/**
 * Resolves once this tab holds the lock or waits for it.
 * @param ended is also called when the lock is stolen later
 */
function holdIfFree(
  name: string,
  hold: () => Promise<void>,
  wait: () => void,
  ended: (cause: unknown) => void,
): Promise<void> {
  return new Promise((resolve) => {
    navigator.locks
      .request(name, { ifAvailable: true }, (lock) => {
        const held = lock === null ? undefined : hold();
        if (lock === null) wait();
        resolve();
        return held;
      })
      .catch((cause) => {
        resolve();
        ended(cause);
      });
  });
}
