import { createHash, randomBytes } from 'node:crypto';
import { type FileHandle, link, open, readFile, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { FixpointError } from '@fixpoint/protocol';
import type { JWK } from 'jose';
import type { AuthSecrets } from './identity/builtin-parts.ts';
import type { Connection } from './tables/connection.ts';
import { markOf } from './tables/first-writer-rows.ts';
import { newSigningKey } from './tokens/cloud-tokens.ts';

/**
 * Secrets of this server. If they are lost, everybody must sign in again. They don't open any
 * ledger.
 */
export interface Secrets {
  /**
   * Secrets that sign sessions, and encrypt the keys of identity tokens. The first secret is
   * current. The others still decrypt the keys that they encrypted.
   */
  readonly auth: AuthSecrets;
  /** Hex text. Signs URLs of objects, links in mails, and ids of HTTP connections. */
  readonly objects: string;
  /**
   * Private keys of cloud tokens. The first one signs, the second one signs after the next
   * rotation, and the others only verify.
   */
  readonly tokens: readonly JWK[];
}

/**
 * Reads the secrets of a data folder, or creates them: a file of mode 0600.
 * @throws FixpointError CONFIG_INVALID when the file is damaged
 */
export async function loadSecrets(folder: string): Promise<Secrets> {
  const path = join(folder, 'secrets.json');
  const text = await readIfThere(path);
  if (text !== undefined) return parse(text, path);
  await makeSecrets(folder, path);
  return parse((await readIfThere(path)) ?? '', path);
}

/**
 * Checks that processes that share a database have the same secrets. Otherwise, each process would
 * reject signatures of the others. The database contains a hash of the first process's secret for
 * objects.
 * @throws FixpointError CONFIG_INVALID
 */
export async function requireSameSecrets(db: Connection, { objects }: Secrets): Promise<void> {
  const mark = createHash('sha256').update(`fixpoint secrets ${objects}`).digest('hex');
  if ((await markOf(db, 'secrets', mark)) === mark) return;
  throw new FixpointError(
    'CONFIG_INVALID',
    'secrets.json under FIXPOINT_DATA differs from that of the other processes at DATABASE_URL: copy theirs (if it is lost, remove the row `secrets` of the table CloudMarks; everybody must sign in again)',
  );
}

/** Returns the text of the file of secrets, checked; undefined if there is none. */
export async function secretsText(folder: string): Promise<string | undefined> {
  const path = join(folder, 'secrets.json');
  const text = await readIfThere(path);
  if (text !== undefined) parse(text, path);
  return text;
}

/**
 * Writes the file of secrets of a backup.
 * @throws FixpointError CONFIG_INVALID when the text isn't such a file
 */
export async function restoreSecrets(folder: string, text: string): Promise<Secrets> {
  const path = join(folder, 'secrets.json');
  const secrets = parse(text, path);
  await replaceSecrets(folder, secrets);
  return secrets;
}

const readIfThere = (path: string) =>
  readFile(path, 'utf8').catch((cause: NodeJS.ErrnoException) =>
    cause.code === 'ENOENT' ? undefined : Promise.reject(cause),
  );

function parse(text: string, path: string): Secrets {
  const refuse = (cause?: unknown): never => {
    throw new FixpointError(
      'CONFIG_INVALID',
      `${path} is damaged: restore a copy of it, or remove it (everybody must then sign in again)`,
      { cause },
    );
  };
  try {
    const secrets = JSON.parse(text) as Partial<Secrets>;
    const isWhole =
      Array.isArray(secrets.auth) && Array.isArray(secrets.tokens) && typeof secrets.objects === 'string';
    return isWhole ? (secrets as Secrets) : refuse();
  } catch (cause) {
    return refuse(cause);
  }
}

/** Maximum number of keys: the current signer, the next signer, and two keys that only verify. */
const TOKEN_KEYS_MAX = 4;

/**
 * Rotates the keys of cloud tokens at the next start: the next key signs, the previous signer still
 * verifies, and a new key becomes the next one. All processes already know the next key, so no
 * process rejects tokens of another.
 */
export async function rotateTokenKeys(folder: string): Promise<void> {
  const secrets = await loadSecrets(folder);
  const [current, next, ...older] = secrets.tokens;
  const tokens = [next, await newSigningKey(), current, ...older].filter((key) => key !== undefined);
  await replaceSecrets(folder, { ...secrets, tokens: tokens.slice(0, TOKEN_KEYS_MAX) });
}

/**
 * Creates a new secret for sessions. Everybody must sign in again after the next start. Keeps the
 * previous secrets, because keys of identity tokens and of second factors are encrypted with them.
 */
export async function rotateSessionSecret(folder: string): Promise<void> {
  const secrets = await loadSecrets(folder);
  const version = secrets.auth.reduce((newest, each) => Math.max(newest, each.version), 0) + 1;
  const auth = [{ version, value: randomBytes(32).toString('hex') }, ...secrets.auth];
  await replaceSecrets(folder, { ...secrets, auth });
}

async function replaceSecrets(folder: string, secrets: Secrets): Promise<void> {
  const path = join(folder, 'secrets.json');
  const draft = draftOf(path);
  await withFile(draft, 'wx', async (file) => {
    await file.writeFile(JSON.stringify(secrets));
    await file.sync();
  });
  await rename(draft, path);
  await withFile(folder, 'r', (opened) => opened.sync());
}

/**
 * Creates the file, and makes it durable before any secret is used. Never overwrites a file that
 * another process created at the same time.
 */
async function makeSecrets(folder: string, path: string): Promise<void> {
  const secrets: Secrets = {
    auth: [{ version: 1, value: randomBytes(32).toString('hex') }],
    objects: randomBytes(32).toString('hex'),
    tokens: [await newSigningKey(), await newSigningKey()],
  };
  const draft = draftOf(path);
  await withFile(draft, 'wx', async (file) => {
    await file.writeFile(JSON.stringify(secrets));
    await file.sync();
  });
  await link(draft, path).catch((cause: NodeJS.ErrnoException) =>
    cause.code === 'EEXIST' ? undefined : Promise.reject(cause),
  );
  await unlink(draft);
  await withFile(folder, 'r', (opened) => opened.sync());
}

/**
 * Returns a random name, because processes in containers may have the same process id and share a
 * folder.
 */
const draftOf = (path: string): string => `${path}.${randomBytes(8).toString('hex')}`;

async function withFile(
  path: string,
  flags: string,
  work: (file: FileHandle) => Promise<void>,
): Promise<void> {
  const file = await open(path, flags, 0o600);
  try {
    await work(file);
  } finally {
    await file.close();
  }
}
