import type { ReactNode } from 'react';
import { documentationUrl } from '../../ui/pages/site-links.ts';
import { LivePicture } from './live-picture.tsx';

/** Sentences of our published reports, with what each is about. A test looks for them there. */
export const QUOTES = [
  {
    text: 'A device that joined later received every acknowledged write from the ledger.',
    figure: '5,344',
    about: 'forced kills',
    page: 'benchmarks/night-runs-2026-11.html#r1-kills',
  },
  {
    text: 'All runs passed: nothing was lost, and at the end all devices had the same data.',
    figure: '200,000',
    about: 'simulated power losses',
    page: 'benchmarks/night-runs-2026-11.html#all-rules-again',
  },
] as const;

export interface SignInAsideProps {
  /** Whether to show the picture, with the quotes below it. */
  readonly hasPicture: boolean;
}

/** Shows what Fixpoint does, and what its test reports say. */
export function SignInAside({ hasPicture }: SignInAsideProps) {
  if (!hasPicture)
    return QUOTES.map(({ text, figure, about, page }) => (
      <figure
        key={page}
        className="grid w-full max-w-150 items-center gap-x-6 gap-y-3 rounded-[0.875rem] bg-surface px-7.5 pt-6.5 pb-5.5 shadow-3 sm:grid-cols-[10.5rem_1fr]"
      >
        <p className="text-[2.5rem] leading-11 font-semibold tracking-tighter whitespace-nowrap text-accent-ink">
          {figure}
          <span className="block text-xs font-medium tracking-normal text-ink-3">{about}</span>
        </p>
        <div>
          <blockquote className="text-lg leading-6 font-medium tracking-tight text-pretty">
            “{text}”
          </blockquote>
          <figcaption className="mt-2 text-xs text-ink-3">
            Night runs, November 2026. <ReportLink page={page}>Read the test report</ReportLink>
          </figcaption>
        </div>
      </figure>
    ));
  return (
    <div className="@container w-full max-w-164">
      <LivePicture />
      <div className="mt-6.5 grid gap-6 border-t border-line-strong pt-4.5 @lg:grid-cols-2">
        {QUOTES.map(({ text, figure, about, page }) => (
          <figure key={page} className="border-l-2 border-accent pl-3.5">
            <blockquote className="text-base leading-5.5 font-semibold tracking-tight text-pretty">
              “{text}”
            </blockquote>
            <figcaption className="mt-1.25 text-xs text-ink-3">
              {figure} {about}, November 2026. <ReportLink page={page}>Test report</ReportLink>
            </figcaption>
          </figure>
        ))}
      </div>
    </div>
  );
}

function ReportLink({ page, children }: { page: string; children: ReactNode }) {
  return (
    <a
      href={documentationUrl(page)}
      className="rounded font-medium text-accent-ink underline-offset-2 hover:underline"
    >
      {children}
    </a>
  );
}
