import { Dialog as Base } from '@base-ui/react/dialog';
import { type ReactNode, useRef } from 'react';

export interface DialogProps {
  readonly open: boolean;
  /**
   * Called when the user closes the dialog with Escape, a click on the backdrop or a close button.
   */
  readonly onClose: () => void;
  /**
   * Whether the action is pending. The dialog then stays open, because it may show a result that
   * appears only once.
   */
  readonly isBusy?: boolean;
  /** Whether keys that the user is typing when the dialog opens must not press a button. */
  readonly interruptsTyping?: boolean;
  readonly title: string;
  readonly description?: ReactNode;
  readonly children?: ReactNode;
  /** Buttons, at the bottom right. */
  readonly actions: ReactNode;
}

/** Renders a modal dialog. Keeps the focus inside, and restores it on close. */
export function Dialog({
  open,
  onClose,
  isBusy = false,
  interruptsTyping = false,
  title,
  description,
  ...parts
}: DialogProps) {
  const { children, actions } = parts;
  const opener = useOpener(open);
  const popup = useRef<HTMLDivElement>(null);
  return (
    <Base.Root open={open} onOpenChange={(next) => !next && !isBusy && onClose()}>
      <Base.Portal>
        <Base.Backdrop
          forceRender
          className="fixed inset-0 z-40 bg-scrim transition-opacity data-ending-style:opacity-0 data-starting-style:opacity-0"
        />
        <Base.Popup
          ref={popup}
          {...(interruptsTyping && { initialFocus: popup })}
          finalFocus={() => (opener.current?.isConnected ? opener.current : document.querySelector('main'))}
          className="fixed top-1/2 left-1/2 z-40 max-h-[calc(100dvh-2rem)] w-[calc(100vw-2rem)] max-w-md overflow-y-auto -translate-x-1/2 -translate-y-1/2 rounded-xl border border-line bg-surface p-5 shadow-3 transition-opacity data-ending-style:opacity-0 data-starting-style:opacity-0"
        >
          <Base.Title className="text-lg font-semibold tracking-tight">{title}</Base.Title>
          {description !== undefined && (
            <Base.Description className="mt-1 text-sm text-ink-2">{description}</Base.Description>
          )}
          {children !== undefined && <div className="mt-4">{children}</div>}
          <div className="mt-5 flex flex-wrap justify-end gap-2">{actions}</div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

/**
 * Returns the element that had the focus before the dialog opened. Base UI looks too late if a
 * field of the dialog takes the focus as soon as it is in the page.
 */
function useOpener(open: boolean) {
  const opener = useRef<HTMLElement | null>(null);
  const wasOpen = useRef(false);
  if (open && !wasOpen.current)
    opener.current = document.activeElement instanceof HTMLElement ? document.activeElement : null;
  wasOpen.current = open;
  return opener;
}
