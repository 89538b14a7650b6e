/** Reads the head again when another tab or process hints that it moved it. */
import { isFixpointError } from '@fixpoint/protocol';
import type { Turns } from '../base/turns.ts';
import type { Channel } from '../ports/channel.ts';
import { type CurrentHead, reloadHead } from './current-head.ts';

export interface HintParts {
  readonly head: CurrentHead;
  readonly channel: Pick<Channel, 'onHint'>;
  readonly exclusive: Turns;
  readonly isClosed: () => boolean;
  /** Reports that another writer writes or waits to write. */
  readonly crowded: () => void;
  readonly report: (error: unknown) => void;
}

/** Follows hints of the channel and of the store. Returns a function that stops. */
export function followHints({ head, channel, exclusive, isClosed, crowded, report }: HintParts): () => void {
  const { store } = head;
  let isHinted = false;

  /** Collapses hints that arrive while one waits. */
  const hint = (look: () => Promise<boolean>) => {
    if (isClosed() || isHinted) return;
    isHinted = true;
    const looked = exclusive(async () => {
      isHinted = false;
      if (!isClosed() && (await look())) await reloadHead(head);
    });
    void looked.catch((cause) => {
      // The database's handles learn separately that it closed.
      if (!isFixpointError(cause, 'DATABASE_CLOSED')) report(cause);
    });
  };

  const stops = [
    channel.onHint(() => {
      crowded();
      hint(async () => true);
    }),
    store.watch?.(() =>
      hint(async () => {
        await store.refresh?.();
        return store.news === undefined || store.news() !== head.news;
      }),
    ),
  ];
  return () => {
    for (const stop of stops) stop?.();
  };
}
