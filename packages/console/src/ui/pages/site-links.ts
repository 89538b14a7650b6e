/** Pages of the product's website. */
export const DOCUMENTATION_URL = 'https://fixpoint.example/docs';

export const SITE_LINKS = [
  { text: 'Documentation', href: DOCUMENTATION_URL },
  { text: 'Blog', href: 'https://fixpoint.example/blog' },
  { text: 'Community', href: 'https://fixpoint.example/community' },
];
