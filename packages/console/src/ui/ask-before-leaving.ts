import { useEffect } from 'react';
import { type BlockerFunction, NavigationType, useBlocker } from 'react-router';
import { ASKED, questionBefore } from './leaving.ts';

const isAsked: BlockerFunction = ({ currentLocation, nextLocation, historyAction }) =>
  currentLocation.pathname !== nextLocation.pathname &&
  !(historyAction === NavigationType.Push && nextLocation.state === ASKED) &&
  questionBefore(nextLocation) !== undefined;

/**
 * Asks before navigation to a page that would lose something. Used once for all parts of a page,
 * because the router supports only one blocker.
 */
export function useAskBeforeLeaving(): void {
  const blocker = useBlocker(isAsked);
  useEffect(() => {
    if (blocker.state !== 'blocked') return;
    const question = questionBefore(blocker.location);
    if (question === undefined || window.confirm(question)) blocker.proceed();
    else blocker.reset();
  }, [blocker]);
}
