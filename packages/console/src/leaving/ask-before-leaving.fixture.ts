import { afterEach, beforeEach, vi } from 'vitest';

/** Provides a window for each test of a file. */
export function withWindow(): void {
  beforeEach(() => {
    vi.stubGlobal('window', new EventTarget());
  });
  afterEach(() => {
    vi.unstubAllGlobals();
  });
}

/** Returns whether the browser would ask before it leaves the page. */
export const isAsked = (): boolean => !window.dispatchEvent(new Event('beforeunload', { cancelable: true }));

export interface WaitingWrite<T> {
  readonly promise: Promise<T>;
  resolve(value: T): void;
  reject(cause: Error): void;
}

export function waitingWrite<T>(): WaitingWrite<T> {
  let ends: Omit<WaitingWrite<T>, 'promise'> | undefined;
  const promise = new Promise<T>((resolve, reject) => {
    ends = { resolve, reject };
  });
  if (ends === undefined) throw new Error('the promise was not begun');
  return { promise, ...ends };
}
