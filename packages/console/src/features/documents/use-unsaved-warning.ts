import { useEffect } from 'react';
import { type Location, NavigationType, useBlocker } from 'react-router';
import { ASKED, warnWhile } from '../../ui/leaving.ts';

const QUESTION = 'There are changes that are not saved. Leave without saving them?';

/**
 * Asks before the page is left, by a link or by closing it, while `isUnsaved` says so.
 * @param isUnsaved is given where a link leads; nothing when the page is closed
 */
export function useUnsavedWarning(isUnsaved: (to?: Location) => boolean): void {
  const blocker = useBlocker(
    ({ currentLocation, nextLocation, historyAction }) =>
      currentLocation.pathname !== nextLocation.pathname &&
      !(historyAction === NavigationType.Push && nextLocation.state === ASKED) &&
      isUnsaved(nextLocation),
  );
  useEffect(() => {
    if (blocker.state !== 'blocked') return;
    if (window.confirm(QUESTION)) blocker.proceed();
    else blocker.reset();
  }, [blocker]);
  useEffect(() => warnWhile(() => isUnsaved()), [isUnsaved]);
}
