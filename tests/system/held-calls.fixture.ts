/** A page whose calls to the engine a test can hold back. */
import type { Page } from 'playwright-core';

export interface HeldCalls {
  /** Holds calls of these database methods from now on, and releases all calls held so far. */
  hold(...verbs: readonly string[]): Promise<void>;
  /** Resolves when a call is held. */
  waits(): Promise<void>;
  /** Sends held calls to a database that isn't open, which rejects them. Stops holding calls. */
  refuse(): Promise<void>;
}

interface Held {
  verbs: readonly string[];
  readonly sends: ((how: (message: object) => object) => void)[];
}

declare global {
  interface Window {
    /** Present in pages that {@link holdCalls} prepared. */
    held: Held;
  }
}

/** Prepares a page. Call it before opening the page. Every load starts without held calls. */
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
