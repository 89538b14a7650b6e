import type { ReactNode } from 'react';

/** Shows a notice about the whole page. Screen readers announce it. */
export function Notice({ icon, children }: { icon: ReactNode; children: ReactNode }) {
  return (
    <div
      role="status"
      className="mb-4 flex items-start gap-2.5 rounded-lg border border-line bg-hover px-3 py-2 text-sm"
    >
      <span className="mt-0.5 shrink-0 text-ink-3">{icon}</span>
      <p>{children}</p>
    </div>
  );
}
