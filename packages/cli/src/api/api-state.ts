/**
 * Files that an API keeps: its token, the secret of its webhooks, and their positions. They are in
 * a folder of the user, not next to the database, so that a copy of the database has no token.
 */
import { createHash, randomBytes } from 'node:crypto';
import { chmod, link, mkdir, open, readFile, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { FixpointError } from '@fixpoint/protocol';
import type { Io } from '../io.ts';

/** Returns the default folder for one database. Different databases have different folders. */
export function stateFolderOf({ env }: Io, directory: string, name: string): string {
  const base = env['XDG_CONFIG_HOME'] || join(env['HOME'] || homedir(), '.config');
  const hash = createHash('sha256')
    .update(JSON.stringify([directory, name]))
    .digest('hex')
    .slice(0, 12);
  const readable = name.replace(/[^\w-]+/g, '_').slice(0, 40);
  return join(base, 'fixpoint', 'api', `${readable}-${hash}`);
}

/** A token or secret, and the file that contains it. */
export interface KeptSecret {
  readonly value: string;
  readonly file: string;
}

/** Printable, without spaces, so that it fits into a header; long enough that nobody guesses it. */
const SECRET = /^[\x21-\x7e]{22,512}$/;

/**
 * Reads a secret. The first call creates it, in a file that only this user can read.
 * @throws FixpointError CONFIG_INVALID if the file has no usable secret
 */
export async function keptSecret(folder: string, name: string, prefix: string): Promise<KeptSecret> {
  const file = join(folder, name);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const value = (await stored(file)) ?? (await created(file, prefix));
  if (!SECRET.test(value))
    throw new FixpointError('CONFIG_INVALID', `${file} must contain 22 to 512 letters without spaces`);
  return { value, file };
}

async function stored(file: string): Promise<string | undefined> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw cause;
  }
}

/** Creates the file in one step. Two processes that start together read the same secret. */
async function created(file: string, prefix: string): Promise<string> {
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  const handle = await open(draft, 'wx', 0o600);
  try {
    await chmod(draft, 0o600);
    await handle.writeFile(`${prefix}${randomBytes(32).toString(prefix === '' ? 'base64url' : 'base64')}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  try {
    await link(draft, file);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw cause;
  } finally {
    await rm(draft);
  }
  return (await readFile(file, 'utf8')).trim();
}
