import { FixpointProvider } from '@fixpoint/react';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Household } from './household.tsx';
import { List } from './list.tsx';
import { openOwnList, session } from './model.ts';

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no root');
createRoot(root).render(
  <StrictMode>
    {session === undefined ? (
      <List database={openOwnList()} />
    ) : (
      <FixpointProvider session={session}>
        <Household />
      </FixpointProvider>
    )}
  </StrictMode>,
);

if (import.meta.env.PROD) void navigator.serviceWorker?.register('/worker.js');
