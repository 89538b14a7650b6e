import { STORAGE_PATH } from './names.ts';

/**
 * Returns the URL that a text parses to, or undefined. `URL.canParse` can't be used: once Node 20
 * has compiled it, after many calls, it accepts non-ASCII letters that the constructor rejects.
 */
export function urlOf(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

/**
 * Returns the address with which databases attach to a server. Below a path, it must name the
 * gateway, because an address with a path is used as it is.
 * @param server the address that people open, such as `https://example.com/fixpoint`
 */
export function gatewayBase(server: string): string {
  return new URL(server).pathname === '/' ? server : `${server.replace(/\/+$/, '')}${STORAGE_PATH}`;
}
