import { tenantHere } from '../cloud/ledgers/attached-databases.ts';
import { useTenantName } from '../features/connect/connected-badge.tsx';
import { useAttachedDatabase, useStanding } from '../features/connect/use-standing.ts';
import { type LocalDatabase, useLocalDatabase } from '../features/databases/local-database.ts';
import { LocalHeader } from '../features/databases/local-header.tsx';
import { NotShared, SharedElsewhere } from '../features/databases/not-shared.tsx';
import { LedgerSharing } from '../features/sharing/ledger-sharing.tsx';
import { LinkButton } from '../ui/button.tsx';

/** /fp/databases/{name}/sharing */
export function Component() {
  const local = useLocalDatabase();
  const attachment = useAttachedDatabase(local.localName);
  return (
    <>
      <LocalHeader
        local={local}
        page="Sharing"
        attached={attachment?.attached}
        tenantId={tenantHere(attachment)}
      />
      <Sharing local={local} />
    </>
  );
}

/**
 * Shows who has access to the documents of a local database: the people of the ledger that it syncs
 * with, or nobody else.
 */
function Sharing({ local }: { local: LocalDatabase }) {
  const { localName, connection } = local;
  const standing = useStanding(localName, connection);
  const attached = useAttachedDatabase(localName)?.attached;
  const tenantName = useTenantName(standing);
  switch (standing.is) {
    case 'waiting':
    case 'failed':
    case 'syncing': {
      const { tenantId, ledgerId } = standing.place;
      if (standing.other !== undefined) return <SharedElsewhere {...standing.other} place={standing.place} />;
      return (
        <LedgerSharing
          {...{ tenantId, ledgerId, attached }}
          note={
            <>
              This database syncs with <strong className="font-medium">{connection?.remoteName}</strong>
              {tenantName !== undefined && ` in ${tenantName}`}, so everybody with access to it gets these
              documents.
            </>
          }
          actions={
            <LinkButton to={`/fp/cloud/tenants/${tenantId}/ledgers/${ledgerId}/sharing`}>
              Open in the cloud
            </LinkButton>
          }
        />
      );
    }
    default:
      return <NotShared {...{ local, standing }} />;
  }
}
