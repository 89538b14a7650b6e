import { useEffect, useState } from 'react';
import { useNavigation } from 'react-router';

/**
 * A part of the address, which follows what the user chooses after a pause. What he chose while the address was on its way stays, and is the next; an address that was
 * not asked for here, such as by Back, is followed.
 * @param give makes it the part of the address; the same function as long as it does the same
 */
export function useAhead(
  given: string,
  give: (value: string) => void,
  pauseMs: number,
): readonly [string, (value: string) => void] {
  const [chosen, choose] = useState(given);
  const [before, setBefore] = useState(given);
  const [asked, setAsked] = useState<string>();
  // A way that was begun meanwhile is not given up for another address of this page.
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
