/**
 * A simulated disk in memory. It implements the file system port, and can lose power, fail, and
 * report its calls.
 */
import type { FileSystem, OpenFile } from '../ports/file-system.ts';
import type { SeededRandom } from './seeded-random.ts';

/** The unit that a disk writes atomically. Any part of a longer write may be lost. */
const SECTOR_BYTES = 512;

/**
 * A call that changed something, or made a change durable. `inode` is the number of a file's
 * content. A rename gives the content another name, but not another number.
 */
export type DiskCall =
  | { readonly kind: 'make'; readonly path: string; readonly inode: number }
  | { readonly kind: 'rename'; readonly from: string; readonly to: string }
  | { readonly kind: 'remove'; readonly folder: string }
  | { readonly kind: 'unlink'; readonly path: string }
  | { readonly kind: 'write'; readonly inode: number; readonly at: number; readonly bytes: Uint8Array }
  | { readonly kind: 'truncate'; readonly inode: number; readonly length: number }
  /** `kept` is false after a failure: later syncs never make the earlier writes durable. */
  | { readonly kind: 'sync'; readonly inode: number; readonly kept: boolean }
  | { readonly kind: 'sync-folder'; readonly folder: string };

/** A failure of the `nth` call to the disk (from 0), and of all later ones if `lasts` is set. */
export interface DiskFault {
  readonly nth: number;
  readonly lasts: boolean;
  /**
   * `ENOSPC` fails only calls that need space. `short` writes half of the bytes and reports no
   * error.
   */
  readonly kind: 'EIO' | 'ENOSPC' | 'EACCES' | 'EMFILE' | 'short';
}

export interface SimulatedDisk {
  readonly files: FileSystem;
  /** The calls, in order. */
  readonly calls: readonly DiskCall[];
  /** Number of calls since `fail` was last called, including reads. Faults count the same calls. */
  asked(): number;
  /** Sets the fault, counting calls from now on; undefined heals the disk. */
  fail(fault: DiskFault | undefined): void;
  /** Limits the total size of all files from now on; undefined removes the limit. */
  limit(bytes: number | undefined): void;
  /** Ends all processes at once: their locks are free, and their writes stay in system memory. */
  kill(): void;
  /**
   * Returns a possible state of the disk if power is lost after this many of the `calls`. Writes
   * that no sync covers are kept or lost, as a whole or in part, and in any order.
   */
  afterPowerLoss(calls: number, random: SeededRandom): SimulatedDisk;
  /** Returns the content of each file by path. */
  content(): ReadonlyMap<string, Uint8Array>;
  /** Returns another disk with that content. */
  withContent(content: ReadonlyMap<string, Uint8Array>): SimulatedDisk;
}

/** The state of a disk. */
interface DiskState {
  /** The number of the content at each path. */
  readonly names: Map<string, number>;
  readonly inodes: Uint8Array[];
  readonly calls: DiskCall[];
  readonly locks: Set<string>;
  /** The last work queued for each path. */
  readonly queues: Map<string, Promise<unknown>>;
  asked: number;
  fault: DiskFault | undefined;
  /** Maximum total bytes of all files. */
  capacity: number;
}

export function simulatedDisk(content: ReadonlyMap<string, Uint8Array> = new Map()): SimulatedDisk {
  const disk: DiskState = {
    ...stored(content),
    calls: [],
    locks: new Set(),
    queues: new Map(),
    asked: 0,
    fault: undefined,
    capacity: Number.POSITIVE_INFINITY,
  };
  const { names, calls, locks } = disk;
  return {
    files: { ...readingCalls(disk), ...changingCalls(disk), ...processCalls(disk) },
    calls,
    asked: () => disk.asked,
    fail: (next) => {
      disk.asked = 0;
      disk.fault = next;
    },
    limit: (bytes = Number.POSITIVE_INFINITY) => {
      disk.capacity = bytes;
    },
    kill: () => locks.clear(),
    afterPowerLoss: (count, random) => simulatedDisk(survivors(content, calls.slice(0, count), random)),
    content: () => new Map([...names].map(([path, inode]) => [path, bytesOf(disk, inode).slice()])),
    withContent: simulatedDisk,
  };
}

/** Assigns a number to the content of each file. */
function stored(content: ReadonlyMap<string, Uint8Array>): Pick<DiskState, 'names' | 'inodes'> {
  const names = new Map<string, number>();
  const inodes: Uint8Array[] = [];
  for (const [path, bytes] of content) {
    names.set(path, inodes.length);
    inodes.push(bytes.slice());
  }
  return { names, inodes };
}

/** Counts a call. Returns whether the call must write only half of its bytes. */
function ask(disk: DiskState, needsSpace = false): boolean {
  const nth = disk.asked++;
  const { fault } = disk;
  if (fault === undefined || (fault.lasts ? nth < fault.nth : nth !== fault.nth)) return false;
  if (fault.kind === 'short') return true;
  if (fault.kind === 'ENOSPC' && !needsSpace) return false;
  throw failure(fault.kind);
}

function requireSpace(disk: DiskState, growth: number): void {
  if (growth <= 0 || disk.capacity === Number.POSITIVE_INFINITY) return;
  let used = 0;
  for (const inode of disk.names.values()) used += bytesOf(disk, inode).length;
  if (used + growth > disk.capacity) throw failure('ENOSPC');
}

function done(disk: DiskState, call: DiskCall): void {
  disk.calls.push(call);
  apply(call, disk);
}

const bytesOf = (disk: DiskState, inode: number) => disk.inodes[inode] ?? new Uint8Array();

function openFile(disk: DiskState, inode: number): OpenFile {
  const writeNow = (bytes: Uint8Array, at: number) => {
    const some = ask(disk, true) ? bytes.subarray(0, bytes.length >> 1) : bytes;
    requireSpace(disk, at + some.length - bytesOf(disk, inode).length);
    done(disk, { kind: 'write', inode, at, bytes: some.slice() });
    return some.length;
  };
  return {
    read: async (into, at) => {
      ask(disk);
      const bytes = bytesOf(disk, inode).subarray(at, at + into.length);
      into.set(bytes);
      return bytes.length;
    },
    write: async (bytes, at) => writeNow(bytes, at),
    writeNow,
    truncate: async (length) => {
      ask(disk);
      done(disk, { kind: 'truncate', inode, length });
    },
    sync: async () => {
      try {
        ask(disk);
      } catch (cause) {
        done(disk, { kind: 'sync', inode, kept: false });
        throw cause;
      }
      done(disk, { kind: 'sync', inode, kept: true });
    },
    close: async () => undefined,
  };
}

function readingCalls(disk: DiskState): Pick<FileSystem, 'readFile' | 'readPart' | 'list' | 'stamp'> {
  const { names } = disk;
  return {
    readFile: async (path) => {
      ask(disk);
      const inode = names.get(path);
      return inode === undefined ? undefined : bytesOf(disk, inode).slice();
    },
    readPart: async (path, at, length) => {
      ask(disk);
      const inode = names.get(path);
      return inode === undefined ? undefined : bytesOf(disk, inode).slice(at, at + length);
    },
    list: async (folder) => {
      ask(disk);
      const inFolder = [...names.keys()].filter((path) => folderOf(path) === folder);
      return inFolder.map((path) => path.slice(folder.length + 1));
    },
    stamp: async (path) => {
      ask(disk);
      const inode = names.get(path);
      return inode === undefined ? undefined : `${inode}:${bytesOf(disk, inode).length}`;
    },
  };
}

function changingCalls(
  disk: DiskState,
): Pick<FileSystem, 'open' | 'rename' | 'makeFolder' | 'syncFolder' | 'remove' | 'removeFolder'> {
  const { names, inodes } = disk;
  return {
    open: async (path, how) => {
      let inode = names.get(path);
      ask(disk, inode === undefined && how !== 'existing');
      if (inode === undefined) {
        if (how === 'existing') throw failure('ENOENT');
        inode = inodes.length;
        done(disk, { kind: 'make', path, inode });
      } else if (how === 'empty') done(disk, { kind: 'truncate', inode, length: 0 });
      return openFile(disk, inode);
    },
    rename: async (from, to) => {
      ask(disk);
      if (!names.has(from) && ![...names.keys()].some((path) => path.startsWith(`${from}/`)))
        throw failure('ENOENT');
      done(disk, { kind: 'rename', from, to });
    },
    makeFolder: async () => void ask(disk),
    syncFolder: async (folder) => {
      ask(disk);
      done(disk, { kind: 'sync-folder', folder });
    },
    remove: async (path) => {
      ask(disk);
      if (names.has(path)) done(disk, { kind: 'unlink', path });
    },
    removeFolder: async (folder) => {
      ask(disk);
      done(disk, { kind: 'remove', folder });
    },
  };
}

/** The calls that coordinate processes. */
function processCalls(disk: DiskState): Pick<FileSystem, 'oneAtATime' | 'lock' | 'watch'> {
  const { locks, queues } = disk;
  return {
    oneAtATime: (path, work) => {
      const mine = (queues.get(path) ?? Promise.resolve()).then(work);
      queues.set(
        path,
        mine.catch(() => undefined),
      );
      return mine;
    },
    lock: async (path) => {
      ask(disk);
      if (locks.has(path)) return undefined;
      locks.add(path);
      return {
        isHeld: async () => locks.has(path),
        release: async () => void locks.delete(path),
      };
    },
    watch: () => () => undefined,
  };
}

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/'));

const failure = (code: string): Error => Object.assign(new Error(`${code}: simulated`), { code });

function apply(call: DiskCall, { names, inodes }: Pick<DiskState, 'names' | 'inodes'>): void {
  switch (call.kind) {
    case 'make':
      names.set(call.path, call.inode);
      inodes[call.inode] = new Uint8Array();
      return;
    case 'rename': {
      const inode = names.get(call.from);
      if (inode === undefined) {
        for (const [path, inFolder] of [...names])
          if (path.startsWith(`${call.from}/`)) {
            names.delete(path);
            names.set(`${call.to}${path.slice(call.from.length)}`, inFolder);
          }
        return;
      }
      names.delete(call.from);
      names.set(call.to, inode);
      return;
    }
    case 'remove':
      for (const path of [...names.keys()]) if (path.startsWith(`${call.folder}/`)) names.delete(path);
      return;
    case 'unlink':
      names.delete(call.path);
      return;
    case 'write':
      inodes[call.inode] = spliced(inodes[call.inode] ?? new Uint8Array(), call.at, call.bytes);
      return;
    case 'truncate': {
      const cut = new Uint8Array(call.length);
      cut.set((inodes[call.inode] ?? cut).subarray(0, call.length));
      inodes[call.inode] = cut;
      return;
    }
    case 'sync':
    case 'sync-folder':
  }
}

function spliced(before: Uint8Array, at: number, bytes: Uint8Array): Uint8Array {
  const length = Math.max(before.length, at + bytes.length);
  const after = length === before.length ? before : new Uint8Array(length);
  if (after !== before) after.set(before);
  after.set(bytes, at);
  return after;
}

/**
 * Returns the content of the disk after a power loss: everything that a sync covers, and a random
 * part of the rest.
 */
function survivors(
  content: ReadonlyMap<string, Uint8Array>,
  calls: readonly DiskCall[],
  random: SeededRandom,
): ReadonlyMap<string, Uint8Array> {
  const covered = coveredCalls(calls);
  const disk = stored(content);
  const { names, inodes } = disk;
  // Each power loss loses a different share of the calls.
  const keep = random.fraction();
  calls.forEach((call, at) => {
    if (call.kind === 'sync' || call.kind === 'sync-folder') return;
    if (covered.has(at)) apply(call, disk);
    else if (call.kind !== 'write') {
      if (call.kind === 'make') inodes[call.inode] ??= new Uint8Array();
      if (random.fraction() < keep) apply(call, disk);
    } else
      for (const part of sectorsOf(call.at, call.bytes))
        if (random.fraction() < keep) apply({ ...call, ...part }, disk);
  });
  return new Map([...names].map(([path, inode]) => [path, inodes[inode] ?? new Uint8Array()]));
}

/** Returns the numbers of the calls that a later sync made durable. */
function coveredCalls(calls: readonly DiskCall[]): ReadonlySet<number> {
  const covered = new Set<number>();
  const waiting = new Map<number | string, number[]>();
  const wait = (what: number | string, at: number) => waiting.set(what, [...(waiting.get(what) ?? []), at]);
  calls.forEach((call, at) => {
    if (call.kind === 'write' || call.kind === 'truncate') wait(call.inode, at);
    else if (call.kind === 'make' || call.kind === 'unlink') wait(folderOf(call.path), at);
    else if (call.kind === 'rename') wait(folderOf(call.to), at);
    else if (call.kind === 'remove') wait(folderOf(call.folder), at);
    else {
      const what = call.kind === 'sync' ? call.inode : call.folder;
      if (call.kind !== 'sync' || call.kept) for (const one of waiting.get(what) ?? []) covered.add(one);
      waiting.delete(what);
    }
  });
  return covered;
}

function* sectorsOf(from: number, bytes: Uint8Array): Iterable<{ at: number; bytes: Uint8Array }> {
  for (let at = from; at < from + bytes.length; ) {
    const end = Math.min(from + bytes.length, (Math.floor(at / SECTOR_BYTES) + 1) * SECTOR_BYTES);
    yield { at, bytes: bytes.subarray(at - from, end - from) };
    at = end;
  }
}
