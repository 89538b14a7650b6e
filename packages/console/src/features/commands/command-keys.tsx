/** Handles the keys that work on every page, and opens the palette and the shortcut sheet. */
import { createContext, type ReactNode, useCallback, useContext, useEffect, useRef, useState } from 'react';
import { useMatches, useNavigate } from 'react-router';
import { type UndoLatest, useToast, useUndoLatest } from '../../ui/overlays/toaster.tsx';
import { isPageAction, runPageAction } from '../../ui/page-actions.ts';
import { isMac, PAGE_SHORTCUTS, type PageShortcut } from '../../ui/shortcut-table.ts';
import { toggleTheme } from '../../ui/theme/theme.ts';
import { activeStack, type Direction } from '../../undo/undo-stack.ts';
import type { Shown } from './command-center.tsx';
import { documentsOf, type Place, placeOf } from './place.ts';
import { isInDialog, isSingleKey, isTyped, keyReader, type Pressed, textAfter } from './pressed-keys.ts';
import { areSingleKeysOn } from './single-keys.ts';

const OpenContext = createContext<(what: Shown) => void>(() => undefined);

/** Returns the function that opens the palette or the sheet of shortcuts. */
export const useCommandCenter = () => useContext(OpenContext);

export const loadCommandCenter = () => import('./command-center.tsx');

export function CommandKeys({ children }: { children: ReactNode }) {
  const [shown, show] = useState<Shown | undefined>();
  const [center, setCenter] = useState<Awaited<ReturnType<typeof loadCommandCenter>> | undefined>();
  const [text, setText] = useState('');
  const toast = useToast();
  const open = useCallback(
    (what: Shown) => {
      show(what);
      setText('');
      loadCommandCenter().then(setCenter, () => {
        show(undefined);
        toast(
          'Couldn’t load part of the console. The server is unreachable or has a newer version. Reload the page once the server answers.',
          {
            tone: 'error',
          },
        );
      });
    },
    [toast],
  );
  const close = () => show(undefined);
  useKeys(open, shown, close);
  useEarlyKeys(shown !== undefined, { type: (pressed) => setText((now) => textAfter(now, pressed)), close });
  return (
    <OpenContext value={open}>
      {children}
      {shown !== undefined && center !== undefined && (
        <center.CommandCenter {...{ shown, show, text, setText }} />
      )}
    </OpenContext>
  );
}

/** Keys handled in addition to letters. Others, such as the reload key, keep their function. */
const EARLY_KEYS = new Set(['Escape', 'Enter', 'Backspace']);

interface EarlyKeys {
  type(pressed: Pressed): void;
  close(): void;
}

/**
 * Collects keys until the opened dialog has loaded and has the focus; they do nothing on the page.
 */
function useEarlyKeys(isOpen: boolean, { type, close }: EarlyKeys): void {
  const latest = useRef({ type, close });
  latest.current = { type, close };
  useEffect(() => {
    if (!isOpen) return undefined;
    const onKey = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey } = event;
      if (ctrlKey || metaKey || altKey || event.isComposing) return;
      if ([...key].length > 1 && !EARLY_KEYS.has(key)) return;
      if (isInDialog(event.composedPath())) return;
      event.preventDefault();
      event.stopPropagation();
      if (key === 'Escape') latest.current.close();
      else latest.current.type(event);
    };
    window.addEventListener('keydown', onKey, { capture: true });
    return () => window.removeEventListener('keydown', onKey, { capture: true });
  }, [isOpen]);
}

function useKeys(open: (what: Shown) => void, shown: Shown | undefined, close: () => void): void {
  const navigate = useNavigate();
  const place = placeOf(useMatches());
  const undoLatest = useUndoLatest();
  const latest = useRef({ run: (_name: PageShortcut): boolean => false });
  latest.current.run = (name) => {
    if (name === 'palette' && shown === 'palette') close();
    else if (name === 'palette' || name === 'help') open(name);
    else if (name === 'theme') toggleTheme();
    else if (name === 'find') return focusSearch();
    else if (isPageAction(name)) return runPageAction(name);
    else if (name === 'undo' || name === 'redo') return undoOrRedo(name, undoLatest);
    else {
      const to = targetOf(name, place);
      if (to === undefined) return false;
      void navigate(to);
    }
    return true;
  };
  const isOpen = shown !== undefined;
  useEffect(() => {
    const read = keyReader(isMac());
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.repeat || event.isComposing) return;
      const path = event.composedPath();
      const isText = isTyped(path);
      // Typed text doesn't start a shortcut of two keys.
      const name = isText && !event.ctrlKey && !event.metaKey ? undefined : read(event);
      if (name === undefined) return;
      const { keys } = PAGE_SHORTCUTS[name];
      if (isSingleKey(keys[0]) && (isText || !areSingleKeysOn())) return;
      // A text field has its own undo.
      if ((name === 'undo' || name === 'redo') && isText) return;
      // Another dialog waits for an answer.
      if (isInDialog(path) && !isOpen) return;
      if (latest.current.run(name)) event.preventDefault();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [isOpen]);
}

/**
 * Undoes or redoes the latest step of the open database. A newer message may have an undo of its
 * own. Returns false if there is nothing to do.
 */
function undoOrRedo(direction: Direction, undoLatest: UndoLatest): boolean {
  const stack = activeStack();
  const { done, undone, recordedAt } = stack?.current() ?? { done: [], undone: [], recordedAt: 0 };
  if (direction === 'undo' && undoLatest(done.length > 0 ? recordedAt : 0)) return true;
  const steps = direction === 'undo' ? done : undone;
  if (stack === undefined || steps.length === 0) return false;
  void stack.run(direction);
  return true;
}

/** Returns where a shortcut leads from this page; undefined for nowhere. */
function targetOf(name: PageShortcut, place: Place): string | undefined {
  const documents = documentsOf(place);
  if (name === 'newDocument') return documents?.create;
  if (name === 'goDocuments') return documents?.all;
  if (name === 'goHistory') return documents?.history;
  if (name === 'goQuery') return documents?.query;
  if (name === 'goLocal') return '/fp/databases';
  return name === 'goCloud' ? '/fp/cloud' : undefined;
}

function focusSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>('main input[type="search"]');
  field?.focus();
  return field !== null;
}
