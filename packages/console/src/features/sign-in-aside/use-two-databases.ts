import { type RefObject, useEffect, useRef, useState } from 'react';
import { whenQuiet } from '../../ui/when-quiet.ts';
import {
  type DeviceName,
  type FromPictureWorker,
  type PictureState,
  STILL,
  type ToPictureWorker,
} from './picture-state.ts';

export interface LivePicture {
  readonly state: PictureState;
  /** Whether the databases are open, so that users can write to them. */
  readonly isLive: boolean;
  write(name: DeviceName, id: string, speakers: number): void;
  connect(name: DeviceName, isOnline: boolean): void;
}

/** Milliseconds from the moment when the picture is live. */
export const SHOWN_AFTER_MS = 1200;

/** The change that the picture shows by itself, once, unless the user was faster. */
const SHOWN_CHANGE = { name: 'ada', id: 'ful', speakers: 36_700_000 } as const;

/** Opens both databases. Returns how to change them, and calls `onChange` with each new state. */
export type OpenPicture = (onChange: (state: PictureState) => void) => Promise<OpenedPicture>;

interface OpenedPicture {
  write(name: DeviceName, id: string, speakers: number): unknown;
  connect(name: DeviceName, isOnline: boolean): unknown;
  close(): unknown;
}

/** Resolves when the worker has opened the databases. */
function openInWorker(onChange: (state: PictureState) => void): Promise<OpenedPicture> {
  const worker = new Worker(new URL('./picture-worker.ts', import.meta.url), {
    type: 'module',
    name: 'picture',
  });
  const send = (message: ToPictureWorker) => worker.postMessage(message);
  worker.onerror = () => worker.terminate();
  return new Promise((resolve) => {
    worker.onmessage = ({ data }: MessageEvent<FromPictureWorker>) => {
      if ('state' in data) onChange(data.state);
      else
        resolve({
          write: (name, id, speakers) => send({ name, id, speakers }),
          connect: (name, isOnline) => send({ name, isOnline }),
          close: () => worker.terminate(),
        });
    };
  });
}

/**
 * Opens the databases of the picture once it is in view and the page has nothing else to do. If
 * they can't be opened, the picture stays still.
 * @param open is called at most once
 */
export function useTwoDatabases(place: RefObject<Element | null>, open = openInWorker): LivePicture {
  const [state, setState] = useState(STILL);
  const [opened, setOpened] = useState<OpenedPicture>();
  const isUsed = useRef(false);
  useEffect(() => {
    let isOver = false;
    let close: (() => unknown) | undefined;
    const begin = async () => {
      const databases = await open((next) => !isOver && setState(next));
      close = () => databases.close();
      if (isOver) close();
      else setOpened(databases);
    };
    const stop = whenInView(place.current, () => void begin());
    return () => {
      isOver = true;
      stop();
      close?.();
    };
  }, [place, open]);
  useEffect(() => {
    if (opened === undefined || isUsed.current || isStill()) return undefined;
    const timer = setTimeout(() => {
      if (!isUsed.current) opened.write(SHOWN_CHANGE.name, SHOWN_CHANGE.id, SHOWN_CHANGE.speakers);
    }, SHOWN_AFTER_MS);
    return () => clearTimeout(timer);
  }, [opened]);
  return {
    state,
    isLive: opened !== undefined,
    write: (name, id, speakers) => {
      isUsed.current = true;
      opened?.write(name, id, speakers);
    },
    connect: (name, isOnline) => {
      isUsed.current = true;
      opened?.connect(name, isOnline);
    },
  };
}

const isStill = (): boolean => window.matchMedia('(prefers-reduced-motion: reduce)').matches;

/**
 * Calls `run` once the element is in view and the page is quiet. Returns a function that cancels
 * the call.
 */
function whenInView(element: Element | null, run: () => void): () => void {
  if (element === null) return () => undefined;
  let cancel: (() => void) | undefined;
  const observer = new IntersectionObserver((entries) => {
    if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
    observer.disconnect();
    cancel = whenQuiet(run);
  });
  observer.observe(element);
  return () => {
    observer.disconnect();
    cancel?.();
  };
}
