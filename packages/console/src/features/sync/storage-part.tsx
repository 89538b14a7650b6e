import type { BridgedDatabase } from 'fixpoint/bridge';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Fact, Facts } from '../../ui/facts.tsx';
import { DialogPart } from '../../ui/overlays/dialog-part.tsx';
import { bytesText } from '../../values/bytes-text.ts';
import { compact, keepStorage, rotateKey, useRoom, useSize, useStorageActions } from './use-storage.ts';

/**
 * Shows how much space this database uses, how much is available, and whether the browser may
 * delete it.
 */
export function StoragePart({ database }: { database: BridgedDatabase }) {
  const { room, reload } = useRoom();
  const size = useSize(database);
  const onDone = () => {
    reload();
    size.forget();
  };
  return (
    <DialogPart title="Storage in this browser">
      <Facts>
        <Fact name="This database">{size.text ?? <Button onClick={size.measure}>Measure</Button>}</Fact>
        <Fact name="All databases">{textOfBytes(room?.usage)}</Fact>
        <Fact name="Available">{textOfBytes(room?.quota)}</Fact>
        <Fact name="Encrypted">Yes, with a key that never leaves this browser</Fact>
        <Fact name="Kept">
          {room?.isKept === true ? (
            <Badge tone="accent">Until you delete it</Badge>
          ) : (
            <Badge tone="plain">While there is space</Badge>
          )}
        </Fact>
      </Facts>
      {room?.usage !== undefined && room.quota !== undefined && (
        <UsageBar usage={room.usage} quota={room.quota} />
      )}
      <StorageActions database={database} isKept={room?.isKept} onDone={onDone} />
    </DialogPart>
  );
}

const textOfBytes = (bytes: number | undefined): string =>
  bytes === undefined ? 'Not reported by the browser' : bytesText(bytes);

function UsageBar({ usage, quota }: { usage: number; quota: number }) {
  return (
    <div
      aria-hidden
      className="h-1.5 w-full overflow-hidden rounded-full bg-line forced-color-adjust-none forced-colors:border forced-colors:bg-surface"
    >
      <div
        className="h-full min-w-1 rounded-full bg-accent"
        style={{ width: `${Math.min(100, (100 * usage) / Math.max(1, quota))}%` }}
      />
    </div>
  );
}

interface StorageActionsProps {
  readonly database: BridgedDatabase;
  /** Undefined until the browser answers. */
  readonly isKept: boolean | undefined;
  readonly onDone: () => void;
}

/** Changes how the database is stored, one change at a time. */
function StorageActions({ database, isKept, onDone }: StorageActionsProps) {
  const { busy, act } = useStorageActions(onDone);
  return (
    <div className="flex flex-wrap gap-2">
      {isKept === false && (
        <Button disabled={busy !== undefined} onClick={() => void act('keep', keepStorage)}>
          Ask the browser to keep the data
        </Button>
      )}
      <Button disabled={busy !== undefined} onClick={() => void act('compact', () => compact(database))}>
        {busy === 'compact' ? 'Compacting...' : 'Compact'}
      </Button>
      <Button disabled={busy !== undefined} onClick={() => void act('rotate', () => rotateKey(database))}>
        {busy === 'rotate' ? 'Encrypting again...' : 'Use a new key'}
      </Button>
    </div>
  );
}
