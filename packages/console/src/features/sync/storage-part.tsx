import type { BridgedDatabase } from 'fixpoint/bridge';
import { useEffect, useRef, useState } from 'react';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Fact, Facts } from '../../ui/facts.tsx';
import { DialogPart } from '../../ui/overlays/dialog-part.tsx';
import { useToast } from '../../ui/overlays/toaster.tsx';
import { failureText } from '../../ui/text/failure-text.ts';
import { bytesText } from '../../values/bytes-text.ts';

interface Room {
  readonly usage: number | undefined;
  readonly quota: number | undefined;
  readonly isKept: boolean;
}

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
        <Fact name="This database">
          {size.text ?? (
            <Button size="sm" onClick={size.measure}>
              Measure
            </Button>
          )}
        </Fact>
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
  const toast = useToast();
  const [busy, setBusy] = useState<'keep' | 'compact' | 'rotate'>();
  const act = async (name: NonNullable<typeof busy>, run: () => Promise<string>) => {
    setBusy(name);
    try {
      toast(await run());
      onDone();
    } catch (error) {
      toast(failureText(error), { tone: 'error' });
    } finally {
      setBusy(undefined);
    }
  };
  return (
    <div className="flex flex-wrap gap-2">
      {isKept === false && (
        <Button size="sm" disabled={busy !== undefined} onClick={() => void act('keep', keepStorage)}>
          Ask the browser to keep the data
        </Button>
      )}
      <Button
        size="sm"
        disabled={busy !== undefined}
        onClick={() => void act('compact', () => compact(database))}
      >
        {busy === 'compact' ? 'Compacting...' : 'Compact'}
      </Button>
      <Button
        size="sm"
        disabled={busy !== undefined}
        onClick={() => void act('rotate', () => rotateKey(database))}
      >
        {busy === 'rotate' ? 'Encrypting again...' : 'Use a new key'}
      </Button>
    </div>
  );
}

/**
 * Asks the browser to keep the data. Like the next two functions, resolves with the message to
 * show.
 */
const keepStorage = async (): Promise<string> =>
  (await navigator.storage.persist())
    ? 'The browser keeps the data until you delete it.'
    : 'The browser declined. Use the console more or install it as an app, then try again.';

async function compact(database: BridgedDatabase): Promise<string> {
  await database.compact();
  return 'Storage compacted.';
}

async function rotateKey(database: BridgedDatabase): Promise<string> {
  const { keyId } = await database.rotateKey({ rewrite: true });
  return `Encrypted again with the new key ${keyId.slice(0, KEY_CHARS)}.`;
}

const KEY_CHARS = 8;

function useRoom(): { readonly room: Room | undefined; reload(): void } {
  const [room, setRoom] = useState<Room>();
  const [asked, ask] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: read again whenever it is asked for
  useEffect(() => {
    let isOver = false;
    void readRoom().then((found) => !isOver && setRoom(found));
    return () => {
      isOver = true;
    };
  }, [asked]);
  return { room, reload: () => ask((before) => before + 1) };
}

async function readRoom(): Promise<Room> {
  try {
    const { usage, quota } = await navigator.storage.estimate();
    return { usage, quota, isKept: await navigator.storage.persisted() };
  } catch {
    return { usage: undefined, quota: undefined, isKept: false };
  }
}

interface Size {
  /** Undefined until it is measured. */
  readonly text: string | undefined;
  measure(): void;
  forget(): void;
}

/** Measures the size of the database's archives by reading them. */
function useSize(database: BridgedDatabase): Size {
  const [text, setText] = useState<string>();
  const ending = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => ending.current?.abort(), []);
  const measure = () => {
    ending.current?.abort();
    const controller = new AbortController();
    ending.current = controller;
    const { signal } = controller;
    const onProgress = (done: number, of: number) =>
      !signal.aborted && setText(`Measuring: ${done} of ${of} archives…`);
    database.verify({ signal, onProgress }).then(
      ({ bytes, archives }) =>
        !signal.aborted &&
        setText(`${bytesText(bytes)} in ${archives} ${archives === 1 ? 'archive' : 'archives'}`),
      (error: unknown) => !signal.aborted && setText(failureText(error)),
    );
  };
  const forget = () => {
    ending.current?.abort();
    setText(undefined);
  };
  return { text, measure, forget };
}
