import { useApp } from '../../cloud/app.ts';
import { knownKind, rememberKind } from '../../cloud/ledgers/known-kinds.ts';
import { useLedgers } from '../../cloud/queries/use-cloud.ts';
import { agreeTo } from '../../local/agreed-endpoints.ts';
import { type Connection, recordConnection } from '../../local/connections.ts';
import { endpointHere, type LedgerPlace } from '../../local/endpoint.ts';
import { MovedPanel } from '../ledgers/moved-notice.tsx';
import { attachConnected } from './keep-connected.ts';
import { useSyncUser } from './use-sync-user.ts';

/** Says that the ledger of a connection moved, and connects the local database to its successor. */
export function MovedConnection({ connection, place }: { connection: Connection; place: LedgerPlace }) {
  const { api } = useApp();
  const email = useSyncUser();
  const { tenantId, ledgerId } = place;
  const movedTo = useLedgers(tenantId).data?.find((one) => one.ledgerId === ledgerId)?.movedTo;
  if (movedTo === undefined || typeof email !== 'string') return null;
  const { localName, remoteName } = connection;
  return (
    <MovedPanel
      {...{ tenantId, movedTo }}
      from={knownKind({ ledgerId })}
      name={remoteName}
      onSwitch={async (successor, kind) => {
        rememberKind(successor.ledgerId, kind);
        const endpoint = endpointHere({ tenantId, ledgerId: successor.ledgerId });
        const next: Connection = { ...connection, endpoint, firstConnect: true };
        agreeTo(localName, endpoint, email);
        await recordConnection(next);
        attachConnected(api, email, next);
      }}
    />
  );
}
