/** Looks at all that is stored and says what is wrong with it; changes nothing. */
import { isFixpointError } from '@fixpoint/protocol';
import { scanCar } from '../archive/car.ts';
import { fileBlocks } from '../archive/file-archive.ts';
import type { Head } from '../clock/event.ts';
import { type Cid, cidOf, codecOf } from '../codec/cid.ts';
import { decodeDocument } from '../documents/encode.ts';
import { fileArchivesOf } from '../documents/file-entry.ts';
import { GENESIS_KEY } from '../documents/genesis.ts';
import { entries } from '../trie/entries.ts';
import type { Files } from './files.ts';
import type { Readers, Snapshot } from './snapshot.ts';

export interface Damage {
  readonly cid: string;
  readonly why: string;
}

export interface Verification {
  readonly archives: number;
  readonly blocks: number;
  /** Of the plain archives. */
  readonly bytes: number;
  /** Events from the head back to the first. */
  readonly events: number;
  /** Documents that the head shows; deleted ones are not counted. */
  readonly documents: number;
  /** Archives of attached files that are on this device. */
  readonly files: number;
  /** Archives of attached files that documents refer to and that are not on this device: they are fetched when somebody reads them. */
  readonly filesAbsent: number;
  /** What is stored and not what it should be. */
  readonly damaged: readonly Damage[];
  /** What the head needs and is not stored. */
  readonly missing: readonly string[];
}

export interface VerifyOptions {
  /** Hears, after each archive, how many of all are done. */
  readonly onProgress?: ((done: number, all: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Verifiable {
  readonly archiveIds: () => readonly Cid[];
  readonly plainArchive: (cid: Cid) => Promise<Uint8Array>;
  readonly files: Pick<Files, 'list' | 'readHere'>;
  readonly readers: Readers;
  readonly snapshot: Snapshot;
  /** Lets others go first. */
  readonly rest: () => Promise<void>;
}

interface Findings {
  archives: number;
  blocks: number;
  bytes: number;
  events: number;
  documents: number;
  files: number;
  filesAbsent: number;
  readonly damaged: Damage[];
  readonly missing: string[];
}

/** Damage is a finding, never an error. @throws what `signal` was aborted with */
export async function verifyStored(parts: Verifiable, options: VerifyOptions): Promise<Verification> {
  const found: Findings = {
    archives: 0,
    blocks: 0,
    bytes: 0,
    events: 0,
    documents: 0,
    files: 0,
    filesAbsent: 0,
    damaged: [],
    missing: [],
  };
  const archives = parts.archiveIds();
  const files = [...parts.files.list()];
  for (const cid of archives) {
    options.signal?.throwIfAborted();
    await attempt(found, cid, async () => checkArchive(found, await parts.plainArchive(cid)));
    found.archives += 1;
    options.onProgress?.(found.archives, archives.length + files.length);
    await parts.rest();
  }
  for (const cid of files) {
    options.signal?.throwIfAborted();
    await attempt(found, cid, async () => void (await fileBlocks(await parts.files.readHere(cid))));
    found.files += 1;
    options.onProgress?.(found.archives + found.files, archives.length + files.length);
    await parts.rest();
  }
  await checkEvents(found, parts, parts.snapshot.head, options.signal);
  await checkDocuments(found, parts, options.signal);
  return found;
}

function checkArchive(found: Findings, bytes: Uint8Array): void {
  found.bytes += bytes.length;
  for (const { cid, offset, length } of scanCar(bytes).blocks) {
    found.blocks += 1;
    if (cidOf(codecOf(cid), bytes.subarray(offset, offset + length)) !== cid)
      found.damaged.push({ cid, why: 'a block with other content' });
  }
}

async function checkEvents(
  found: Findings,
  { readers, rest }: Verifiable,
  head: Head,
  signal: AbortSignal | undefined,
): Promise<void> {
  const seen = new Set<Cid>(head);
  const waiting = [...head];
  for (let cid = waiting.pop(); cid !== undefined; cid = waiting.pop()) {
    signal?.throwIfAborted();
    const event = cid;
    await attempt(found, event, async () => {
      const { parents } = await readers.event(event);
      found.events += 1;
      for (const parent of parents) {
        if (seen.has(parent)) continue;
        seen.add(parent);
        waiting.push(parent);
      }
    });
    if (found.events % 1000 === 0) await rest();
  }
}

async function checkDocuments(
  found: Findings,
  { readers, snapshot: { root }, files, rest }: Verifiable,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (root === undefined) return;
  const named = new Set<Cid>();
  await attempt(found, root, async () => {
    let looked = 0;
    for await (const [key, link] of entries(readers.shard, root)) {
      signal?.throwIfAborted();
      await attempt(found, link, async () => {
        const stored = decodeDocument(await readers.block(link));
        if (key === GENESIS_KEY || !('doc' in stored)) return;
        found.documents += 1;
        for (const car of fileArchivesOf(stored.doc)) named.add(car);
      });
      looked += 1;
      if (looked % 1000 === 0) await rest();
    }
  });
  const here = files.list();
  found.filesAbsent = [...named].filter((car) => !here.has(car)).length;
}

async function attempt(found: Findings, cid: Cid, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (cause) {
    if (!isFixpointError(cause)) throw cause;
    // The error names the block when it is another one, as a shard below the root is.
    if (cause.code === 'MISSING_BLOCK' || cause.code === 'MISSING_CARS')
      found.missing.push(cause.message.split(': ').at(-1) ?? cid);
    else found.damaged.push({ cid, why: cause.message });
  }
}
