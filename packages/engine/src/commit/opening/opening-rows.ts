/**
 * Keeps the rows that make an open quick: the first blocks of the head, and the places of blocks in
 * parts. They are stored when nobody writes, after a compaction and before the database closes.
 */
import { FixpointError } from '@fixpoint/protocol';
import { createPace } from '../../base/pace.ts';
import { waitAtMost } from '../../base/wait-at-most.ts';
import type { Cid } from '../../codec/cid.ts';
import { OPENING_LIMITS, type OpeningLimits } from '../../ports/opening-limits.ts';
import type { Time } from '../../ports/time.ts';
import type { Archives } from '../../store/archives.ts';
import { type IdleWatch, watchForIdleness } from '../compaction/idle-watch.ts';
import type { Readers, Snapshot } from '../snapshot.ts';
import type { FirstBlocks, writeFirstBlocks } from './first-blocks.ts';

const SLICE_MS = 4;
/** A close waits no longer, because the store may not answer: in OPFS, a frozen tab may lead. */
const CLOSE_MS_MAX = 2000;

interface Head {
  readonly archives: Pick<Archives, 'bytes' | 'lacksParts' | 'onDamagedParts' | 'saveParts'>;
  readonly snapshot: Snapshot;
  /** The first blocks that were stored when the database was opened. */
  readonly first: FirstBlocks | undefined;
  readonly hasDeleted: boolean;
}

export interface OpeningRowsParts {
  readonly head: Head & {
    readonly store: Parameters<typeof writeFirstBlocks>[0]['store'];
    readonly readers: Pick<Readers, 'block'>;
  };
  readonly time: Time;
  readonly openingLimits?: OpeningLimits | undefined;
  load(): Promise<{ readonly writeFirstBlocks: typeof writeFirstBlocks }>;
}

export interface OpeningRows extends IdleWatch {
  /**
   * Stores the rows if they are outdated. Never rejects: nothing needs them. On a full disk, for
   * example, a later call stores them.
   */
  save(bytesMax?: number): Promise<void>;
  /** Like {@link save}, but waits two seconds at most. */
  saveAtClose(): Promise<void>;
}

export function createOpeningRows({
  head,
  time,
  load,
  openingLimits: limits = OPENING_LIMITS,
}: OpeningRowsParts): OpeningRows {
  const pace = createPace(time, SLICE_MS);
  let isLate = false;
  const pause = async () => {
    if (isLate) throw new FixpointError('DATABASE_CLOSED');
    if (pace.isDue()) await pace.rest();
  };
  let saved: Cid | undefined;
  const isSaved = () => {
    const { head: events } = head.snapshot;
    if (events.length !== 1 || head.archives.bytes < limits.databaseBytesMin) return true;
    return events[0] === (saved ?? head.first?.event);
  };
  const saveFirst = async () => {
    if (isSaved()) return;
    const [event] = head.snapshot.head;
    await (await load()).writeFirstBlocks(head, limits.firstBytesMax);
    saved = event;
  };
  const save = async (bytesMax?: number) => {
    // On a full disk, storing rows would first take the reserve that the next deletion needs.
    if (head.hasDeleted) return;
    await saveFirst().catch(() => undefined);
    await head.archives.saveParts(pause, bytesMax).catch(() => undefined);
  };
  const watch = watchForIdleness(
    time,
    { isWorthwhile: () => !isSaved() || head.archives.lacksParts, isOverdue: () => false, do: () => save() },
    limits.quietLooks,
  );
  head.archives.onDamagedParts(() => watch.stirred('write'));
  return {
    ...watch,
    save,
    saveAtClose: async () => {
      await waitAtMost(time, CLOSE_MS_MAX, save(limits.bytesMaxAtClose));
      isLate = true;
    },
  };
}
