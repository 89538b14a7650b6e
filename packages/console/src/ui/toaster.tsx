import { createContext, type ReactNode, useCallback, useContext, useMemo, useRef, useState } from 'react';
import { Button } from './button.tsx';

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly tone: 'info' | 'error';
  readonly action?: { readonly label: string; run(): void };
}

type Show = (text: string, options?: { tone?: Toast['tone']; action?: Toast['action'] }) => void;

const LIFE_MS = 8000;
const ToastContext = createContext<Show>(() => undefined);

/** Shows short messages at the bottom of the screen; a screen reader hears them. */
export const useToast = (): Show => useContext(ToastContext);

export function Toaster({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<readonly Toast[]>([]);
  const next = useRef(0);
  const remove = useCallback((id: number) => setToasts((all) => all.filter((toast) => toast.id !== id)), []);
  const show = useCallback<Show>(
    (text, { tone = 'info', action } = {}) => {
      const id = next.current++;
      setToasts((all) => [...all.slice(-3), { id, text, tone, ...(action && { action }) }]);
      setTimeout(() => remove(id), LIFE_MS);
    },
    [remove],
  );
  const list = useMemo(() => toasts, [toasts]);
  return (
    <ToastContext value={show}>
      {children}
      <div aria-live="polite" className="fixed inset-x-4 bottom-4 z-50 flex flex-col items-end gap-2">
        {list.map(({ id, text, tone, action }) => (
          <div
            key={id}
            role={tone === 'error' ? 'alert' : 'status'}
            className={`flex max-w-md items-center gap-3 rounded-md border bg-surface px-4 py-3 shadow-lg ${tone === 'error' ? 'border-danger text-danger' : 'border-line'}`}
          >
            <span className="break-words">{text}</span>
            {action !== undefined && (
              <Button
                onClick={() => {
                  action.run();
                  remove(id);
                }}
              >
                {action.label}
              </Button>
            )}
            <button
              type="button"
              aria-label="Dismiss"
              className="cursor-pointer px-1 text-muted"
              onClick={() => remove(id)}
            >
              ×
            </button>
          </div>
        ))}
      </div>
    </ToastContext>
  );
}
