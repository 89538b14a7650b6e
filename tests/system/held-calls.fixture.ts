/** A page whose engine gets calls of some kind only when the test says so. */
import type { Page } from 'playwright-core';

export interface HeldCalls {
  /** From now on calls of these methods of databases wait; those that wait already go on. None: nothing is held. */
  hold(...verbs: readonly string[]): Promise<void>;
  /** Until a call waits. */
  waits(): Promise<void>;
  /** What waits goes to a database that is not open, which refuses it; nothing is held from then on. */
  refuse(): Promise<void>;
}

interface Held {
  verbs: readonly string[];
  readonly sends: ((how: (message: object) => object) => void)[];
}

declare global {
  interface Window {
    /** In a page that {@link holdCalls} was called for. */
    held: Held;
  }
}

/** To be called before the page is opened. Each page begins with nothing held. */
export async function holdCalls(page: Page): Promise<HeldCalls> {
  await page.addInitScript(() => {
    const held: Held = { verbs: [], sends: [] };
    window.held = held;
    const send: Worker['postMessage'] = Worker.prototype.postMessage;
    Worker.prototype.postMessage = function postMessage(this: Worker, ...args: unknown[]) {
      const [message, ...rest] = args as [{ verb?: string }, ...never[]];
      if (message.verb === undefined || !held.verbs.includes(message.verb)) send.call(this, message, ...rest);
      else held.sends.push((how) => send.call(this, how(message), ...rest));
    };
  });
  return {
    hold: (...verbs) =>
      page.evaluate((next) => {
        const { held } = window;
        held.verbs = next;
        for (const go of held.sends.splice(0)) go((message) => message);
      }, verbs),
    waits: async () => {
      await page.waitForFunction(() => window.held.sends.length > 0);
    },
    refuse: () =>
      page.evaluate(() => {
        const { held } = window;
        held.verbs = [];
        for (const go of held.sends.splice(0)) go((message) => ({ ...message, on: 0 }));
      }),
  };
}
