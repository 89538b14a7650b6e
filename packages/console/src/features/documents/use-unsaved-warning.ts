import { useEffect } from 'react';
import { useBlocker } from 'react-router';
import { warnWhile } from '../../ui/leaving.ts';

const QUESTION = 'There are changes that are not saved. Leave without saving them?';

/** Asks before the page is left, by a link or by closing it, while `isUnsaved` says so. */
export function useUnsavedWarning(isUnsaved: () => boolean): void {
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) => currentLocation.pathname !== nextLocation.pathname && isUnsaved(),
  );
  useEffect(() => {
    if (blocker.state !== 'blocked') return;
    if (window.confirm(QUESTION)) blocker.proceed();
    else blocker.reset();
  }, [blocker]);
  useEffect(() => warnWhile(isUnsaved), [isUnsaved]);
}
