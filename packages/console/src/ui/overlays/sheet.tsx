import { Dialog as Base } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { IconButton } from '../button.tsx';

export interface SheetProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** Renders a modal panel at the bottom of the window, for screens without room beside the page. */
export function Sheet({ title, onClose, children }: SheetProps) {
  return (
    <Base.Root open onOpenChange={(next) => !next && onClose()}>
      <Base.Portal>
        <Base.Backdrop
          forceRender
          className="fixed inset-0 z-40 bg-scrim transition-opacity data-ending-style:opacity-0 data-starting-style:opacity-0"
        />
        <Base.Popup className="fixed inset-x-0 bottom-0 z-40 mx-auto flex max-h-[85dvh] max-w-xl flex-col rounded-t-xl border border-line bg-surface shadow-3 transition-[opacity,translate] data-ending-style:translate-y-4 data-ending-style:opacity-0 data-starting-style:translate-y-4 data-starting-style:opacity-0">
          <div className="flex items-center gap-2 border-b border-line py-1.5 pr-2 pl-4">
            <Base.Title className="mr-auto min-w-0 truncate font-semibold">{title}</Base.Title>
            <Base.Close render={<IconButton label="Close" />}>
              <X size={18} aria-hidden />
            </Base.Close>
          </div>
          <div className="min-h-0 overflow-y-auto overscroll-contain">{children}</div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
