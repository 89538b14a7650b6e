import type { ReactNode } from 'react';
import { lazyComponent } from '../../ui/pages/lazy-component.tsx';
import { SiteHeader } from '../../ui/pages/site-header.tsx';

/** Says in one sentence what the product is. */
export const WHAT_IT_IS =
  'A document database that runs inside your app, works offline, and syncs when it can.';

/** Loaded after the form. Without it, the page works all the same. */
const SignInAside = lazyComponent(() =>
  import('../sign-in-aside/sign-in-aside.tsx').then(
    (module) => module.SignInAside,
    () => () => null,
  ),
);

export interface SignInFrameProps {
  readonly title: string;
  readonly lead?: string;
  /** Shown in large letters in place of the title. */
  readonly headline?: string;
  readonly children: ReactNode;
}

const HEADLINE = 'text-3xl font-semibold text-balance max-sm:text-2xl';

/** Renders the form of a sign-in page next to a picture and quotes from our test reports. */
export function SignInFrame({ title, lead, headline, children }: SignInFrameProps) {
  return (
    <div className="flex min-h-full flex-col">
      <SiteHeader />
      <div className="page grid! md:mx-2! lg:grid-cols-[31.25rem_minmax(0,1fr)]">
        <main className="roomy mx-auto flex w-full max-w-lg flex-col justify-center gap-5 px-5 py-8 sm:px-14">
          <div className="mb-2">
            <h1 className={headline === undefined ? HEADLINE : 'sr-only'}>{title}</h1>
            {headline !== undefined && <p className={HEADLINE}>{headline}</p>}
            {lead !== undefined && <p className="mt-2 text-ink-2">{lead}</p>}
          </div>
          {children}
        </main>
        <aside
          aria-label="Why Fixpoint"
          className="sign-in-aside flex flex-col items-center justify-center gap-5 border-line px-5 py-10 max-lg:border-t lg:border-l lg:px-12"
        >
          <SignInAside hasPicture={headline !== undefined} />
        </aside>
      </div>
    </div>
  );
}

export const inlineLink = 'rounded font-medium text-accent-ink underline-offset-2 hover:underline';
