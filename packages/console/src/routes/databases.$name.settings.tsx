import { tenantHere } from '../cloud/ledgers/attached-databases.ts';
import { useAttachedDatabase } from '../features/connect/use-standing.ts';
import { type LocalDatabase, useLocalDatabase } from '../features/databases/local-database.ts';
import { LocalHeader } from '../features/databases/local-header.tsx';
import { RemovalCard, StorageCard } from '../features/databases/settings/actions.tsx';
import { DatabaseCard } from '../features/databases/settings/database-card.tsx';
import { IndexesCard } from '../features/databases/settings/indexes-card.tsx';
import { ExportCard } from '../features/transfer/export-card.tsx';
import { Columns } from '../ui/pages/settings.tsx';

/** /fp/databases/{name}/settings */
export function Component() {
  const local = useLocalDatabase();
  const attachment = useAttachedDatabase(local.localName);
  return (
    <>
      <LocalHeader
        local={local}
        page="Settings"
        attached={attachment?.attached}
        tenantId={tenantHere(attachment)}
      />
      <Settings local={local} />
    </>
  );
}

function Settings({ local }: { local: LocalDatabase }) {
  const { database, connection } = local;
  return (
    <Columns
      aside={
        <>
          <ExportCard
            database={database}
            lead={
              connection === undefined
                ? 'These documents are only in this browser. An export is a copy that you can keep elsewhere.'
                : undefined
            }
          />
          <StorageCard database={database} />
        </>
      }
    >
      <DatabaseCard local={local} />
      <IndexesCard database={database} />
      <RemovalCard local={local} />
    </Columns>
  );
}
