/** Lets the open page act on keys that work everywhere. */
import { useEffect, useRef } from 'react';

const NAMES = ['nextDocument', 'previousDocument', 'authors', 'save'] as const;
export type PageAction = (typeof NAMES)[number];

export const isPageAction = (name: string): name is PageAction => NAMES.some((one) => one === name);

/** Returns false if there is nothing to do, so that the browser handles the key. */
type Act = () => boolean;

const actions = new Map<PageAction, Act>();

/** Acts on a key while the component is in the page. */
export function usePageAction(name: PageAction, act: Act): void {
  const latest = useRef(act);
  latest.current = act;
  useEffect(() => {
    const own = () => latest.current();
    actions.set(name, own);
    return () => {
      if (actions.get(name) === own) actions.delete(name);
    };
  }, [name]);
}

/** Returns whether the page did something. */
export const runPageAction = (name: PageAction): boolean => actions.get(name)?.() ?? false;
