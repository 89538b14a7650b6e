import { CSPProvider } from '@base-ui/react/csp-provider';
import { useEffect, useState } from 'react';
import { Outlet, ScrollRestoration, useLocation } from 'react-router';
import { CommandKeys } from '../features/commands/command-keys.tsx';
import { useAskBeforeLeaving } from '../leaving/ask-before-leaving.ts';
import { keepFocus } from '../ui/pages/keep-focus.ts';

/**
 * Wraps every page. Tells the UI library not to add style elements, which the content policy
 * forbids.
 */
export function Root() {
  useAskBeforeLeaving();
  useEffect(() => keepFocus(document.getElementById('root') ?? document.body), []);
  return (
    <CSPProvider disableStyleElements>
      <CommandKeys>
        <Outlet />
      </CommandKeys>
      <ScrollRestoration />
      <PageAnnouncer />
    </CSPProvider>
  );
}

const SETTLED_MS = 250;

/** Announces a new page to screen readers, which browsers do only for whole documents. */
function PageAnnouncer() {
  const { pathname } = useLocation();
  const [first] = useState(pathname);
  const [said, setSaid] = useState('');
  useEffect(() => {
    if (pathname === first && said === '') return undefined;
    const timer = setTimeout(() => setSaid(document.title), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [pathname, first, said]);
  return (
    <p aria-live="polite" className="sr-only">
      {said}
    </p>
  );
}
