import { useEffect, useState } from 'react';
import { useNavigation } from 'react-router';

/**
 * Updates a part of the address after a pause in the user's choices. A choice that the user makes
 * during a navigation is applied after this navigation. A navigation that something else starts,
 * such as Back, replaces the choice.
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
