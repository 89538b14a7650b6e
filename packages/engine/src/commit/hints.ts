/** Reads the head again when another tab or process hints that it moved the head. */
import { isFixpointError } from '@fixpoint/protocol';
import type { Turns } from '../base/turns.ts';
import type { Channel } from '../ports/channel.ts';
import { type CurrentHead, reloadHead } from './current-head.ts';

export interface HintParts {
  readonly head: CurrentHead;
  readonly channel: Pick<Channel, 'onHint'>;
  readonly exclusive: Turns;
  /** Commits pending writes before the head of others is read. */
  readonly settle: () => Promise<void>;
  readonly isClosed: () => boolean;
  /** Called after the head was read because of a hint. */
  readonly noticed: () => void;
  /** Records that another writer is writing or waits to write. */
  readonly crowded: () => void;
  readonly report: (error: unknown) => void;
}

/**
 * Reads the head again after hints of the channel or the store. Returns a function that stops this.
 */
export function followHints(parts: HintParts): () => void {
  const { head, channel, exclusive, settle, isClosed, noticed, crowded, report } = parts;
  const { store } = head;
  let isHinted = false;

  /** Queues one read of the head for all hints that arrive before the read starts. */
  const hint = (look: () => Promise<boolean>) => {
    if (isClosed() || isHinted) return;
    isHinted = true;
    const looked = exclusive(async () => {
      isHinted = false;
      if (isClosed() || !(await look())) return;
      // Reads the head even if the pending writes can't be committed now.
      await settle().catch(report);
      await reloadHead(head);
      noticed();
    });
    void looked.catch((cause) => {
      // Don't report that the database was closed: its handles are notified separately.
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
