import { useEffect } from 'react';
import { Outlet } from 'react-router';
import { AppLayout } from '../features/layout/app-layout.tsx';
import { LocalSidebar } from '../features/layout/local-sidebar.tsx';

/** /fp/databases: the local area, for everybody, also offline. */
export function Component() {
  useEffect(() => loadAhead(), []);
  return (
    <AppLayout sidebar={<LocalSidebar />}>
      <Outlet />
    </AppLayout>
  );
}

/** Fetches what the pages below need while there is a network, so that they open without one. */
function loadAhead(): void {
  void Promise.allSettled([
    import('./databases.new.tsx'),
    import('./databases.$name.tsx'),
    import('./databases.$name.index.tsx'),
    import('./databases.$name.history.tsx'),
    import('./databases.$name.query.tsx'),
    import('./databases.$name.docs.$id.tsx'),
    import('../ui/code-editor.tsx'),
  ]);
}
