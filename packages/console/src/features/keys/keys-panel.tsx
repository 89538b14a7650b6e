import { KeyRound } from 'lucide-react';
import type { ReactNode } from 'react';

export interface KeysPanelProps {
  readonly title: string;
  readonly children: ReactNode;
  /** Whether the user decides here who can read the ledger. */
  readonly isDecision?: boolean;
}

/** Renders a task for the keys of a ledger, above the page's content. */
export function KeysPanel({ title, children, isDecision = false }: KeysPanelProps) {
  return (
    <section
      aria-label={title}
      className={`mb-3 flex flex-col gap-2.5 rounded-lg border px-3.5 py-3 text-sm *:max-w-2xl [&>p]:max-w-prose ${isDecision ? 'border-conflict-line bg-conflict-soft' : 'border-accent-line bg-accent-soft'}`}
    >
      <h2 className="flex items-center gap-2 font-semibold">
        <KeyRound size={15} aria-hidden className={isDecision ? 'text-conflict' : 'text-accent-ink'} />{' '}
        {title}
      </h2>
      {children}
    </section>
  );
}
