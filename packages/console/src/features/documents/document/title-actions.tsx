import type { ReactNode } from 'react';
import { InSlot } from '../../../ui/pages/page-slots.tsx';
import { useIsNarrow } from '../../../ui/use-is-narrow.ts';

/** Renders actions in the title line; on a phone, at the bottom, within reach of the thumb. */
export function TitleActions({ children }: { children: ReactNode }) {
  return useIsNarrow() ? (
    <div className="thumb-bar order-last -mx-4 -mb-4 flex flex-wrap items-center justify-end gap-2 border-t border-line bg-surface px-4 py-2 [&>button:last-child]:grow">
      {children}
    </div>
  ) : (
    <InSlot name="actions">{children}</InSlot>
  );
}
