import {
  data,
  type LoaderFunctionArgs,
  redirect,
  useLoaderData,
  useLocation,
  useNavigationType,
} from 'react-router';
import { AGREED, ConnectForm } from '../features/connect/connect-form.tsx';
import { connectionFrom, listConnections, recordConnection, sharedBy } from '../local/connections.ts';
import { listedName, visibleNames } from '../local/database-names.ts';
import { connectedPath } from '../local/database-path.ts';
import { createLocal, storageNames } from '../local/databases.ts';
import { failureText } from '../ui/text/failure-text.ts';

/** Records the connection in the address, and redirects to the connected database. */
export async function loader({ request }: LoaderFunctionArgs) {
  const { searchParams } = new URL(request.url);
  const asked = connectionFrom(searchParams);
  if ('error' in asked) return data(asked, { status: 400 });
  try {
    if (!searchParams.has(AGREED)) {
      const existing = visibleNames((await storageNames()) ?? []);
      const shared = sharedBy(asked, await listConnections(), existing);
      if (shared !== undefined) return data({ shared }, { status: 409 });
    }
    await createLocal(listedName(asked.localName));
    await recordConnection(asked);
  } catch (cause) {
    return data({ error: failureText(cause) }, { status: 400 });
  }
  return redirect(connectedPath(asked));
}

/** /fp/databases/connect?localName=&remoteName=&endpoint= */
export function Component() {
  const found: { error?: string; shared?: string } = useLoaderData<typeof loader>();
  const { search } = useLocation();
  // Users who followed a link in the console have not entered anything yet.
  const isFresh = useNavigationType() === 'PUSH' && search === '';
  return (
    <>
      <title>Connect · Fixpoint</title>
      <ConnectForm
        given={new URLSearchParams(search)}
        error={isFresh ? undefined : found.error}
        shared={found.shared}
      />
    </>
  );
}
