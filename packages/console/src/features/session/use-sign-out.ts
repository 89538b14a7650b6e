import { useNavigate } from 'react-router';
import { SESSION_KEY, tellSignedOut, useApp } from '../../cloud/app.ts';
import { ASKED, isLossAhead } from '../../leaving/ask-before-leaving.ts';
import { forgetLedgerNotes } from '../../local/forget-notes.ts';
import { useToast } from '../../ui/overlays/toaster.tsx';
import { wholePath } from '../../ui/pages/base-path.ts';

const QUESTION = 'This page has unsaved changes. Sign out without saving them?';

/** Ends the session; shows an error when that fails. */
function useEndSession(): () => Promise<boolean> {
  const { session } = useApp();
  const toast = useToast();
  return async () => {
    const problem = await session.signOut();
    if (problem !== undefined) toast(`Couldn’t sign you out. ${problem}`, { tone: 'error' });
    return problem === undefined;
  };
}

/**
 * Returns a function that ends the session and then reloads the console at a path. For sessions
 * that can't open the page, for example without a second step.
 */
export function useStartOver(): (path: string) => Promise<void> {
  const endSession = useEndSession();
  return async (path) => {
    if (await endSession()) location.assign(wholePath(path));
  };
}

/** Returns a function that ends the session, and everything that runs with its rights. */
export function useSignOut(): () => Promise<void> {
  const { queries } = useApp();
  const endSession = useEndSession();
  const navigate = useNavigate();
  return async () => {
    // Ask before the session ends: afterwards nothing can be saved.
    if (isLossAhead() && !window.confirm(QUESTION)) return undefined;
    if (!(await endSession())) return undefined;
    // The engine isn't part of every page; when its script can't load, no ledger is open.
    const engine = import('../../cloud/ledgers/ledger-database.ts').catch(() => undefined);
    const closing = engine.then((loaded) => loaded?.closeLedgers());
    const local = import('../../cloud/ledgers/attached-databases.ts').catch(() => undefined);
    const detaching = local.then((loaded) => loaded?.detachAll());
    tellSignedOut();
    queries.clear();
    queries.setQueryData(SESSION_KEY, null);
    // Navigate synchronously. Otherwise a cloud page redirects the signed-out user to the login
    // page first, with a redirect back to the cloud page.
    await navigate('/login', { flushSync: true, state: ASKED });
    forgetLedgerNotes();
    await Promise.all([closing, detaching]);
  };
}
