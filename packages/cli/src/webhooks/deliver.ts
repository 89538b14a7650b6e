/**
 * Delivers changes to webhooks: in order, at least once, with retries that never end. Each webhook
 * runs by itself, so a webhook that fails delays no other one, and never ends the API.
 */
import { isFixpointError } from '@fixpoint/protocol';
import type { ChangeFeed } from 'fixpoint/feed';
import { changesPage } from '../served/changes-page.ts';
import type { Positions } from './positions.ts';
import { deliveryId, signatureOf, type Webhook } from './webhook.ts';

export interface DeliveryParts {
  readonly feed: ChangeFeed;
  /** Calls the function after each change. Returns a function that unsubscribes. */
  readonly subscribe: (changed: () => void) => () => void;
  readonly positions: Positions;
  readonly secret: string;
  readonly fetch: typeof fetch;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** A number from 0 to 1. */
  readonly random: () => number;
  /** Resolves after a time, or when the signal aborts. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly note: (line: string) => void;
}

const LIMITS = { limit: 100, bytes: 1_000_000 };
const TIMEOUT_MS = 15_000;
const FIRST_DELAY_MS = 1000;
const DELAY_MAX_MS = 300_000;

/** Starts to deliver. Returns a function that ends all deliveries, and resolves when they ended. */
export function startWebhooks(webhooks: readonly Webhook[], parts: DeliveryParts): () => Promise<void> {
  const stop = new AbortController();
  const runs = webhooks.map((webhook) => new Delivery(webhook, parts, stop.signal).run());
  return async () => {
    stop.abort();
    await Promise.all(runs);
  };
}

/**
 * Returns the milliseconds to wait before a retry: half of a time that doubles with each failure,
 * plus a random part, so that many clients don't return at the same moment.
 */
export function delayMs(failures: number, random: number): number {
  const longest = Math.min(DELAY_MAX_MS, FIRST_DELAY_MS * 2 ** Math.min(failures - 1, 30));
  return Math.round(longest * (0.5 + random / 2));
}

/** One webhook and its position. */
class Delivery {
  readonly #webhook: Webhook;
  readonly #parts: DeliveryParts;
  readonly #stop: AbortSignal;
  #position: string | undefined;
  /** Whether changes between two deliveries may be missing. */
  #isReset = false;
  #hasChanged = false;
  #wake: (() => void) | undefined;

  constructor(webhook: Webhook, parts: DeliveryParts, stop: AbortSignal) {
    this.#webhook = webhook;
    this.#parts = parts;
    this.#stop = stop;
  }

  async run(): Promise<void> {
    const { subscribe, sleep, random, note } = this.#parts;
    const wake = () => {
      this.#hasChanged = true;
      this.#wake?.();
    };
    const unsubscribe = subscribe(wake);
    this.#stop.addEventListener('abort', wake, { once: true });
    let failures = 0;
    while (!this.#stop.aborted) {
      try {
        const isDone = await this.#step();
        if (failures > 0) note(`webhook ${this.#webhook.label}: delivered after ${failures} failures`);
        failures = 0;
        if (isDone) await this.#nextChange();
      } catch (cause) {
        if (this.#stop.aborted) break;
        failures += 1;
        const wait = delayMs(failures, random());
        note(
          `webhook ${this.#webhook.label}: ${reasonOf(cause)}; next attempt in ${Math.ceil(wait / 1000)} s`,
        );
        await sleep(wait, this.#stop);
      }
    }
    unsubscribe();
    this.#stop.removeEventListener('abort', wake);
  }

  /**
   * Delivers the next changes, and reads them again after each failure. Returns whether these were
   * all changes so far.
   */
  async #step(): Promise<boolean> {
    const { feed, positions } = this.#parts;
    const { id } = this.#webhook;
    if (this.#position === undefined && !this.#isReset) {
      this.#position = await positions.load(id);
      if (this.#position === undefined) {
        const now = await feed.position();
        await positions.save(id, now);
        this.#position = now;
      }
    }
    this.#hasChanged = false;
    const page = await this.#page();
    if (page.changes.length > 0) await this.#deliver(page.changes, page.position);
    if (page.position !== this.#position) await positions.save(id, page.position);
    this.#position = page.position;
    this.#isReset = false;
    return page.isLast;
  }

  /** Resolves when the database has changed since the last step began, or deliveries end. */
  async #nextChange(): Promise<void> {
    if (this.#hasChanged || this.#stop.aborted) return;
    await new Promise<void>((wake) => {
      this.#wake = wake;
    });
  }

  /** Starts again with all documents if the database no longer has the position. */
  async #page() {
    try {
      return await changesPage(this.#parts.feed, this.#position, LIMITS);
    } catch (cause) {
      const isGone = isFixpointError(cause, 'MISSING_BLOCK') || isFixpointError(cause, 'HEAD_INVALID');
      if (!isGone || this.#position === undefined) throw cause;
      this.#position = undefined;
      this.#isReset = true;
      return changesPage(this.#parts.feed, undefined, LIMITS);
    }
  }

  /** @throws Error unless the receiver answers with a status from 200 to 299 */
  async #deliver(changes: readonly string[], position: string): Promise<void> {
    const { secret, now, fetch } = this.#parts;
    const { id, url, authorization } = this.#webhook;
    const body = `{"changes":[${changes.join(',')}],"position":${JSON.stringify(position)},"reset":${this.#isReset}}`;
    const delivery = deliveryId(id, body);
    const timestamp = Math.floor(now() / 1000);
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'fixpoint-webhook',
      'webhook-id': delivery,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signatureOf(secret, delivery, timestamp, body),
      ...(authorization !== undefined && { authorization }),
    };
    // Redirects are failures: they could lead to an address that the operator didn't name.
    const request = { method: 'POST', body, headers, redirect: 'manual' } as const;
    const status = await withTimeout(this.#stop, async (signal) => {
      const response = await fetch(url, { ...request, signal });
      await response.body?.cancel();
      return response.status;
    });
    if (status < 200 || status > 299) throw new Error(`the receiver answered with status ${status}`);
  }
}

/**
 * Calls `work` with a signal that aborts after the timeout, and when `stop` does. Unlike
 * `AbortSignal.any`, leaves nothing behind on `stop`.
 */
async function withTimeout<T>(stop: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const both = new AbortController();
  const abort = () => both.abort(stop.reason);
  const timer = setTimeout(() => both.abort(new DOMException('', 'TimeoutError')), TIMEOUT_MS);
  stop.addEventListener('abort', abort, { once: true });
  if (stop.aborted) abort();
  try {
    return await work(both.signal);
  } finally {
    clearTimeout(timer);
    stop.removeEventListener('abort', abort);
  }
}

/** Returns the reason of a failure, without messages of `fetch`, which may contain the address. */
function reasonOf(cause: unknown): string {
  if (isFixpointError(cause)) return cause.message;
  const {
    name,
    message,
    cause: inner,
    code,
  } = cause as NodeJS.ErrnoException & { cause?: { code?: string } };
  if (name === 'TimeoutError') return `no answer within ${TIMEOUT_MS / 1000} s`;
  if (name === 'TypeError') return `the receiver can't be reached (${inner?.code ?? 'network error'})`;
  return code ?? message;
}
