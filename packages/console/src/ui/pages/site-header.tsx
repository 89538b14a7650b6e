import { Link } from 'react-router';
import { Logo } from '../theme/logo.tsx';
import { ThemeToggle } from '../theme/theme-toggle.tsx';
import { siteLinks } from './site-links.ts';

/** Renders the header of pages without a sidebar. */
export function SiteHeader() {
  return (
    <header className="flex h-(--top) shrink-0 items-center gap-1 px-4 max-md:border-b max-md:border-line md:pr-3">
      <Link to="/" className="flex h-8 items-center gap-2 rounded text-base font-semibold tracking-tight">
        <Logo /> Fixpoint
      </Link>
      <nav aria-label="About Fixpoint" className="ml-auto flex max-sm:hidden">
        <SiteLinks />
      </nav>
      <span className="max-sm:ml-auto">
        <ThemeToggle />
      </span>
    </header>
  );
}

/** Links to the documentation, the blog and the community. */
export function SiteLinks() {
  return siteLinks().map(({ text, href }) => (
    <a
      key={href}
      href={href}
      target="_blank"
      rel="noreferrer"
      className="flex h-(--control) items-center rounded-md px-2.25 text-sm text-ink-2 transition-colors hover:bg-pressed hover:text-ink"
    >
      {text}
    </a>
  ));
}
