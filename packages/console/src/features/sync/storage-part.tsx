import type { BridgedDatabase } from 'fixpoint/bridge';
import { useEffect, useRef, useState } from 'react';
import { failureText } from '../../local/failure-text.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Fact, Facts } from '../../ui/facts.tsx';
import { Part } from '../../ui/overlays/dialog-part.tsx';
import { useToast } from '../../ui/overlays/toaster.tsx';
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
  const toast = useToast();
  const { room, reload } = useRoom();
  const size = useSize(database);
  const [busy, setBusy] = useState<string>();
  const act = async (name: string, what: () => Promise<string>) => {
    setBusy(name);
    try {
      toast(await what());
      reload();
      size.forget();
    } catch (error) {
      toast(failureText(error), { tone: 'error' });
    } finally {
      setBusy(undefined);
    }
  };
  const keep = () =>
    act('keep', async () =>
      (await navigator.storage.persist())
        ? 'The browser keeps it until you delete it.'
        : 'The browser did not agree. It may after you use this page more, or install it.',
    );
  const compact = () =>
    act('compact', async () => {
      await database.compact();
      return 'Small archives are merged.';
    });
  const rotate = () =>
    act('rotate', async () => {
      const { keyId } = await database.rotateKey({ rewrite: true });
      return `All of it is sealed with the new key ${keyId.slice(0, KEY_CHARS)}.`;
    });
  return (
    <Part title="Storage in this browser">
      <Facts>
        <Fact name="This database">
          {size.text ?? (
            <Button size="sm" onClick={size.measure}>
              Measure
            </Button>
          )}
        </Fact>
        <Fact name="All databases">
          {room?.usage === undefined ? 'not told by the browser' : bytesText(room.usage)}
        </Fact>
        <Fact name="Room there is">
          {room?.quota === undefined ? 'not told by the browser' : bytesText(room.quota)}
        </Fact>
        <Fact name="Encrypted">yes, with a key that does not leave this browser</Fact>
        <Fact name="Kept">
          {room?.isKept === true ? (
            <Badge tone="ok">Until you delete it</Badge>
          ) : (
            <Badge tone="warn">While there is room</Badge>
          )}
        </Fact>
      </Facts>
      {room?.usage !== undefined && room.quota !== undefined && (
        <div
          aria-hidden
          className="h-1.5 w-full overflow-hidden rounded-full bg-line forced-color-adjust-none forced-colors:border forced-colors:bg-surface"
        >
          <div
            className="h-full min-w-1 rounded-full bg-accent"
            style={{ width: `${Math.min(100, (100 * room.usage) / Math.max(1, room.quota))}%` }}
          />
        </div>
      )}
      <div className="flex flex-wrap gap-2">
        {room?.isKept === false && (
          <Button size="sm" disabled={busy !== undefined} onClick={() => void keep()}>
            Ask the browser to keep it
          </Button>
        )}
        <Button size="sm" disabled={busy !== undefined} onClick={() => void compact()}>
          {busy === 'compact' ? 'Compacting…' : 'Compact'}
        </Button>
        <Button size="sm" disabled={busy !== undefined} onClick={() => void rotate()}>
          {busy === 'rotate' ? 'Sealing anew…' : 'Use a new key'}
        </Button>
      </div>
    </Part>
  );
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
      !signal.aborted && setText(`measuring, ${done} of ${of} archives…`);
    database.verify({ signal, onProgress }).then(
      ({ bytes, archives }) =>
        setText(`${bytesText(bytes)} in ${archives} ${archives === 1 ? 'archive' : 'archives'}`),
      (error: unknown) => !signal.aborted && setText(failureText(error)),
    );
  };
  return { text, measure, forget: () => setText(undefined) };
}
