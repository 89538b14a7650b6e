/** Files in memory that can lose power. */

import type { StoreFiles, SyncFile } from '../../ports/sync-file.ts';
import type { SeededRandom } from '../../testing/seeded-random.ts';

const SECTOR_BYTES = 512;

interface Change {
  readonly at: number;
  /** Undefined truncates the file at `at`. */
  readonly bytes: Uint8Array | undefined;
}

interface Content {
  durable: Uint8Array;
  /** Changes since the last flush. */
  changes: Change[];
}

export interface SimulatedFiles {
  readonly files: StoreFiles;
  /** Limits the bytes of all files; undefined removes the limit. */
  limit: number | undefined;
  /** Called before each call that changes something or makes it durable. */
  beforeCall: () => void;
  /** The content of the files. */
  content(): Uint8Array[];
  /** Returns the files after a power loss: any of the sectors written since a flush may be lost. */
  afterPowerLoss(random: SeededRandom): SimulatedFiles;
}

export function simulatedFiles(start: readonly Uint8Array[] = []): SimulatedFiles {
  const contents = [0, 1, 2].map((at): Content => ({ durable: start[at] ?? new Uint8Array(), changes: [] }));
  const now = (content: Content) => content.changes.reduce(changed, content.durable);
  const size = () => contents.reduce((sum, content) => sum + now(content).length, 0);
  const fileOf = (content: Content): SyncFile => ({
    read: (into, at) => {
      const found = now(content).subarray(at, at + into.length);
      into.set(found);
      return found.length;
    },
    write: (bytes, at) => {
      simulated.beforeCall();
      const room =
        (simulated.limit ?? Number.POSITIVE_INFINITY) - size() + Math.max(0, now(content).length - at);
      const written = bytes.slice(0, Math.max(0, room));
      content.changes.push({ at, bytes: written });
      return written.length;
    },
    truncate: (at) => {
      simulated.beforeCall();
      content.changes.push({ at, bytes: undefined });
    },
    size: () => now(content).length,
    flush: () => {
      simulated.beforeCall();
      content.durable = now(content);
      content.changes = [];
    },
    close: () => undefined,
  });
  const [first, second, marker] = contents.map(fileOf) as [SyncFile, SyncFile, SyncFile];
  const simulated: SimulatedFiles = {
    files: { logs: [first, second], marker },
    limit: undefined,
    beforeCall: () => undefined,
    content: () => contents.map(now),
    afterPowerLoss: (random) =>
      simulatedFiles(
        contents.map(({ durable, changes }) =>
          changes.flatMap((one) => kept(one, random)).reduce(changed, durable),
        ),
      ),
  };
  return simulated;
}

function changed(before: Uint8Array, { at, bytes }: Change): Uint8Array {
  const length = bytes === undefined ? at : Math.max(before.length, at + bytes.length);
  const after = new Uint8Array(length);
  after.set(before.subarray(0, length));
  if (bytes !== undefined) after.set(bytes, at);
  return after;
}

/** Returns the parts of a change that survive. */
function kept({ at, bytes }: Change, random: SeededRandom): Change[] {
  if (bytes === undefined) return random.fraction() < 0.5 ? [{ at, bytes }] : [];
  const parts: Change[] = [];
  for (let from = 0; from < bytes.length; from += SECTOR_BYTES)
    if (random.fraction() < 0.5) parts.push({ at: at + from, bytes: bytes.slice(from, from + SECTOR_BYTES) });
  return parts;
}
