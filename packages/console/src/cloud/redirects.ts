/** Where a browser may be sent. */
import { urlOf } from '@fixpoint/protocol';

const HOME = '/fp/cloud';

/** A page of this console, or the cloud home: `redirect_url` comes from the address bar, so anybody may have written it. */
export function ownPage(redirectUrl: string | null, origin: string): string {
  const url = redirectUrl === null ? undefined : urlOf(redirectUrl, origin);
  if (url === undefined || url.origin !== origin || !/^https?:$/.test(url.protocol)) return HOME;
  // A path that begins with two slashes would name another host.
  return `/${url.pathname.replace(/^\/+/, '')}${url.search}`;
}

export interface HandOffTarget {
  readonly url: URL;
  /** The own origin, or a server on this machine. Any other origin gets a token only after the user confirmed it by name. */
  readonly trusted: boolean;
}

const URL_CHARS_MAX = 2048;
const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])$/;

/** Where a token may go; undefined for what is no plain http or https address. */
export function handOffTarget(backUrl: string | null, origin: string): HandOffTarget | undefined {
  if (backUrl === null || backUrl.length > URL_CHARS_MAX) return undefined;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  if (/[\u0000-\u0020\u007f\\]/.test(backUrl) || !/^https?:\/\/[^/]/i.test(backUrl)) return undefined;
  const url = urlOf(backUrl);
  if (url === undefined || url.username !== '' || url.password !== '') return undefined;
  const loopback = url.protocol === 'http:' && LOOPBACK.test(url.hostname);
  return { url, trusted: url.origin === origin || loopback };
}
