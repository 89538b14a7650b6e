/**
 * Copies blocks of old archives into new archives. Nothing lists the new archives until a later
 * step replaces the old ones with them.
 */
import { LIMITS } from '@fixpoint/protocol';
import { joinArchives, type Section } from '../../archive/join.ts';
import { isHeader } from '../../archive/pack.ts';
import type { Head } from '../../clock/event.ts';
import { CID_BYTES, type Cid } from '../../codec/cid.ts';
import { CidSet } from '../../codec/cid-set.ts';
import type { ByteStore, StoreChange } from '../../ports/byte-store.ts';
import type { Archives } from '../../store/archives.ts';
import { rowsOf } from '../../store/choose-row.ts';

export interface RewriteGroup {
  readonly sources: readonly Cid[];
  /** Whether the blocks are pending upload. */
  readonly pending: boolean;
}

/** A new archive. It is either already stored, or the step that lists it stores it. */
interface MadeArchive {
  readonly cid: Cid;
  readonly index: Uint8Array;
  /** The archives that the blocks come from. */
  readonly sources: readonly Cid[];
  readonly pending: boolean;
}

export interface Rewritten {
  readonly made: readonly MadeArchive[];
  /** Changes that store the last new archives, for the step that lists them. */
  readonly rest: readonly StoreChange[];
}

/**
 * Maximum size of the new archives that are stored only in the step that lists them. The limit is
 * low, because that step blocks writers.
 */
const REST_BYTES_MAX = LIMITS.archiveBytesThreshold / 16;

/**
 * Copies each block once, even if several sources of a group contain it.
 * @param kept the blocks to copy; if absent, all blocks are copied. Headers are never copied
 * @param pause lets other work run if that is due. Throws once the database is closed, so that no
 * work for nothing follows
 */
export async function rewrite(
  archives: Archives,
  store: ByteStore,
  groups: readonly RewriteGroup[],
  head: Head,
  kept?: Pick<CidSet, 'hasAt' | 'firstOfEach'>,
  pause?: () => Promise<void>,
): Promise<Rewritten> {
  const isKept = kept && rowsOf(kept);
  const made: MadeArchive[] = [];
  let rest: StoreChange[] = [];
  let restBytes = 0;

  async function close(
    sections: readonly Section[],
    sources: Iterable<Cid>,
    pending: boolean,
  ): Promise<void> {
    if (sections.length === 0) return;
    await pause?.();
    const from = [...sources];
    const { cid, bytes, index } = await joinArchives({ cars: [], compact: [from], head }, sections);
    rest.push(await archives.sealed(cid, bytes));
    made.push({ cid, index, sources: from, pending });
    restBytes += bytes.length;
    if (restBytes < REST_BYTES_MAX) return;
    await store.write(rest);
    rest = [];
    restBytes = 0;
  }

  for (const { sources, pending } of groups) {
    const isFirst = kept?.firstOfEach() ?? firstOfEach();
    let sections: Section[] = [];
    let from = new Set<Cid>();
    let size = 0;
    for (const some of readTogether(archives, sources)) {
      await pause?.();
      const read = await Promise.all(some.map((source) => archives.sectionsOf(source, isKept)));
      for (const [at, source] of some.entries())
        for (const section of read[at] as readonly Section[]) {
          if (isHeader(contentOf(section)) || !isFirst(section.car, section.offset - CID_BYTES)) continue;
          sections.push(section);
          from.add(source);
          size += section.length;
          if (size < LIMITS.archiveBytesThreshold) continue;
          await close(sections, from, pending);
          sections = [];
          from = new Set();
          size = 0;
        }
    }
    await close(sections, from, pending);
  }
  return { made, rest };
}

/**
 * Groups small archives that are read together, up to the size of a big archive. Writers rarely
 * yield a turn of the event loop. If only one archive were read per turn, writers would create
 * archives faster than they are read.
 */
function readTogether(archives: Pick<Archives, 'list'>, sources: readonly Cid[]): Cid[][] {
  const parts: Cid[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const source of sources) {
    bytes += archives.list.get(source)?.bytes ?? 0;
    if (bytes <= LIMITS.archiveBytesThreshold) {
      parts.at(-1)?.push(source);
      continue;
    }
    parts.push([source]);
    bytes = archives.list.get(source)?.bytes ?? 0;
  }
  return parts;
}

const contentOf = ({ car, offset, length }: Section): Uint8Array => car.subarray(offset, offset + length);

/** Returns a function that returns true for the first call with each CID. */
function firstOfEach(): ReturnType<CidSet['firstOfEach']> {
  const found = new CidSet();
  return (bytes, at) => found.addAt(bytes, at);
}
