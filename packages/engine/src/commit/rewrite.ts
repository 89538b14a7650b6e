/** Puts blocks of some archives into new ones, ahead of the step in which these take their place. Until then nothing lists them. */
import { LIMITS } from '@fixpoint/protocol';
import { joinArchives, type Section } from '../archive/join.ts';
import { isHeader } from '../archive/pack.ts';
import { equalBytes } from '../base/bytes.ts';
import type { Head } from '../clock/event.ts';
import { CID_BYTES, type Cid } from '../codec/cid.ts';
import type { ByteStore, StoreChange } from '../ports/byte-store.ts';
import type { Archives } from '../store/archives.ts';
import { type ChooseRow, digestKey } from '../store/block-set.ts';

export interface RewriteGroup {
  readonly sources: readonly Cid[];
  /** Whether the blocks wait for upload. */
  readonly pending: boolean;
}

/** An archive that is stored, or comes with the step that lists it. */
export interface MadeArchive {
  readonly cid: Cid;
  readonly index: Uint8Array;
  /** Where its blocks come from. */
  readonly sources: readonly Cid[];
  readonly pending: boolean;
}

export interface Rewritten {
  readonly made: readonly MadeArchive[];
  /** The bytes of what was made last: they are stored with the step that lists them. */
  readonly rest: readonly StoreChange[];
}

/** So much may wait for the step that lists it, which holds up writers: what is more is stored ahead of it. */
const REST_BYTES_MAX = LIMITS.archiveBytesThreshold / 16;

/** @param isKept which blocks go on; absent, all but headers do. Those that several sources of a group hold go on once. */
export async function rewrite(
  archives: Archives,
  store: ByteStore,
  groups: readonly RewriteGroup[],
  head: Head,
  isKept?: ChooseRow,
): Promise<Rewritten> {
  const made: MadeArchive[] = [];
  let rest: StoreChange[] = [];
  let restBytes = 0;

  async function close(
    sections: readonly Section[],
    sources: Iterable<Cid>,
    pending: boolean,
  ): Promise<void> {
    if (sections.length === 0) return;
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
    const isFirst = firstOfEach();
    let sections: Section[] = [];
    let from = new Set<Cid>();
    let size = 0;
    for (const some of readTogether(archives, sources)) {
      const read = await Promise.all(some.map((source) => archives.sectionsOf(source, isKept)));
      for (const [at, source] of some.entries())
        for (const section of read[at] as readonly Section[]) {
          if (isHeader(contentOf(section)) || !isFirst(section)) continue;
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
 * Small archives are read together, as many as make a big one: beside writers that leave a turn of the event loop now and then, reading them one after another would take a turn for
 * each, and more would come than go.
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
const cidBytesOf = ({ car, offset }: Section): Uint8Array => car.subarray(offset - CID_BYTES, offset);

/** Tells the first of several equal blocks from the others. */
function firstOfEach(): (section: Section) => boolean {
  const seen = new Map<number, Section>();
  return (section) => {
    const key = digestKey(section.car, section.offset - CID_BYTES);
    const before = seen.get(key);
    if (before !== undefined) return !equalBytes(cidBytesOf(before), cidBytesOf(section));
    seen.set(key, section);
    return true;
  };
}
