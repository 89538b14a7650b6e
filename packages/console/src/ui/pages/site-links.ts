import { wholePath } from './base-path.ts';
import { isMounted } from './mounted.ts';

/** Returns the address of a page of the documentation, which the console's own server serves. */
export const documentationUrl = (page = 'index.html'): string => siteFile(`/docs/${page}`);

/** Returns the address of a file next to the console. */
export const siteFile = (path: string): string => (isMounted() ? `/fp${path}` : wholePath(path));

/**
 * Returns the links to pages about Fixpoint. The server knows the address of the community; a dev
 * server doesn't, so a page there explains how to take part.
 */
export const siteLinks = () => [
  { text: 'Documentation', href: documentationUrl() },
  { text: 'Blog', href: documentationUrl('project/changelog.html') },
  {
    text: 'Community',
    href: isMounted() ? documentationUrl('project/contributing.html') : wholePath('/community'),
  },
];
