/**
 * Returns whether a page is the login page with a redirect back. A user who lands there didn't
 * choose to leave, so typed text is kept.
 */
export const isLedToLogin = ({ pathname, search }: Pick<Location, 'pathname' | 'search'>): boolean =>
  pathname === '/login' && new URLSearchParams(search).has('redirect_url');
