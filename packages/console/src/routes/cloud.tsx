import { isFixpointError } from '@fixpoint/protocol';
import { CloudOff } from 'lucide-react';
import { useEffect } from 'react';
import { Outlet, useLocation, useNavigate, useNavigation } from 'react-router';
import { SESSION_KEY, useApp } from '../cloud/app.ts';
import { UserNotActive } from '../cloud/require-user.ts';
import { useCloudUser, useSession } from '../cloud/use-cloud.ts';
import { useFreshRights } from '../cloud/use-fresh-rights.ts';
import { AppLayout } from '../features/layout/app-layout.tsx';
import { CloudPlace } from '../features/layout/cloud-place.tsx';
import { CloudSidebar } from '../features/layout/cloud-sidebar.tsx';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/pages/notice.tsx';

/**
 * /fp/cloud: pages for signed-in users. Users who sign out, here or in another tab, are redirected
 * to the login page.
 */
export function Component() {
  const { data: somebody, isError: isUnheard, error, refetch } = useSession();
  useReturn(isUnheard);
  const user = useCloudUser();
  const navigate = useNavigate();
  const { pathname, search } = useLocation();
  const isLeaving = useNavigation().state !== 'idle';
  const isOver = somebody === null && !isLeaving;
  useEffect(() => {
    if (isOver) void navigate(`/login?redirect_url=${encodeURIComponent(pathname + search)}`);
  }, [isOver, navigate, pathname, search]);
  useFreshRights(user?.status === 'active');
  if (user !== undefined && user.status !== 'active') throw new UserNotActive(user.status);
  return (
    <AppLayout sidebar={<CloudSidebar />} place={<CloudPlace />}>
      {isUnheard && (
        <Notice icon={<CloudOff size={16} aria-hidden />}>
          {isFixpointError(error, 'FETCH')
            ? 'The server cannot be reached.'
            : 'The server fails at the moment.'}{' '}
          This is what it last said.{' '}
          <Button size="sm" onClick={() => void refetch()}>
            Try again
          </Button>
        </Notice>
      )}
      <Outlet />
    </AppLayout>
  );
}

const AGAIN_MS = 5000;

/**
 * Retries while the server is unreachable or fails. Once it answers, everything on the page is
 * refetched.
 */
function useReturn(isUnheard: boolean): void {
  const { queries } = useApp();
  useEffect(() => {
    if (!isUnheard) return undefined;
    const ask = () => void queries.refetchQueries({ queryKey: SESSION_KEY });
    const timer = setInterval(ask, AGAIN_MS);
    window.addEventListener('online', ask);
    return () => {
      clearInterval(timer);
      window.removeEventListener('online', ask);
      void queries.invalidateQueries();
    };
  }, [isUnheard, queries]);
}
