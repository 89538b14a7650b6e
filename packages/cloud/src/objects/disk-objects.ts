/**
 * Stores objects as files, in one folder per ledger. The names of folders and files are hashes, so
 * a key can't lead to another path. An upload is written to a draft and synced to disk. Then the
 * draft is linked to the name of the object, which fails if that name exists. So an object is
 * either complete or absent, and only a repair can change it. Other bytes for an existing name can
 * be stored as a variant.
 */
import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import {
  type FileHandle,
  link,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { absentAsUndefined, type Draft, hashOf, removeOldDrafts, withDraft } from './drafts.ts';
import {
  isRepair,
  type Repair,
  type StoredObject,
  type StoredObjects,
  VARIANT_BYTES_MAX,
  VARIANTS_MAX,
  type VariantOf,
  type WriteOutcome,
} from './stored-objects.ts';

/** State that the functions below share. */
interface DiskState {
  readonly folder: string;
  /** Folder of unfinished uploads. */
  readonly drafts: string;
  readonly variantOf: VariantOf;
  /** Files that were just linked, and whose names aren't durable yet. */
  readonly settling: Map<string, Promise<void>>;
}

export async function openDiskObjects(
  folder: string,
  variantOf: VariantOf,
  now: () => number,
): Promise<StoredObjects> {
  const state: DiskState = { folder, drafts: join(folder, 'drafts'), variantOf, settling: new Map() };
  await makeFolder(state.drafts);
  const shelves = Array.from({ length: 256 }, (_, index) => index.toString(16).padStart(2, '0'));
  await Promise.all(shelves.map((shelf) => mkdir(join(folder, shelf), { recursive: true, mode: 0o700 })));
  await syncFolder(folder);
  await removeOldDrafts(state.drafts, now());
  return {
    has: (path) => hasObject(state, path),
    write: (path, bytes, hash, repair) =>
      withDraft(state.drafts, 'synced', bytes, async (draft) =>
        hash !== undefined && draft.hash !== hash ? 'wrong' : storeDraft(state, path, draft, repair),
      ),
    open: async (path, variant) => {
      const { file, beside } = placeOf(state, path);
      const handle = await absentAsUndefined(open(variant === undefined ? file : join(beside, variant), 'r'));
      return handle && describe(handle);
    },
    variants: async (path) => (await absentAsUndefined(readdir(placeOf(state, path).beside))) ?? [],
    bytesAt: async (path) => {
      const { file, beside } = placeOf(state, path);
      const variants = (await absentAsUndefined(readdir(beside))) ?? [];
      const files = [file, ...variants.map((variant) => join(beside, variant))];
      const sizes = await Promise.all(files.map((each) => absentAsUndefined(stat(each))));
      return sizes.reduce((sum, found) => sum + (found?.size ?? 0), 0);
    },
    remove: async (path) => {
      const { shelf, file, beside } = placeOf(state, path);
      await rm(beside, { recursive: true, force: true });
      const removed = await absentAsUndefined(unlink(file).then(() => true));
      if (removed) await syncFolder(shelf);
      return removed === true;
    },
    removeLedger: async (prefix) => {
      const shelf = shelfOf(state, prefix);
      await rm(shelf, { recursive: true, force: true });
      await syncFolder(dirname(shelf));
    },
    answers: () => canWrite(state.drafts),
  };
}

function shelfOf({ folder }: DiskState, prefix: string): string {
  const hash = hexOf(prefix);
  return join(folder, hash.slice(0, 2), hash);
}

function placeOf(state: DiskState, path: string) {
  const shelf = shelfOf(state, path.split('/').slice(0, 2).join('/'));
  const hash = hexOf(path);
  return { shelf, file: join(shelf, hash), beside: join(shelf, `${hash}.variants`) };
}

async function hasObject(state: DiskState, path: string): Promise<boolean> {
  const { file } = placeOf(state, path);
  const found = await absentAsUndefined(stat(file));
  await state.settling.get(file);
  return found !== undefined;
}

/** Makes the name of a file durable. */
async function settle({ settling }: DiskState, shelf: string, file: string): Promise<void> {
  const done = syncFolder(shelf).finally(() => {
    if (settling.get(file) === done) settling.delete(file);
  });
  settling.set(file, done);
  await done;
}

async function storeDraft(
  state: DiskState,
  path: string,
  draft: Draft,
  repair: Repair | undefined,
): Promise<WriteOutcome> {
  const { shelf, file } = placeOf(state, path);
  await makeFolder(shelf);
  const isNew = await link(draft.file, file).then(() => true, ifTaken);
  // Needed even if the name existed before: its writer may not have made it durable yet.
  await settle(state, shelf, file);
  if (isNew) return 'stored';
  if ((await hashOf(createReadStream(file))) === draft.hash) return 'same';
  const isWrong = await isRepair(
    repair,
    () => readFile(file),
    () => readFile(draft.file),
  );
  if (!isWrong) return keepBeside(state, draft, path);
  await replace(state, draft.file, shelf, file);
  return 'stored';
}

/** Stores other bytes for an existing name as a variant. */
async function keepBeside(
  state: DiskState,
  { file: draft, hash, bytes }: Draft,
  path: string,
): Promise<WriteOutcome> {
  const { variantOf } = state;
  const { file, beside } = placeOf(state, path);
  if (bytes > VARIANT_BYTES_MAX) return 'different';
  const variant = variantOf(await readFile(draft));
  const first = await absentAsUndefined(readFile(file));
  // A variant never changes. A client that sends other bytes for the same variant has damaged
  // bytes, or is malicious.
  if (variant === undefined || (first !== undefined && variantOf(first) === variant)) return 'different';
  const others = (await absentAsUndefined(readdir(beside))) ?? [];
  if (others.length >= VARIANTS_MAX) return 'different';
  await makeFolder(beside);
  const place = join(beside, variant);
  const isNew = await link(draft, place).then(() => true, ifTaken);
  await settle(state, beside, place);
  if (isNew) return 'stored';
  return (await hashOf(createReadStream(place))) === hash ? 'same' : 'different';
}

/**
 * Replaces damaged bytes. Readers that have already opened the file continue to read the damaged
 * bytes.
 */
async function replace(state: DiskState, draft: string, shelf: string, file: string): Promise<void> {
  const fresh = `${draft}.right`;
  await link(draft, fresh);
  await rename(fresh, file);
  await settle(state, shelf, file);
}

/**
 * Returns whether a file can be written. Writes a file to find out, because permissions don't
 * reveal a full or read-only disk.
 */
async function canWrite(drafts: string): Promise<boolean> {
  const draft = join(drafts, `ready-${randomUUID()}`);
  try {
    await writeFile(draft, 'ready');
    return true;
  } catch {
    return false;
  } finally {
    await rm(draft, { force: true }).catch(() => undefined);
  }
}

export const hexOf = (text: string) => createHash('sha256').update(text).digest('hex');

/** Creates a folder and its parents. Resolves when all of them survive a power loss. */
export async function makeFolder(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  const highest = resolve(first);
  // The name of each new folder is stored in its parent.
  for (let made = resolve(path); made.startsWith(highest); made = dirname(made))
    await syncFolder(dirname(made));
}

export async function describe(handle: FileHandle): Promise<StoredObject> {
  const { size } = await handle.stat();
  return {
    bytes: size,
    read: () => handle.createReadStream({ autoClose: true }),
  };
}

export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  await folder.sync().finally(() => folder.close());
}

function ifTaken(cause: unknown): false {
  if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return false;
  throw cause;
}
