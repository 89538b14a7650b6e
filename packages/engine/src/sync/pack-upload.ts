import { LIMITS } from '@fixpoint/protocol';
import { type Archive, packArchive, packBlocks } from '../archive/pack.ts';
import type { Head } from '../clock/event.ts';
import type { Block } from '../codec/block.ts';
import { decode } from '../codec/dag-cbor.ts';
import type { ArchiveGroup } from './remote-record.ts';

export interface UploadPack {
  /** To be uploaded in any order, all before the meta. */
  readonly archives: readonly Archive[];
  /** The archive that the meta names. */
  readonly last: Archive;
  /** Groups that the remote holds afterwards, newest first. */
  readonly groups: readonly ArchiveGroup[];
}

/** Blocks for a remote: one archive when they fit, else parts, and an archive whose header lists them and all that is there already. */
export function packUpload(blocks: readonly Block[], head: Head, known: readonly ArchiveGroup[]): UploadPack {
  const parts = splitBySize(blocks);
  if (parts.length <= 1) {
    const last = packArchive({ cars: known, compact: [], head }, blocks);
    return { archives: [last], last, groups: [[last.cid], ...known] };
  }
  const packed = parts.map((part) => packBlocks((part[0] as Block).cid, part));
  const groups = [...packed.map(({ cid }) => [cid]), ...known];
  const last = packArchive({ cars: groups, compact: [], head }, []);
  return { archives: [...packed, last], last, groups: [[last.cid], ...groups] };
}

function splitBySize(blocks: readonly Block[]): Block[][] {
  const parts: Block[][] = [];
  let size: number = LIMITS.archiveBytesThreshold;
  for (const block of blocks) {
    if (size >= LIMITS.archiveBytesThreshold) {
      parts.push([]);
      size = 0;
    }
    parts.at(-1)?.push(block);
    size += block.bytes.length;
  }
  return parts;
}

/** The blocks of a local archive without its header, which only says what was true on this device. */
export function withoutHeader(blocks: readonly Block[]): readonly Block[] {
  const [first] = blocks;
  const value = first && (decode(first.bytes) as Record<string, unknown> | null);
  return value !== null && typeof value === 'object' && 'fp' in value ? blocks.slice(1) : blocks;
}
