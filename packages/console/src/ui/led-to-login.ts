/** Whether a page is the one for signing in that leads back: nobody chose to leave, and what was typed is to be there again. */
export const isLedToLogin = ({ pathname, search }: Pick<Location, 'pathname' | 'search'>): boolean =>
  pathname === '/login' && new URLSearchParams(search).has('redirect_url');
