/** Where a browser may be sent. */

/** A page of this console, or the cloud home: `redirect_url` comes from the address bar, so anybody may have written it. */
export function ownPage(redirectUrl: string | null, origin: string): string {
  if (redirectUrl === null) return '/fp/cloud';
  try {
    const url = new URL(redirectUrl, origin);
    return url.origin === origin ? `${url.pathname}${url.search}` : '/fp/cloud';
  } catch {
    return '/fp/cloud';
  }
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
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  if (backUrl === null || backUrl.length > URL_CHARS_MAX || /[\u0000-\u0020\\]/.test(backUrl))
    return undefined;
  try {
    const url = new URL(backUrl);
    if (url.username !== '' || url.password !== '') return undefined;
    if (url.protocol !== 'https:' && url.protocol !== 'http:') return undefined;
    const loopback = url.protocol === 'http:' && LOOPBACK.test(url.hostname);
    return { url, trusted: url.origin === origin || loopback };
  } catch {
    return undefined;
  }
}
