import { isMounted } from './mounted.ts';

/** Returns the address of a page of the documentation, which the console's own server serves. */
export const documentationUrl = (page = 'index.html'): string => `${isMounted() ? '/fp' : ''}/docs/${page}`;

/**
 * Returns the links to pages about Fixpoint. The server knows the address of the community; a dev
 * server doesn't, so a page there explains how to take part.
 */
export const siteLinks = () => [
  { text: 'Documentation', href: documentationUrl() },
  { text: 'Blog', href: documentationUrl('project/changelog.html') },
  { text: 'Community', href: isMounted() ? documentationUrl('project/contributing.html') : '/community' },
];
