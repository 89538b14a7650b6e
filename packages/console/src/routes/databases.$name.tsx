import { FixpointError } from '@fixpoint/protocol';
import { useMemo, useState } from 'react';
import { type LoaderFunctionArgs, Outlet, useLoaderData, useRouteError } from 'react-router';
import { useAttachedDatabase } from '../features/connect/use-standing.ts';
import type { LocalDatabase } from '../features/databases/local-database.ts';
import { LostLocal } from '../features/databases/lost-local.tsx';
import { useNamedPeople } from '../features/history/use-named-people.ts';
import { usePeople } from '../features/history/use-people.ts';
import { WritingContext } from '../local/can-write.ts';
import { connectionOf, listConnections } from '../local/connections.ts';
import { localPages } from '../local/database-pages.ts';
import { databaseNamed, databasePath } from '../local/database-path.ts';
import { existsLocal, isLostLocal, openLocal } from '../local/databases.ts';
import { placeIn } from '../local/endpoint.ts';
import { useIsLocked } from '../local/lock.ts';
import { useIsLost } from '../local/lost-database.tsx';
import { Button, LinkButton } from '../ui/button.tsx';
import { ErrorPanel, NotFound } from '../ui/pages/feedback.tsx';
import { failureText } from '../ui/text/failure-text.ts';
import { UndoBar } from '../undo/undo-bar.tsx';

/**
 * Resolves the name in the path, which is the name of a local database, or of a remote that a local
 * database is connected to.
 */
export async function loader({ params }: LoaderFunctionArgs) {
  const { name = '' } = params;
  if (name === '') throw new FixpointError('MISSING_NAME', 'No database name provided');
  const connections = await listConnections();
  const { localName, remote } = databaseNamed(name, connections);
  return {
    name,
    localName,
    localPath: databasePath(localName, connections),
    remote,
    connection: connectionOf(connections, localName),
    exists: await existsLocal(localName),
    isLost: await isLostLocal(localName),
  };
}

/** /fp/databases/{name} */
export function Component() {
  const { name, localName, localPath, remote, connection, exists, isLost } = useLoaderData<typeof loader>();
  const [resets, setResets] = useState(0);
  const isLocked = useIsLocked(localName);
  const people = usePeople(connection && placeIn(connection.endpoint)?.tenantId);
  // biome-ignore lint/correctness/useExhaustiveDependencies: after a reset another handle is opened
  const local = useMemo((): LocalDatabase | undefined => {
    if (!exists) return undefined;
    const path = `/fp/databases/${encodeURIComponent(name)}`;
    const title = remote?.remoteName ?? localName;
    const database = openLocal(localName);
    const pages = localPages(path);
    return { database, localName, localPath, remote, connection, path, pages, title, people };
  }, [name, localName, localPath, remote, connection, exists, resets, people]);
  const wasRemoved = useIsLost(local?.database);
  if (isLost || wasRemoved)
    return (
      <LostLocal name={localName} connection={connection} onReset={() => setResets((count) => count + 1)} />
    );
  if (local === undefined)
    return (
      <>
        <title>Not found · Fixpoint</title>
        <NotFound
          text={
            <>
              There is no database called <strong className="wrap-anywhere">{localName}</strong> in this
              browser.
            </>
          }
        >
          <LinkButton to={`/fp/databases/new?name=${encodeURIComponent(localName)}`} tone="primary">
            Create it
          </LinkButton>
          <LinkButton to="/fp/databases">Local databases</LinkButton>
        </NotFound>
      </>
    );
  return (
    <WritingContext value={isLocked ? 'locked' : 'allowed'}>
      <Pages local={local} isLocked={isLocked} />
    </WritingContext>
  );
}

function Pages({ local, isLocked }: { local: LocalDatabase; isLocked: boolean }) {
  const { database, localName } = local;
  const people = useNamedPeople(database, useAttachedDatabase(localName)?.attached, local.people);
  const context = useMemo((): LocalDatabase => ({ ...local, people }), [local, people]);
  return (
    <>
      <Outlet key={localName} context={context} />
      {!isLocked && <UndoBar database={database} people={people} />}
    </>
  );
}

/** Keeps the sidebar when a page fails. */
export function ErrorBoundary() {
  return (
    <ErrorPanel message={failureText(useRouteError())}>
      <Button onClick={() => location.reload()}>Try again</Button>
      <LinkButton to="/fp/databases">Local databases</LinkButton>
    </ErrorPanel>
  );
}
