/** A page in which a test can hold back calls to the engine. */
import type { Page } from 'playwright-core';

export interface HeldCalls {
  /**
   * Holds all further calls of these database methods. Also releases the calls that were held so
   * far.
   */
  hold(...verbs: readonly string[]): Promise<void>;
  /** Resolves when at least one call is held. */
  waits(): Promise<void>;
  /** Stops holding calls. Sends held calls to a database that isn't open, which rejects them. */
  refuse(): Promise<void>;
}

interface Held {
  verbs: readonly string[];
  readonly sends: ((how: (message: object) => object) => void)[];
}

declare global {
  interface Window {
    /** Exists in pages that {@link holdCalls} prepared. */
    held: Held;
  }
}

/** Prepares a page before it is opened. After each load of the page, no calls are held. */
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
