import type { ReactNode } from 'react';

/** Renders a part of the dialog with its heading. */
export function DialogPart({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title} className="flex flex-col gap-3 px-5 py-4 text-sm">
      <h3 className="font-semibold">{title}</h3>
      {children}
    </section>
  );
}
