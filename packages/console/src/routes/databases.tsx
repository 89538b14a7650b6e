import { Outlet } from 'react-router';
import { AppLayout } from '../features/layout/app-layout.tsx';
import { LocalSidebar } from '../features/layout/local-sidebar.tsx';

/** /fp/databases: the local area, for everybody, also offline. */
export function Component() {
  return (
    <AppLayout sidebar={<LocalSidebar />}>
      <Outlet />
    </AppLayout>
  );
}
