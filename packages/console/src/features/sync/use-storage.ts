/** Measures and changes how this browser stores a database. */
import type { BridgedDatabase } from 'fixpoint/bridge';
import { useEffect, useRef, useState } from 'react';
import { useToast } from '../../ui/overlays/toaster.tsx';
import { failureText } from '../../ui/text/failure-text.ts';
import { bytesText } from '../../values/bytes-text.ts';

export interface Room {
  readonly usage: number | undefined;
  readonly quota: number | undefined;
  readonly isKept: boolean;
}

type StorageAction = 'keep' | 'compact' | 'rotate';

export interface StorageActs {
  /** The action that runs. */
  readonly busy: StorageAction | undefined;
  /** Runs an action, which resolves with the message to show. */
  act(name: StorageAction, run: () => Promise<string>): Promise<void>;
}

/** Changes how a database is stored, one change at a time. */
export function useStorageActions(onDone: () => void): StorageActs {
  const toast = useToast();
  const [busy, setBusy] = useState<StorageAction>();
  const act = async (name: StorageAction, run: () => Promise<string>) => {
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
  return { busy, act };
}

/**
 * Asks the browser to keep the data. Like the next two functions, resolves with the message to
 * show.
 */
export const keepStorage = async (): Promise<string> =>
  (await navigator.storage.persist())
    ? 'The browser keeps the data until you delete it.'
    : 'The browser declined. Use the console more or install it as an app, then try again.';

export async function compact(database: BridgedDatabase): Promise<string> {
  await database.compact();
  return 'Storage compacted.';
}

export async function rotateKey(database: BridgedDatabase): Promise<string> {
  const { keyId } = await database.rotateKey({ rewrite: true });
  return `Encrypted again with the new key ${keyId.slice(0, KEY_CHARS)}.`;
}

const KEY_CHARS = 8;

/** Returns the space of all databases. */
export function useRoom(): { readonly room: Room | undefined; reload(): void } {
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

export interface Size {
  /** Undefined until it is measured. */
  readonly text: string | undefined;
  measure(): void;
  forget(): void;
}

/** Measures the size of the database's archives by reading them. */
export function useSize(database: BridgedDatabase): Size {
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
