/**
 * Makes the browser ask before the user closes or reloads a page and would lose something. A link
 * inside the console doesn't stop running work. So the console asks before a link only for risks
 * that have a `question`, such as unsaved text.
 */
import { useEffect } from 'react';
import { type BlockerFunction, type Location, NavigationType, useBlocker } from 'react-router';

interface Risk {
  /** @param to where a link leads; undefined when the page is closed */
  isLoss(to?: Location): boolean;
  /** Shown before a link is followed. */
  readonly question?: string | undefined;
}

const risks = new Set<Risk>();

function ask(event: BeforeUnloadEvent): void {
  if (isLossAhead()) event.preventDefault();
}

/** Navigation state for links that the user has already confirmed. */
export const ASKED = 'asked';

/** Returns whether leaving now would lose something. */
export const isLossAhead = (): boolean => [...risks].some((risk) => risk.isLoss());

/** Returns the question to ask before a link is followed. */
const questionBefore = (to: Location): string | undefined =>
  [...risks].find(({ question, isLoss }) => question !== undefined && isLoss(to))?.question;

/**
 * Warns before the page is left.
 * @param isLoss is called when the page is about to close and, with a question, when a link is
 * followed
 * @returns a function that ends the warning
 */
export function warnWhile(isLoss: Risk['isLoss'], question?: string): () => void {
  const own = { isLoss, question };
  risks.add(own);
  window.addEventListener('beforeunload', ask);
  return () => {
    risks.delete(own);
    // Browsers keep a page ready for the Back button only while it has no such listener.
    if (risks.size === 0) window.removeEventListener('beforeunload', ask);
  };
}

/** Warns until a write has settled, whether it succeeded or not. */
export async function untilStored<T>(write: Promise<T>): Promise<T> {
  const end = warnWhile(() => true);
  try {
    return await write;
  } finally {
    end();
  }
}

const isAsked: BlockerFunction = ({ currentLocation, nextLocation, historyAction }) =>
  currentLocation.pathname !== nextLocation.pathname &&
  !(historyAction === NavigationType.Push && nextLocation.state === ASKED) &&
  questionBefore(nextLocation) !== undefined;

/**
 * Asks before a navigation that would lose something. Used once for all parts of a page, because
 * the router supports only one blocker.
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
