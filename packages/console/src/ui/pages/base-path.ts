/**
 * The path below which a server serves the console, such as `/fixpoint`. The server writes it into
 * the page, so one build works below any path. Paths in the console's code don't contain it: the
 * router and `fetch` add it. Only plain links and `location` need these functions.
 */

import { gatewayBase } from '@fixpoint/protocol';

/** Returns the path; empty at the root of a host, and without a page. */
export const basePath = (): string =>
  typeof document === 'undefined' ? '' : (document.documentElement.dataset['base'] ?? '');

/** Returns the whole path of a page or file of the console. */
export const wholePath = (path: string): string => basePath() + path;

/** Returns the path without the base, as the router knows it; undefined for a path elsewhere. */
export function pathBelowBase(pathname: string): string | undefined {
  const base = basePath();
  if (pathname === base) return '/';
  return pathname.startsWith(`${base}/`) ? pathname.slice(base.length) : undefined;
}

/** Returns the address of this server, as people open it and sessions take it. */
export const serverUrl = (): string => location.origin + basePath();

/** Returns the address with which databases attach to this server. */
export const storageBase = (): string => gatewayBase(serverUrl());
