import { useEffect, useRef } from 'react';
import { areSingleKeysOn } from '../commands/single-keys.ts';

export interface FieldKeys {
  /** N: goes to the next field with outliers. */
  next(): void;
  /** F: shows the documents with the field. */
  filter(): void;
}

/** Handles the keys of the schema anywhere on its page, except in text fields and dialogs. */
export function useFieldKeys(keys: FieldKeys): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey, target } = event;
      const act = key === 'n' ? latest.current.next : key === 'f' ? latest.current.filter : undefined;
      if (act === undefined || ctrlKey || metaKey || altKey || event.isComposing) return;
      if (!areSingleKeysOn() || event.defaultPrevented) return;
      if (target instanceof Element && target.closest(BUSY) !== null) return;
      event.preventDefault();
      act();
    };
    // Comes before the keys of all pages, where N creates a document.
    window.addEventListener('keydown', onKey, { capture: true });
    return () => window.removeEventListener('keydown', onKey, { capture: true });
  }, []);
}

const BUSY = 'input, textarea, select, [contenteditable], [role="dialog"], [role="menu"]';
