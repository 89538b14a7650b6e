import { type LoaderFunctionArgs, redirect } from 'react-router';
import { recordConnection } from '../local/connections.ts';
import { createLocal, listedName } from '../local/databases.ts';

/** /fp/databases/connect: records the connection and leads to it. */
export async function loader({ request }: LoaderFunctionArgs) {
  const connection = await recordConnection(new URL(request.url).searchParams);
  await createLocal(listedName(connection.localName));
  return redirect(`/fp/databases/${encodeURIComponent(connection.sanitizedRemoteName)}`);
}

export const Component = () => null;
