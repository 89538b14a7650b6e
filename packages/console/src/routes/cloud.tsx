import { isFixpointError, LIMITS } from '@fixpoint/protocol';
import { CloudOff } from 'lucide-react';
import { type ReactNode, useEffect } from 'react';
import { Link, Outlet, useLocation, useNavigate, useNavigation, useParams } from 'react-router';
import { SESSION_KEY, useApp } from '../cloud/app.ts';
import { useCloudUser, useFreshRights, useSession, useTenants } from '../cloud/queries/use-cloud.ts';
import { UserNotActive } from '../cloud/sign-in/require-user.ts';
import { tenantLabel } from '../cloud/tenant-label.ts';
import { useKeepConnected } from '../features/connect/use-keep-connected.ts';
import { LocalSidebar } from '../features/databases/local-sidebar.tsx';
import { AppLayout } from '../features/layout/app-layout.tsx';
import { CloudSidebar } from '../features/layout/cloud-sidebar.tsx';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/pages/notice.tsx';
import { whenQuiet } from '../ui/when-quiet.ts';
import { truncate } from '../values/truncate.ts';

/** /fp/cloud: pages for signed-in users. */
export const Component = () => (
  <CloudLayout>
    <Outlet />
  </CloudLayout>
);

export interface CloudLayoutProps {
  /** Default: the tenants of the user, and the local databases. */
  readonly sidebar?: ReactNode;
  readonly place?: ReactNode;
  readonly children: ReactNode;
}

/**
 * Renders the frame of pages for signed-in users. Users who sign out, here or in another tab, are
 * redirected to the login page.
 */
export function CloudLayout({ sidebar, place = <CloudPlace />, children }: CloudLayoutProps) {
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
  useKeepConnected(whenQuiet);
  if (user !== undefined && user.status !== 'active') throw new UserNotActive(user.status);
  return (
    <AppLayout
      sidebar={
        sidebar ?? (
          <>
            <CloudSidebar />
            <LocalSidebar />
          </>
        )
      }
      place={place}
    >
      {/* Offline, the layout says so. */}
      {isUnheard && navigator.onLine && (
        <Notice
          icon={<CloudOff size={16} aria-hidden />}
          action={<Button onClick={() => void refetch()}>Try again</Button>}
        >
          {isFixpointError(error, 'FETCH')
            ? 'Couldn’t reach the server.'
            : 'The server isn’t working properly.'}{' '}
          This page shows the data that was loaded last.
        </Notice>
      )}
      {children}
    </AppLayout>
  );
}

const AGAIN_MS = 5000;

/**
 * Retries while the server is unreachable or fails. Once the server answers, the page refetches all
 * its data.
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

/** Shows the page's tenant in the header. */
function CloudPlace() {
  const { tenantId } = useParams();
  const tenant = useTenants().data?.find((one) => one.tenantId === tenantId);
  if (tenant === undefined) return null;
  const name = tenantLabel(tenant);
  return (
    <Link
      to={`/fp/cloud/tenants/${tenantId}/overview`}
      title={name}
      className="-my-1 truncate rounded py-1 hover:text-ink hover:underline"
    >
      {truncate(name, LIMITS.headerNameCharsMax)}
    </Link>
  );
}
