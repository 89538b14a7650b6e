/**
 * Measures how long hints take. Each process sends itself a hint through the bus, and waits until
 * it comes back. Followers ignore it, because no ledger has its id.
 */
import { randomBytes } from 'node:crypto';
import type { HintBus } from './hint-bus.ts';

const EVERY_MS = 5000;

export interface BusProbe {
  /**
   * Returns the seconds that the last hint took. While it isn't back, returns the seconds since it
   * was sent, if these are more.
   */
  delay(): number;
  stop(): void;
}

/** @param isShared whether the bus leads to other processes. Otherwise the delay is always 0 */
export function probeBus(
  bus: HintBus,
  isShared: boolean,
  now: () => number,
  everyMs: number = EVERY_MS,
): BusProbe {
  if (!isShared) return { delay: () => 0, stop: () => undefined };
  const id = `probe-${randomBytes(12).toString('hex')}`;
  let sentAt: number | undefined;
  let lastMs = 0;
  let isSending = false;
  const stopListening = bus.subscribe((hint) => {
    // The bus also passes a hint on within this process, before it sends it.
    if (hint !== id || isSending || sentAt === undefined) return;
    lastMs = now() - sentAt;
    sentAt = undefined;
  });
  const send = () => {
    // A hint that is lost stays unanswered until the next one comes back.
    sentAt ??= now();
    isSending = true;
    bus.publish(id);
    isSending = false;
  };
  const timer = setInterval(send, everyMs);
  timer.unref();
  return {
    delay: () => Math.max(lastMs, sentAt === undefined ? 0 : now() - sentAt) / 1000,
    stop: () => {
      clearInterval(timer);
      stopListening();
    },
  };
}
