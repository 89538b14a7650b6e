import { KeyRound } from 'lucide-react';
import type { ReactNode } from 'react';

/** Renders a task for the keys of a ledger, above the page's content. */
export function KeysPanel({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section
      aria-label={title}
      className="mb-5 flex max-w-3xl flex-col gap-3 rounded-lg border border-accent-line bg-accent-soft p-4 text-sm"
    >
      <h2 className="flex items-center gap-2 font-semibold">
        <KeyRound size={15} aria-hidden className="text-accent-ink" /> {title}
      </h2>
      {children}
    </section>
  );
}
