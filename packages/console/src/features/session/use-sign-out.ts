import { useNavigate } from 'react-router';
import { SESSION_KEY, useApp } from '../../cloud/app.ts';
import { forgetLedgerNotes } from '../../local/forget-notes.ts';
import { ASKED, isLossAhead } from '../../ui/leaving.ts';
import { useToast } from '../../ui/toaster.tsx';

const QUESTION = 'Something on this page is not saved. Sign out without saving it?';

/** Ends the session; says so where it did not end. */
function useEndSession(): () => Promise<boolean> {
  const { session } = useApp();
  const toast = useToast();
  return async () => {
    const problem = await session.signOut();
    if (problem !== undefined) toast(`You are still signed in. ${problem}`, { tone: 'error' });
    return problem === undefined;
  };
}

/** Ends a session that opens no page yet, and loads a page anew. */
export function useStartOver(): (path: string) => Promise<void> {
  const endSession = useEndSession();
  return async (path) => {
    if (await endSession()) location.assign(path);
  };
}

/** Ends the session, and what runs with its rights. */
export function useSignOut(): () => Promise<void> {
  const { queries } = useApp();
  const endSession = useEndSession();
  const navigate = useNavigate();
  return async () => {
    // Before the session ends: after it nothing can be saved any more.
    if (isLossAhead() && !window.confirm(QUESTION)) return undefined;
    if (!(await endSession())) return undefined;
    // The engine is not part of every page; where its script does not come no ledger is open.
    const engine = import('../../cloud/ledger-database.ts').catch(() => undefined);
    const closing = engine.then((loaded) => loaded?.closeLedgers());
    queries.clear();
    queries.setQueryData(SESSION_KEY, null);
    // At once: a page of the cloud leads who is signed out to the login page and back to itself, unless it is being left.
    await navigate('/login', { flushSync: true, state: ASKED });
    forgetLedgerNotes();
    await closing;
  };
}
