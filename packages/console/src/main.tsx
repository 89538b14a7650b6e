import './styles.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { RouterProvider } from 'react-router/dom';
import { AppContext, createApp } from './cloud/app.ts';
import { withBegun } from './cloud/begun-answers.ts';
import { keepLastKnown } from './cloud/queries/last-known.ts';
import { sessionQuery } from './cloud/queries/queries.ts';
import { countVisits, VisitsContext } from './leaving/visit.ts';
import { keepLedgerNotesOf } from './local/forget-notes.ts';
import { keepForOffline } from './offline/register.ts';
import { createRouter } from './router.tsx';
import { Toaster } from './ui/overlays/toaster.tsx';
import { pathBelowBase, wholePath } from './ui/pages/base-path.ts';

function start(): void {
  const root = document.getElementById('root');
  if (root === null) throw new Error('index.html has no root');
  // If the preload script runs after this one, it stops when it finds this object.
  window.begunRequests ??= { atMs: 0, byPath: new Map() };
  const fetchOrBegun = withBegun(
    (path, init) => fetch(typeof path === 'string' ? wholePath(path) : path, init),
    window.begunRequests,
    () => performance.now(),
  );
  const app = createApp(fetchOrBegun, { startAnew: () => location.reload(), goOn: keepLedgerNotesOf });
  keepLastKnown(app.queries);
  // Nearly every page waits for the session, so the request starts while the page's script loads.
  void app.queries.prefetchQuery(sessionQuery(app.session));
  const router = createRouter(app);
  createRoot(root).render(
    <StrictMode>
      <AppContext value={app}>
        <QueryClientProvider client={app.queries}>
          <VisitsContext value={countVisits(router)}>
            <Toaster>
              <RouterProvider router={router} />
            </Toaster>
          </VisitsContext>
        </QueryClientProvider>
      </AppContext>
    </StrictMode>,
  );
  keepForOffline();
}

// A server below a path also answers without the path, because some proxies strip it.
if (pathBelowBase(location.pathname) === undefined)
  location.replace(wholePath(location.pathname) + location.search + location.hash);
else start();
