import type { SessionEnvironment } from '../../ports/session-environment.ts';

/**
 * Milliseconds after which a request fails. A refresh holds a lock that all pages of the origin
 * wait for, so a server that never answers must not hold it forever.
 */
export const REQUEST_MS = 15_000;

/** Returns the environment of a page in a browser; undefined on a server and in a worker. */
export function browserSessionEnvironment(): SessionEnvironment | undefined {
  if (typeof window === 'undefined' || typeof localStorage === 'undefined') return undefined;
  return {
    address: () => location.href,
    replaceAddress: (url) => history.replaceState(history.state, '', url),
    leaveTo: (url) => location.assign(url),
    openWindow: () => {
      const opened = window.open('', '', 'popup,width=480,height=640');
      if (opened === null) return undefined;
      const leadTo = (url: string) => {
        if (opened.closed) return false;
        opened.location.replace(url);
        return true;
      };
      return { leadTo, close: () => opened.close() };
    },
    closeWindow: () => window.close(),
    read: (key) => localStorage.getItem(key) ?? undefined,
    write: (key, text) => {
      if (text === undefined) localStorage.removeItem(key);
      else localStorage.setItem(key, text);
    },
    onWritten: (listener) => {
      const hear = ({ key }: StorageEvent) => listener(key ?? '');
      window.addEventListener('storage', hear);
      return () => window.removeEventListener('storage', hear);
    },
    // Pages without Web Locks may refresh at the same time; then they send the same tokens.
    alone: async (name, work) =>
      navigator.locks === undefined ? work() : navigator.locks.request(name, work),
    secret: (bytes) => base64url(crypto.getRandomValues(new Uint8Array(bytes))),
    hash: async (text) =>
      base64url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))),
    now: () => Date.now(),
    after: (ms, work) => void setTimeout(work, ms),
    post: async (url, body) => {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        credentials: 'omit',
        redirect: 'error',
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(REQUEST_MS),
      });
      // A body that ends early rejects here; it must not look like an answer without fields.
      return { status: response.status, body: parsed(await response.text()) };
    },
  };
}

/** Returns undefined for text that isn't JSON, such as the error page of a proxy. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const base64url = (bytes: Uint8Array): string =>
  btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
