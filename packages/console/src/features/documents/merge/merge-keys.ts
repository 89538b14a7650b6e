import { type RefObject, useEffect, useRef } from 'react';
import { areSingleKeysOn } from '../../commands/single-keys.ts';

const HOW = new Map([
  ['1', 'mine'],
  ['2', 'theirs'],
  ['3', 'both'],
]);

/**
 * Handles the keys of a merge: N goes to the next open conflict; 1, 2 and 3 choose mine, the other
 * version or both edits, in the conflict with the focus or else in the first open one.
 * @param next goes to the next open conflict
 */
export function useMergeKeys(part: RefObject<HTMLElement | null>, next: () => void): void {
  const latest = useRef(next);
  latest.current = next;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey, target, repeat } = event;
      if (ctrlKey || metaKey || altKey || repeat || !areSingleKeysOn() || isElsewhere(target)) return;
      const how = HOW.get(key);
      if (how !== undefined && part.current !== null) choose(part.current, how);
      else if (key.toLowerCase() === 'n') latest.current();
      else return;
      event.preventDefault();
    };
    // Captures keys, because N creates a document on other pages.
    window.addEventListener('keydown', onKey, { capture: true });
    return () => window.removeEventListener('keydown', onKey, { capture: true });
  }, [part]);
}

/** Returns whether a key belongs to a text, a list or a dialog. */
const isElsewhere = (target: EventTarget | null): boolean =>
  target instanceof Element &&
  target.closest(
    'input:not([type="radio"], [type="checkbox"]), textarea, select, [role="dialog"], [role="alertdialog"], [role="menu"]',
  ) !== null;

function choose(part: HTMLElement, how: string): void {
  const field = conflictWithFocus(part) ?? openConflicts(part)[0];
  const radio = field?.querySelector<HTMLInputElement>(`[data-how="${how}"]`);
  radio?.click();
  radio?.focus();
}

const conflictsIn = (part: HTMLElement) => [...part.querySelectorAll<HTMLElement>('[data-conflict]')];

const openConflicts = (part: HTMLElement) =>
  conflictsIn(part).filter((one) => one.querySelector(':checked') === null);

const conflictWithFocus = (part: HTMLElement) =>
  conflictsIn(part).find((one) => one.contains(document.activeElement));

/** Moves the focus to the next open conflict; from the last one to the first. */
export function focusNext(part: HTMLElement | null): void {
  if (part === null) return;
  const open = openConflicts(part);
  const all = conflictsIn(part);
  const here = conflictWithFocus(part);
  const at = here === undefined ? -1 : all.indexOf(here);
  const next = open.find((one) => all.indexOf(one) > at) ?? open[0];
  next?.querySelector<HTMLInputElement>('input')?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}
