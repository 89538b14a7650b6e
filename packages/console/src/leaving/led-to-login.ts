/**
 * Returns whether a page is the login page with a way back. The user didn't choose to leave then,
 * so typed text is kept.
 */
export const isLedToLogin = ({ pathname, search }: Pick<Location, 'pathname' | 'search'>): boolean =>
  pathname === '/login' && new URLSearchParams(search).has('redirect_url');
