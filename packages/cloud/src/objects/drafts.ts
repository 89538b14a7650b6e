/** Writes uploads to temporary files, called drafts, before the uploads get a name. */
import { createHash, randomBytes } from 'node:crypto';
import { open, readdir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { FixpointError } from '@fixpoint/protocol';

const FRESH_MS = 3_600_000;

export interface Draft {
  readonly file: string;
  /** The sha-256 of its bytes, as hex text. */
  readonly hash: string;
  readonly bytes: number;
}

/** Error codes of a full disk, and of an exhausted quota of this user or process. */
const FULL = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/**
 * Writes bytes to a new file, and removes the file after `use`.
 * @throws FixpointError STORE_FULL
 * @param durability `synced` when the file becomes the object, `passing` when it is uploaded
 * elsewhere
 */
export async function withDraft<T>(
  folder: string,
  durability: 'synced' | 'passing',
  bytes: AsyncIterable<Uint8Array>,
  use: (draft: Draft) => Promise<T>,
): Promise<T> {
  const file = join(folder, randomBytes(16).toString('hex'));
  try {
    return await use(await write(file, durability, bytes));
  } catch (cause) {
    if (!FULL.has((cause as NodeJS.ErrnoException).code ?? '')) throw cause;
    throw new FixpointError('STORE_FULL', 'objects', { cause });
  } finally {
    await absentAsUndefined(unlink(file));
  }
}

async function write(
  file: string,
  durability: 'synced' | 'passing',
  bytes: AsyncIterable<Uint8Array>,
): Promise<Draft> {
  const hash = createHash('sha256');
  let length = 0;
  const opened = await open(file, 'wx', 0o600);
  try {
    for await (const part of bytes) {
      hash.update(part);
      length += part.byteLength;
      await opened.writeFile(part);
    }
    if (durability === 'synced') await opened.sync();
  } finally {
    await opened.close();
  }
  return { file, hash: hash.digest('hex'), bytes: length };
}

/**
 * Removes drafts that a crash left behind. Keeps recent drafts, which may belong to another
 * process.
 */
export async function removeOldDrafts(folder: string, now: number): Promise<void> {
  for (const name of await readdir(folder)) {
    const draft = join(folder, name);
    const found = await absentAsUndefined(stat(draft));
    if (found !== undefined && now - found.mtimeMs > FRESH_MS) await absentAsUndefined(unlink(draft));
  }
}

export async function hashOf(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  for await (const part of bytes) hash.update(part);
  return hash.digest('hex');
}

export async function absentAsUndefined<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw cause;
  }
}
