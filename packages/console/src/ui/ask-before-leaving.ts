import { useEffect } from 'react';
import { type BlockerFunction, NavigationType, useBlocker } from 'react-router';
import { ASKED, questionBefore } from './leaving.ts';

const isAsked: BlockerFunction = ({ currentLocation, nextLocation, historyAction }) =>
  currentLocation.pathname !== nextLocation.pathname &&
  !(historyAction === NavigationType.Push && nextLocation.state === ASKED) &&
  questionBefore(nextLocation) !== undefined;

/** Asks before another page is shown that would lose something. Once for all parts of a page: the router has room for one who asks. */
export function useAskBeforeLeaving(): void {
  const blocker = useBlocker(isAsked);
  useEffect(() => {
    if (blocker.state !== 'blocked') return;
    const question = questionBefore(blocker.location);
    if (question === undefined || window.confirm(question)) blocker.proceed();
    else blocker.reset();
  }, [blocker]);
}
