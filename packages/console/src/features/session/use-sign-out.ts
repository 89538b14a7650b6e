import { useNavigate } from 'react-router';
import { SESSION_KEY, useApp } from '../../cloud/app.ts';
import { forgetLedgerNotes } from '../../local/forget-notes.ts';
import { useToast } from '../../ui/toaster.tsx';

/** Ends the session, and what runs with its rights. */
export function useSignOut(): () => Promise<void> {
  const { session, queries } = useApp();
  const navigate = useNavigate();
  const toast = useToast();
  return async () => {
    const problem = await session.signOut();
    if (problem !== undefined) return toast(`You are still signed in. ${problem}`, { tone: 'error' });
    // The engine is not part of every page.
    const { closeLedgers } = await import('../../cloud/ledger-database.ts');
    await closeLedgers();
    forgetLedgerNotes();
    queries.clear();
    queries.setQueryData(SESSION_KEY, null);
    await navigate('/login');
  };
}
