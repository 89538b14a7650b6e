import type { Database } from 'fixpoint';
import { type LoaderFunctionArgs, Outlet, useLoaderData, useOutletContext } from 'react-router';
import { findConnection } from '../local/connections.ts';
import { listDatabases, listedName, openLocal } from '../local/databases.ts';
import { NotFound } from '../ui/feedback.tsx';

export interface LocalContext {
  readonly database: Database;
  /** The name in the path. */
  readonly name: string;
  /** The local name, when the path names a remote that it is connected to. */
  readonly connectedName: string | undefined;
  readonly base: string;
}

/** A name in the path is that of a local database, or of a remote that one is connected to. */
export async function loader({ params }: LoaderFunctionArgs) {
  const { name = '' } = params;
  if (name === '') throw new Error('No database name provided');
  const connection = await findConnection(name);
  const local = connection === undefined ? name : listedName(connection.localName);
  const exists = (await listDatabases()).includes(local);
  return { name, local, connectedName: connection?.localName, exists };
}

/** /fp/databases/{name} */
export function Component() {
  const { name, local, connectedName, exists } = useLoaderData<typeof loader>();
  if (!exists) return <NotFound />;
  const context: LocalContext = {
    database: openLocal(local),
    name,
    connectedName,
    base: `/fp/databases/${encodeURIComponent(name)}`,
  };
  return <Outlet context={context} key={local} />;
}

export const useLocalDatabase = (): LocalContext => useOutletContext<LocalContext>();
