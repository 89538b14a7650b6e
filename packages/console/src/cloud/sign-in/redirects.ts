/** Decides where a browser may be redirected. */
import { urlOf } from '@fixpoint/protocol';
import { pathBelowBase } from '../../ui/pages/base-path.ts';

const HOME = '/fp/cloud';

/**
 * Returns a page of this console, or the cloud home. `redirect_url` comes from the address bar, so
 * anybody may have written it. A path doesn't contain the base path, and a whole address does.
 */
export function ownPage(redirectUrl: string | null, origin: string): string {
  const url = redirectUrl === null ? undefined : urlOf(redirectUrl, origin);
  if (url === undefined || url.origin !== origin || !/^https?:$/.test(url.protocol)) return HOME;
  const path = redirectUrl?.startsWith('/') ? url.pathname : pathBelowBase(url.pathname);
  if (path === undefined) return HOME;
  // Browsers treat a path that begins with two slashes as the address of another host.
  return `/${path.replace(/^\/+/, '')}${url.search}`;
}

const URL_CHARS_MAX = 2048;

/**
 * Returns the address that may receive a token, once the user agrees. Returns undefined for
 * anything but a plain http or https address, and for an address of the console itself.
 */
export function handOffTarget(backUrl: string | null, origin: string): URL | undefined {
  if (backUrl === null || backUrl.length > URL_CHARS_MAX) return undefined;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  if (/[\u0000-\u0020\u007f\\]/.test(backUrl) || !/^https?:\/\/[^/]/i.test(backUrl)) return undefined;
  const url = urlOf(backUrl);
  if (url === undefined || url.username !== '' || url.password !== '' || url.origin === origin)
    return undefined;
  return url;
}
