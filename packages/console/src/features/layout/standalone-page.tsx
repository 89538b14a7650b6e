import type { ReactNode } from 'react';
import { SiteHeader } from '../../ui/pages/site-header.tsx';

export interface StandalonePageProps {
  /** Absent if the content has its own heading. */
  readonly title?: string;
  readonly children: ReactNode;
}

/** Renders a page without a sidebar, outside of the product's two areas. */
export function StandalonePage({ title, children }: StandalonePageProps) {
  return (
    <div className="flex min-h-full flex-col">
      <SiteHeader />
      <div className="page bg-sunken! md:mx-2!">
        <main className="m-auto flex w-full max-w-lg flex-col gap-4 px-4 py-8">
          {title !== undefined && <h1 className="text-xl font-semibold">{title}</h1>}
          {children}
        </main>
      </div>
    </div>
  );
}
