/**
 * Objects as files, in a folder for each ledger. Folders and files are named by hashes of what they hold, so that nothing in a key can lead elsewhere. A file is
 * written aside, made durable, and only then linked to its name, which fails when the name is taken: an object is there whole or not at all, and never changes.
 * Other bytes for a name that is taken may be kept beside it, as a variant.
 */
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, link, mkdir, open, readdir, readFile, rm, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const FRESH_MS = 3_600_000;
const VARIANTS_MAX = 1000;
/** Archives are far smaller. */
const VARIANT_BYTES_MAX = 8_000_000;

export type WriteOutcome = 'stored' | 'same' | 'different' | 'wrong';

export interface StoredObject {
  readonly bytes: number;
  /** To be called once: the file is closed when it was read, or given up. */
  read(): AsyncIterable<Uint8Array>;
}

/** Files by path of the object; paths are checked before they come here. */
export interface DiskObjects {
  has(path: string): Promise<boolean>;
  /**
   * Resolves when the bytes are durable. An object that exists stays as it is; other bytes become a variant of it, unless they are `different` without
   * having a variant of their own.
   * @param hash the sha-256 that the bytes must have, as hex text; others are `wrong` and leave nothing behind
   */
  write(path: string, bytes: AsyncIterable<Uint8Array>, hash?: string): Promise<WriteOutcome>;
  /** The object as it was first stored, or a variant of it. */
  open(path: string, variant?: string): Promise<StoredObject | undefined>;
  variants(path: string): Promise<readonly string[]>;
  /** Removes the object with all its variants. Whether there was something to remove. */
  remove(path: string): Promise<boolean>;
  /** Removes all objects of a ledger, whose paths begin with `prefix`: tenant and ledger. */
  removeLedger(prefix: string): Promise<void>;
}

/** @param variantOf names the variant that bytes are, in letters and digits */
export async function openDiskObjects(
  folder: string,
  variantOf: (bytes: Buffer) => string | undefined,
  now: () => number,
): Promise<DiskObjects> {
  const drafts = join(folder, 'drafts');
  await mkdir(drafts, { recursive: true, mode: 0o700 });
  const shelves = Array.from({ length: 256 }, (_, index) => index.toString(16).padStart(2, '0'));
  await Promise.all(shelves.map((shelf) => mkdir(join(folder, shelf), { recursive: true, mode: 0o700 })));
  await syncFolder(folder);
  await removeOldDrafts(drafts, now());

  /** Names that were given a moment ago and are not durable yet. */
  const settling = new Map<string, Promise<void>>();
  const shelfOf = (prefix: string) => {
    const hash = hexOf(prefix);
    return join(folder, hash.slice(0, 2), hash);
  };
  const placeOf = (path: string) => {
    const shelf = shelfOf(path.split('/').slice(0, 2).join('/'));
    const hash = hexOf(path);
    return { shelf, file: join(shelf, hash), beside: join(shelf, `${hash}.variants`) };
  };
  const settle = async (shelf: string, file: string) => {
    const done = syncFolder(shelf).finally(() => {
      if (settling.get(file) === done) settling.delete(file);
    });
    settling.set(file, done);
    await done;
  };

  async function keepBeside(draft: string, path: string): Promise<WriteOutcome> {
    const { file, beside } = placeOf(path);
    if ((await stat(draft)).size > VARIANT_BYTES_MAX) return 'different';
    const variant = variantOf(await readFile(draft));
    const first = await absentAsUndefined(readFile(file));
    // Of one variant there is one form: whoever sends another one has damaged bytes, or worse.
    if (variant === undefined || (first !== undefined && variantOf(first) === variant)) return 'different';
    const others = (await absentAsUndefined(readdir(beside))) ?? [];
    if (others.length >= VARIANTS_MAX) return 'different';
    await makeFolder(beside);
    const place = join(beside, variant);
    const isNew = await link(draft, place).then(() => true, ifTaken);
    await settle(beside, place);
    if (isNew) return 'stored';
    return (await hashOf(createReadStream(place))) === (await hashOf(createReadStream(draft)))
      ? 'same'
      : 'different';
  }

  return {
    has: async (path) => {
      const { file } = placeOf(path);
      const found = await absentAsUndefined(stat(file));
      await settling.get(file);
      return found !== undefined;
    },
    write: async (path, bytes, hash) => {
      const { shelf, file } = placeOf(path);
      const draft = join(drafts, randomBytes(16).toString('hex'));
      try {
        const written = await writeDraft(draft, bytes);
        if (hash !== undefined && written !== hash) return 'wrong';
        await makeFolder(shelf);
        const isNew = await link(draft, file).then(() => true, ifTaken);
        // Also when the name was taken: the one who took it may not have made it durable yet.
        await settle(shelf, file);
        if (isNew) return 'stored';
        if ((await hashOf(createReadStream(file))) === written) return 'same';
        return await keepBeside(draft, path);
      } finally {
        await absentAsUndefined(unlink(draft));
      }
    },
    open: async (path, variant) => {
      const { file, beside } = placeOf(path);
      const handle = await absentAsUndefined(open(variant === undefined ? file : join(beside, variant), 'r'));
      return handle && describe(handle);
    },
    variants: async (path) => (await absentAsUndefined(readdir(placeOf(path).beside))) ?? [],
    remove: async (path) => {
      const { shelf, file, beside } = placeOf(path);
      await rm(beside, { recursive: true, force: true });
      const removed = await absentAsUndefined(unlink(file).then(() => true));
      if (removed) await syncFolder(shelf);
      return removed === true;
    },
    removeLedger: async (prefix) => {
      const shelf = shelfOf(prefix);
      await rm(shelf, { recursive: true, force: true });
      await syncFolder(dirname(shelf));
    },
  };
}

const hexOf = (text: string) => createHash('sha256').update(text).digest('hex');

/** Is there, and after a loss of power too, when this resolves. */
async function makeFolder(path: string): Promise<void> {
  const made = await mkdir(path, { recursive: true, mode: 0o700 });
  if (made !== undefined) await syncFolder(dirname(path));
}

async function describe(handle: FileHandle): Promise<StoredObject> {
  const { size } = await handle.stat();
  return {
    bytes: size,
    read: () => handle.createReadStream({ autoClose: true }),
  };
}

/** Writes bytes to a new file, durably; gives their hash. */
async function writeDraft(draft: string, bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  const file = await open(draft, 'wx', 0o600);
  try {
    for await (const part of bytes) {
      hash.update(part);
      await file.writeFile(part);
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return hash.digest('hex');
}

async function hashOf(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  for await (const part of bytes) hash.update(part);
  return hash.digest('hex');
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  await folder.sync().finally(() => folder.close());
}

/** Uploads that a crash cut off. Young ones may belong to another process. */
async function removeOldDrafts(drafts: string, now: number): Promise<void> {
  for (const name of await readdir(drafts)) {
    const draft = join(drafts, name);
    const found = await absentAsUndefined(stat(draft));
    if (found !== undefined && now - found.mtimeMs > FRESH_MS) await absentAsUndefined(unlink(draft));
  }
}

const codeOf = (cause: unknown) => (cause as NodeJS.ErrnoException).code;

async function absentAsUndefined<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return undefined;
    throw cause;
  }
}

function ifTaken(cause: unknown): false {
  if (codeOf(cause) === 'EEXIST') return false;
  throw cause;
}
