import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { Logo } from '../../ui/theme/logo.tsx';

/** Renders a page without header and sidebar, outside of the product's two areas. */
export function StandalonePage({ children }: { children: ReactNode }) {
  return (
    <main className="mx-auto flex min-h-full max-w-xl flex-col justify-center gap-6 p-6">
      <Link to="/" className="flex h-8 items-center gap-2 self-center rounded font-semibold tracking-tight">
        <Logo /> Fixpoint
      </Link>
      {children}
    </main>
  );
}
