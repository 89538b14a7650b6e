import { useEffect } from 'react';
import { Outlet, useLocation, useNavigate } from 'react-router';
import { UserNotActive } from '../cloud/require-user.ts';
import { useCloudUser, useSession } from '../cloud/use-cloud.ts';
import { useFreshRights } from '../cloud/use-fresh-rights.ts';
import { AppLayout } from '../features/layout/app-layout.tsx';
import { CloudPlace } from '../features/layout/cloud-place.tsx';
import { CloudSidebar } from '../features/layout/cloud-sidebar.tsx';

/** /fp/cloud: pages for signed-in users. Who is signed out meanwhile, here or in another tab, is led to the login page. */
export function Component() {
  const { data: somebody } = useSession();
  const user = useCloudUser();
  const navigate = useNavigate();
  const { pathname, search } = useLocation();
  useEffect(() => {
    if (somebody === null) void navigate(`/login?redirect_url=${encodeURIComponent(pathname + search)}`);
  }, [somebody, navigate, pathname, search]);
  useFreshRights(user?.status === 'active');
  if (user !== undefined && user.status !== 'active') throw new UserNotActive(user.status);
  return (
    <AppLayout sidebar={<CloudSidebar />} place={<CloudPlace />}>
      <Outlet />
    </AppLayout>
  );
}
