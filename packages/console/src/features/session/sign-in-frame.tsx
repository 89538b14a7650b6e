import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { Logo } from '../../ui/theme/logo.tsx';
import { ThemeToggle } from '../../ui/theme/theme-toggle.tsx';

const QUOTES = [
  {
    text: 'I typed one command and had sync between two laptops before my coffee was cold.',
    by: 'A developer of field-survey apps',
  },
  {
    text: 'Our app works on the train now. The cloud catches up when the train does.',
    by: 'A team that builds for rail staff',
  },
];

export interface SignInFrameProps {
  readonly title: string;
  readonly lead: string;
  readonly children: ReactNode;
}

/** Renders the form of a sign-in page next to quotes from developers. */
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
        aria-label="What developers say"
        className="flex flex-col justify-center gap-10 border-line bg-raised px-6 py-12 max-lg:border-t sm:px-10 lg:border-l lg:px-16"
      >
        {QUOTES.map(({ text, by }) => (
          <figure key={by} className="mx-auto w-full max-w-md border-l-2 border-accent pl-5">
            <blockquote className="text-lg leading-7 font-medium tracking-tight">“{text}”</blockquote>
            <figcaption className="mt-2 text-sm text-muted">{by}</figcaption>
          </figure>
        ))}
      </aside>
    </div>
  );
}

export const inlineLink = 'rounded text-accent underline underline-offset-2 hover:text-accent-strong';
