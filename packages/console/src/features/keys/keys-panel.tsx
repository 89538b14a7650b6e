import { KeyRound } from 'lucide-react';
import type { ReactNode } from 'react';

/** Renders a task for the keys of a ledger, above the page's content. */
export function KeysPanel({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section
      aria-label={title}
      className="mb-3 flex flex-col gap-2.5 rounded-lg border border-accent-line bg-accent-soft px-3.5 py-3 text-sm [&>p]:max-w-prose"
    >
      <h2 className="flex items-center gap-2 font-semibold">
        <KeyRound size={15} aria-hidden className="text-accent-ink" /> {title}
      </h2>
      {children}
    </section>
  );
}
