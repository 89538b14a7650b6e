/**
 * Before a page is closed or loaded anew the browser asks its user, while that would lose something. Links inside the console are none of this: the
 * page goes on, and so does what it began.
 */

const risks = new Set<() => boolean>();

function ask(event: BeforeUnloadEvent): void {
  if (isLossAhead()) event.preventDefault();
}

/** State of a way whose user was asked already. */
export const ASKED = 'asked';

/** Whether to leave now would lose something. */
export const isLossAhead = (): boolean => [...risks].some((isLoss) => isLoss());

/** @param isLoss is asked when the page is about to go. @returns what ends the warning */
export function warnWhile(isLoss: () => boolean): () => void {
  const own = () => isLoss();
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
