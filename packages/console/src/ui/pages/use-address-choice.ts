import { useEffect, useState } from 'react';
import { useNavigation } from 'react-router';

/**
 * Keeps a part of the address in step with the user's choice, after a pause. A choice made during
 * navigation is kept, and applied next. A navigation from elsewhere, such as Back, replaces the
 * choice.
 * @param give navigates to the choice; must be a stable function
 */
export function useAddressChoice(
  given: string,
  give: (value: string) => void,
  pauseMs: number,
): readonly [string, (value: string) => void] {
  const [chosen, choose] = useState(given);
  const [before, setBefore] = useState(given);
  const [asked, setAsked] = useState<string>();
  // A navigation in progress must not be cancelled for another address of this page.
  const isLeaving = useNavigation().state !== 'idle';
  if (given !== before) {
    setBefore(given);
    setAsked(undefined);
    if (given !== asked) choose(given);
  }
  useEffect(() => {
    if (chosen === given || isLeaving) return undefined;
    const timer = setTimeout(() => {
      setAsked(chosen);
      give(chosen);
    }, pauseMs);
    return () => clearTimeout(timer);
  }, [chosen, given, isLeaving, give, pauseMs]);
  return [chosen, choose];
}
