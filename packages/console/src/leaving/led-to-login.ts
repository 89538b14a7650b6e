/**
 * Returns whether a page is the login page that leads back. Nobody chose to leave then, so typed
 * text is kept.
 */
export const isLedToLogin = ({ pathname, search }: Pick<Location, 'pathname' | 'search'>): boolean =>
  pathname === '/login' && new URLSearchParams(search).has('redirect_url');
