import { type LoaderFunctionArgs, Outlet, redirect } from 'react-router';
import { queryClient, tenantsQuery, userQuery } from '../cloud/queries.ts';
import { sessionUser } from '../cloud/session.ts';
import { AppLayout } from '../features/layout/app-layout.tsx';
import { CloudSidebar } from '../features/layout/cloud-sidebar.tsx';

/** Cloud pages are for signed-in users, whose status is active. */
export async function loader({ request }: LoaderFunctionArgs) {
  if ((await sessionUser()) === undefined) {
    const { pathname, search } = new URL(request.url);
    return redirect(`/login?redirect_url=${encodeURIComponent(pathname + search)}`);
  }
  const { user, tenants } = await queryClient.ensureQueryData(userQuery);
  if (user.status !== 'active')
    throw new Error(`Your account is ${user.status}. Ask the operator of this server.`);
  if (queryClient.getQueryData(tenantsQuery.queryKey) === undefined)
    queryClient.setQueryData(tenantsQuery.queryKey, tenants);
  return null;
}

export function Component() {
  return (
    <AppLayout sidebar={<CloudSidebar />}>
      <Outlet />
    </AppLayout>
  );
}
