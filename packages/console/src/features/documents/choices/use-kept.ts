/** Keeps the state of a merge as long as the page of its document is open. */
import { useCallback, useState } from 'react';

const pages = new WeakMap<object, Map<string, unknown>>();

/**
 * Works like useState, but the value stays when the component is removed, so that leaving the merge
 * loses no choice.
 * @param page an object that lasts as long as the page
 * @param initial always the same value
 */
export function useKept<T>(
  page: object,
  name: string,
  initial: T,
): readonly [T, (how: (now: T) => T) => void] {
  const [, setCount] = useState(0);
  const change = useCallback(
    (how: (now: T) => T) => {
      const kept = pages.get(page) ?? new Map<string, unknown>();
      pages.set(page, kept.set(name, how(keptValue(page, name, initial))));
      setCount((count) => count + 1);
    },
    [page, name, initial],
  );
  return [keptValue(page, name, initial), change];
}

function keptValue<T>(page: object, name: string, initial: T): T {
  const kept = pages.get(page);
  return kept?.has(name) === true ? (kept.get(name) as T) : initial;
}

/** Returns whether the user made choices on a page that are neither used nor forgotten. */
export const hasKept = (page: object): boolean => (pages.get(page)?.size ?? 0) > 0;

/**
 * Must be called when the merge is done: the next one begins without choices.
 * @param name forgets only the choices of the merge with this name
 */
export function forgetKept(page: object, name?: string): void {
  if (name === undefined) return void pages.delete(page);
  const left = [...(pages.get(page) ?? [])].filter(([one]) => !one.endsWith(` ${name}`));
  pages.set(page, new Map(left));
}
