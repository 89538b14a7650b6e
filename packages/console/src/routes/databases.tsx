import { useEffect, useState } from 'react';
import { Outlet } from 'react-router';
import { TENANTS_KEY } from '../cloud/app.ts';
import { lastKnown } from '../cloud/queries/last-known.ts';
import { loadCommandCenter } from '../features/commands/command-keys.tsx';
import { useKeepConnected } from '../features/connect/use-keep-connected.ts';
import { LocalSidebar } from '../features/databases/local-sidebar.tsx';
import { AppLayout } from '../features/layout/app-layout.tsx';
import { CloudSidebarOfUser } from '../features/layout/cloud-sidebar.tsx';
import { whenQuiet } from '../ui/when-quiet.ts';

/** /fp/databases: pages of local databases, which need neither an account nor a network. */
export function Component() {
  useEffect(() => whenQuiet(() => void loadAhead()), []);
  useKeepConnected(whenQuiet);
  // On a first visit, no known tenants reserve the space of the cloud part. Below the local
  // databases, it doesn't move them when it arrives.
  const [isFirstVisit] = useState(() => lastKnown(TENANTS_KEY) === undefined);
  return (
    <AppLayout
      sidebar={
        <>
          {!isFirstVisit && <CloudSidebarOfUser />}
          <LocalSidebar />
          {isFirstVisit && <CloudSidebarOfUser />}
        </>
      }
    >
      <Outlet />
    </AppLayout>
  );
}

/**
 * Prefetches the scripts of the pages below while the server is reachable, so that these pages also
 * work offline.
 */
async function loadAhead(): Promise<void> {
  await Promise.allSettled([
    import('./databases._index.tsx'),
    import('./databases.new.tsx'),
    import('./databases.connect.tsx'),
    import('./databases.$name.tsx'),
    import('./databases.$name._index.tsx'),
    import('./databases.$name.history.tsx'),
    import('./databases.$name.query.tsx'),
    import('./databases.$name.docs.$id.tsx'),
    import('../features/editor/code-editor.tsx'),
    loadCommandCenter(),
  ]);
}
