/**
 * Shows short messages at the bottom of the screen. Uses no library, because errors must be shown
 * even when nothing more can load.
 */
import { CircleAlert, CircleCheck, X } from 'lucide-react';
import { createContext, type ReactNode, useCallback, useContext, useEffect, useRef, useState } from 'react';
import { Button, IconButton } from '../button.tsx';
import { reportFailure } from './report-failure.ts';

interface Toast {
  readonly id: number;
  readonly text: string;
  /** `warning`: something that the user asked for isn't done yet. */
  readonly tone: 'info' | 'warning' | 'error';
  /** Undoes the change that the message reports. */
  readonly undo?: () => void;
  /** When the message appeared, in ms since 1970. */
  readonly at: number;
}

export type ShowToast = (text: string, options?: { tone?: Toast['tone']; undo?: () => void }) => void;
/**
 * Undoes the newest change that a message reported after `since`, in ms since 1970. Returns false
 * when there is nothing to undo.
 */
export type UndoLatest = (since?: number) => boolean;

const COLORS = { info: 'text-accent-ink', warning: 'text-conflict', error: 'text-danger' } as const;
const LIFE_MS = 8000;
/**
 * Lifetime of a message with Undo. It is longer, because keyboard users tab through the page before
 * they reach the button.
 */
const UNDO_LIFE_MS = 20_000;
const SHOWN_MAX = 4;
const ToastContext = createContext<ShowToast>(() => undefined);
const UndoContext = createContext<UndoLatest>(() => false);

const shown = new Set<ShowToast>();

/**
 * Works like {@link useToast} outside of components, such as for the form of a page that the user
 * left.
 */
export const showToast: ShowToast = (text, options) => {
  for (const show of shown) show(text, options);
};

/**
 * Returns a function that shows a message, which screen readers announce. An error stays until it
 * is dismissed.
 */
export const useToast = (): ShowToast => useContext(ToastContext);

/** Returns a function that undoes the newest change that can be undone, and removes its message. */
export const useUndoLatest = (): UndoLatest => useContext(UndoContext);

export function Toaster({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<readonly Toast[]>([]);
  const next = useRef(0);
  const show = useCallback<ShowToast>((text, { tone = 'info', undo } = {}) => {
    const id = next.current++;
    if (tone === 'error') reportFailure(text);
    setToasts((all) => [
      ...all.filter((toast) => toast.text !== text).slice(1 - SHOWN_MAX),
      { id, text, tone, at: Date.now(), ...(undo && { undo }) },
    ]);
  }, []);
  useEffect(() => {
    shown.add(show);
    return () => void shown.delete(show);
  }, [show]);
  const remove = useCallback((id: number) => setToasts((all) => all.filter((toast) => toast.id !== id)), []);
  const latest = useRef(toasts);
  latest.current = toasts;
  const undoLatest = useCallback<UndoLatest>(
    (since = 0) => {
      const toast = latest.current.findLast(({ undo, at }) => undo !== undefined && at > since);
      if (toast === undefined) return false;
      // Updates the list at once, because a key may be pressed twice before the next render.
      latest.current = latest.current.filter((one) => one !== toast);
      toast.undo?.();
      remove(toast.id);
      return true;
    },
    [remove],
  );
  return (
    <ToastContext value={show}>
      <UndoContext value={undoLatest}>{children}</UndoContext>
      <section
        aria-label="Messages"
        aria-live="polite"
        className="pointer-events-none fixed inset-x-4 bottom-12 z-50 flex print:hidden flex-col items-end gap-2"
      >
        {toasts.map((toast) => (
          <Shown key={toast.id} toast={toast} onEnd={() => remove(toast.id)} />
        ))}
      </section>
    </ToastContext>
  );
}

/**
 * Renders a message. Unless it is an error, it disappears by itself, but not while the pointer or
 * the focus is on it.
 */
function Shown({ toast: { text, tone, undo }, onEnd }: { toast: Toast; onEnd: () => void }) {
  const [isPointedAt, setPointedAt] = useState(false);
  const [hasFocus, setFocus] = useState(false);
  const held = isPointedAt || hasFocus;
  const canUndo = undo !== undefined;
  const Icon = tone === 'info' ? CircleCheck : CircleAlert;
  const end = useRef(onEnd);
  end.current = onEnd;
  useEffect(() => {
    if (held || tone === 'error') return undefined;
    const timer = setTimeout(() => end.current(), canUndo ? UNDO_LIFE_MS : LIFE_MS);
    return () => clearTimeout(timer);
  }, [held, tone, canUndo]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: waits while somebody reads, and does nothing else
    <div
      role={tone === 'error' ? 'alert' : 'status'}
      onMouseEnter={() => setPointedAt(true)}
      onMouseLeave={() => setPointedAt(false)}
      onFocus={() => setFocus(true)}
      onBlur={() => setFocus(false)}
      className="pointer-events-auto flex w-full max-w-sm animate-appear items-start gap-2.5 rounded-lg border border-line bg-surface py-2.5 pr-2 pl-3.5 text-sm shadow-3"
    >
      <Icon size={16} aria-hidden className={`mt-0.5 shrink-0 ${COLORS[tone]}`} />
      <span className="min-w-0 flex-1 break-words">{text}</span>
      {undo !== undefined && (
        <Button
          size="sm"
          aria-keyshortcuts="Control+Z Meta+Z"
          onClick={() => {
            undo();
            onEnd();
          }}
        >
          Undo
        </Button>
      )}
      <IconButton label="Dismiss" className="-my-1 !size-7" onClick={onEnd}>
        <X size={14} aria-hidden />
      </IconButton>
    </div>
  );
}
