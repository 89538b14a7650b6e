import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { documentationUrl } from '../../ui/pages/site-links.ts';
import { Logo } from '../../ui/theme/logo.tsx';
import { ThemeToggle } from '../../ui/theme/theme-toggle.tsx';

/** Sentences of our published reports, with what each is about. A test looks for them there. */
export const QUOTES = [
  {
    text: 'A device that joined later received every acknowledged write from the ledger.',
    about: 'After 5,344 forced kills',
    page: 'benchmarks/night-runs-2026-11.html#r1-kills',
  },
  {
    text: 'All runs passed: nothing was lost, and at the end all devices had the same data.',
    about: 'After 200,000 simulated power losses and a failover',
    page: 'benchmarks/night-runs-2026-11.html#all-rules-again',
  },
] as const;

export interface SignInFrameProps {
  readonly title: string;
  readonly lead: string;
  readonly children: ReactNode;
}

/** Renders the form of a sign-in page next to quotes from our test reports. */
export function SignInFrame({ title, lead, children }: SignInFrameProps) {
  return (
    <div className="grid min-h-full lg:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]">
      <div className="flex flex-col px-6 sm:px-10">
        <header className="flex h-16 items-center justify-between">
          <Link to="/" className="flex h-8 items-center gap-2 rounded font-semibold tracking-tight">
            <Logo /> Fixpoint
          </Link>
          <ThemeToggle />
        </header>
        <main className="mx-auto flex w-full max-w-sm flex-1 flex-col justify-center gap-6 py-8 lg:pb-24">
          <div>
            <h1 className="text-2xl font-semibold tracking-tight">{title}</h1>
            <p className="mt-1 text-muted">{lead}</p>
          </div>
          {children}
        </main>
      </div>
      <aside
        aria-label="From our test reports"
        className="flex flex-col justify-center gap-10 border-line bg-raised px-6 py-12 max-lg:border-t sm:px-10 lg:border-l lg:px-16"
      >
        {QUOTES.map(({ text, about, page }) => (
          <figure key={page} className="mx-auto w-full max-w-md border-l-2 border-accent pl-5">
            <blockquote className="text-lg leading-7 font-medium tracking-tight">“{text}”</blockquote>
            <figcaption className="mt-2 text-sm text-muted">
              {about} ·{' '}
              <a href={documentationUrl(page)} className={inlineLink}>
                test report
              </a>
            </figcaption>
          </figure>
        ))}
      </aside>
    </div>
  );
}

export const inlineLink = 'rounded text-accent underline underline-offset-2 hover:text-accent-strong';
