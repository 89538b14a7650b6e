/**
 * Before a page is closed or loaded anew the browser asks its user, while that would lose something. Links inside the console are none of this, unless there is a
 * question for them: the page goes on, and so does what it began.
 */
import type { Location } from 'react-router';

interface Risk {
  /** @param to where a link leads; nothing where the page is closed */
  isLoss(to?: Location): boolean;
  /** Asked before a link is followed. */
  readonly question?: string | undefined;
}

const risks = new Set<Risk>();

function ask(event: BeforeUnloadEvent): void {
  if (isLossAhead()) event.preventDefault();
}

/** State of a way whose user was asked already. */
export const ASKED = 'asked';

/** Whether to leave now would lose something. */
export const isLossAhead = (): boolean => [...risks].some((risk) => risk.isLoss());

/** What a user is to be asked before he follows a link. */
export const questionBefore = (to: Location): string | undefined =>
  [...risks].find(({ question, isLoss }) => question !== undefined && isLoss(to))?.question;

/** @param isLoss is asked when the page is about to go, and, with a question, when a link is followed. @returns what ends the warning */
export function warnWhile(isLoss: Risk['isLoss'], question?: string): () => void {
  const own = { isLoss, question };
  risks.add(own);
  window.addEventListener('beforeunload', ask);
  return () => {
    risks.delete(own);
    // A browser keeps a page to which nobody listens so ready for its Back button.
    if (risks.size === 0) window.removeEventListener('beforeunload', ask);
  };
}

/** Warns until a write has ended, well or not. */
export async function untilStored<T>(write: Promise<T>): Promise<T> {
  const end = warnWhile(() => true);
  try {
    return await write;
  } finally {
    end();
  }
}
