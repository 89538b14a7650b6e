import type { ReactNode } from 'react';
import { InSlot } from '../../../ui/pages/page-slots.tsx';
import { useIsNarrow } from '../../../ui/use-is-narrow.ts';

/**
 * Renders actions in the title line; on a phone, at the bottom, within reach of the thumb.
 * @param beside a status next to the title, for which a phone has no room
 */
export function TitleActions({ beside, children }: { beside?: ReactNode; children: ReactNode }) {
  return useIsNarrow() ? (
    <div className="thumb-bar order-last -mx-4 -mb-4 flex flex-wrap items-center justify-end gap-2 border-t border-line bg-surface px-4 py-2 [&>button:last-child]:grow">
      {children}
    </div>
  ) : (
    <>
      {beside && <InSlot name="beside">{beside}</InSlot>}
      <InSlot name="actions">{children}</InSlot>
    </>
  );
}
