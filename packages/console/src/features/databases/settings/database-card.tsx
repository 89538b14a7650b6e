import type { BridgedDatabase } from 'fixpoint/bridge';
import { Eye, Laptop, LockKeyhole, RefreshCw } from 'lucide-react';
import type { ReactNode } from 'react';
import { ledgerIn } from '../../../local/endpoint.ts';
import { Button, LinkButton } from '../../../ui/button.tsx';
import { useToast } from '../../../ui/overlays/toaster.tsx';
import { useTask } from '../../../ui/overlays/use-task.ts';
import { Card } from '../../../ui/pages/page.tsx';
import { SettingRow, SettingRows } from '../../../ui/pages/settings.tsx';
import { ConnectButton } from '../../connect/connect-links.tsx';
import { useTenantName } from '../../connect/connected-badge.tsx';
import { describeStanding } from '../../connect/describe-standing.ts';
import { useAttachedDatabase, useStanding } from '../../connect/use-standing.ts';
import { LEDGER_KIND_TEXTS } from '../../keys/kinds/ledger-kinds.ts';
import { useKnownKind } from '../../keys/use-known-kind.ts';
import { SyncIcon } from '../../sync/sync-word.tsx';
import { keepStorage, useRoom, useSize, useStorageActions } from '../../sync/use-storage.ts';
import type { LocalDatabase } from '../local-database.ts';

const ICON = { size: 15, 'aria-hidden': true } as const;

/** Shows the name of a local database, who can read it, and what it syncs with. */
export function DatabaseCard({ local }: { local: LocalDatabase }) {
  const { database, localName } = local;
  return (
    <Card title="Database">
      <SettingRows>
        <SettingRow name="Name" note="The name can’t change, because apps open the database by its name.">
          <strong className="font-medium">{localName}</strong>
        </SettingRow>
        <Readers local={local} />
        <Syncs local={local} />
        <OnDevice database={database} />
      </SettingRows>
    </Card>
  );
}

/** Says who can read the database; a connected one is in the cloud, too. */
function Readers({ local: { localName, connection } }: { local: LocalDatabase }) {
  const kind = useKnownKind(useAttachedDatabase(localName)?.attached)?.kind();
  const place = ledgerIn(connection?.endpoint ?? '');
  if (connection === undefined || place === undefined)
    return (
      <SettingRow
        name="Who can read it"
        note="It is stored encrypted, with a key that never leaves this browser. Everybody who can use this browser can open it."
      >
        <Fact icon={<Laptop {...ICON} />} text="Only this browser" />
      </SettingRow>
    );
  const texts = LEDGER_KIND_TEXTS.find((one) => one.kind === kind);
  return (
    <SettingRow
      name="Who can read it"
      note={texts?.text ?? 'This browser learns it when the database syncs.'}
      actions={
        place.isHere && (
          <LinkButton to={`/fp/cloud/tenants/${place.tenantId}/ledgers/${place.ledgerId}/settings`}>
            Settings in the cloud
          </LinkButton>
        )
      }
    >
      {texts === undefined ? (
        'Not known yet'
      ) : (
        <Fact icon={kind === 'sealed' ? <LockKeyhole {...ICON} /> : <Eye {...ICON} />} text={texts.title} />
      )}
    </SettingRow>
  );
}

const Fact = ({ icon, text }: { icon: ReactNode; text: string }) => (
  <span className="flex items-center gap-1.75 font-medium">
    <span className="shrink-0 text-accent-ink">{icon}</span> {text}
  </span>
);

function Syncs({ local: { localName, connection } }: { local: LocalDatabase }) {
  const standing = useStanding(localName, connection);
  const tenantName = useTenantName(standing);
  const { word, icon, why } = describeStanding(standing);
  if (connection === undefined)
    return (
      <SettingRow
        name="Syncs with"
        note="Connect it to share it, and to have it on other devices."
        actions={<ConnectButton localName={localName} />}
      >
        Nothing: it is only on this device
      </SettingRow>
    );
  return (
    <SettingRow
      name="Syncs with"
      note={why}
      actions={standing.is === 'syncing' && <SyncNow localName={localName} />}
    >
      <span className="min-w-0">
        <strong className="font-medium">{connection.remoteName}</strong>
        {'place' in standing && !('other' in standing && standing.other !== undefined)
          ? tenantName !== undefined && <span className="text-ink-3"> in {tenantName}</span>
          : connection.endpoint !== '' && <span className="text-ink-3"> at {connection.endpoint}</span>}
      </span>
      <span
        role="status"
        className={`flex items-center gap-1 text-xs ${icon === 'warning' ? 'text-conflict' : 'text-ink-2'}`}
      >
        <SyncIcon icon={icon} /> {word}
      </span>
    </SettingRow>
  );
}

function SyncNow({ localName }: { localName: string }) {
  const attached = useAttachedDatabase(localName)?.attached;
  const toast = useToast();
  const { isBusy, run } = useTask();
  const sync = () =>
    run('Sync is incomplete', async () => {
      await (await attached)?.synced();
      toast('Everything is in sync.');
    });
  return (
    <Button disabled={isBusy} onClick={() => void sync()}>
      <RefreshCw size={13} aria-hidden className={isBusy ? 'animate-spin' : ''} />
      {isBusy ? 'Syncing...' : 'Sync now'}
    </Button>
  );
}

/** Shows how much space the database needs, and whether the browser may remove it. */
function OnDevice({ database }: { database: BridgedDatabase }) {
  const { room, reload } = useRoom();
  const size = useSize(database);
  const { busy, act } = useStorageActions(reload);
  const isKept = room?.isKept === true;
  return (
    <SettingRow
      name="On this device"
      note={`In IndexedDB, encrypted, with its history. ${
        isKept
          ? 'The browser keeps it until you delete it.'
          : 'The browser may remove it when storage runs low.'
      }`}
      actions={
        <>
          {room?.isKept === false && (
            <Button disabled={busy !== undefined} onClick={() => void act('keep', keepStorage)}>
              Keep when storage runs low
            </Button>
          )}
          {size.text === undefined && <Button onClick={size.measure}>Measure</Button>}
        </>
      }
    >
      <span role="status" className="tabular-nums">
        {size.text ?? 'Not measured yet'}
      </span>
    </SettingRow>
  );
}
