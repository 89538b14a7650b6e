import { useVisit } from '../../leaving/visit.ts';
import { confirmConnection } from '../../local/confirmed-connection.ts';
import { listConnections } from '../../local/connections.ts';
import { listedName, problemOfName } from '../../local/database-names.ts';
import { databasePath } from '../../local/database-path.ts';
import { endpointHere, type LedgerPlace, placeIn } from '../../local/endpoint.ts';
import { listDatabases } from '../../local/use-local-databases.ts';
import { Button } from '../../ui/button.tsx';
import { useTask } from '../../ui/overlays/use-task.ts';
import { Card } from '../../ui/pages/page.tsx';
import { CONNECT_PATH } from './address-form.tsx';
import { useSyncUser } from './use-sync-user.ts';

/** Creates a local database that syncs with a ledger, and opens it. */
export function KeepHereCard({ place, name }: { place: LedgerPlace; name: string }) {
  const begin = useVisit();
  const email = useSyncUser() ?? undefined;
  const { isBusy, run } = useTask();
  const keep = () => {
    const visit = begin();
    return run('Couldn’t create the local database', async () =>
      visit.leadTo(await pathToKeep(place, name, email)),
    );
  };
  return (
    <Card
      title="Keep on this device"
      lead="Creates a local database that syncs with this one. You can read and change it offline, and it stays when you disconnect it."
    >
      <Button disabled={isBusy} onClick={() => void keep()}>
        Keep on this device
      </Button>
    </Card>
  );
}

/**
 * Returns the path of the local database that is already connected to the ledger, or else the
 * address that connects a new one. An existing database of the same name isn't used, because
 * its documents would be sent to the ledger.
 */
async function pathToKeep(
  place: LedgerPlace,
  remoteName: string,
  email: string | undefined,
): Promise<string> {
  const [databases, connections] = await Promise.all([listDatabases(), listConnections()]);
  const names = databases.map(({ name }) => name);
  const known = databases.find(({ connection }) => {
    const at = connection && placeIn(connection.endpoint);
    return at?.tenantId === place.tenantId && at.ledgerId === place.ledgerId;
  });
  if (known !== undefined) return databasePath(known.name, connections);
  const localName = freeName(listedName(remoteName), names);
  const asked = { localName, remoteName: remoteName.trim(), endpoint: endpointHere(place) };
  confirmConnection(asked, { email });
  return `${CONNECT_PATH}?${new URLSearchParams(asked)}`;
}

/** Returns a name that no database has, and that Fixpoint doesn't reserve. */
function freeName(name: string, taken: readonly string[]): string {
  const begin = problemOfName(name, []) === undefined ? name : `local-${name}`;
  let free = begin;
  for (let number = 2; problemOfName(free, taken) !== undefined; number += 1) free = `${begin}-${number}`;
  return free;
}
