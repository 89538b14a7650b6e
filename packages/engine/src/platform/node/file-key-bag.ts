/**
 * Stores keys in files of mode 0600, one file per database, in a folder of mode 0700. A file is
 * JSON in one of these forms:
 *
 * - `{v: 2, keys: [hex], check}`: plaintext keys; the first one is used to seal.
 * - `{v: 2, wrap: {kdf: "scrypt", n, r, p, salt, iv, data}, check}`: the text `["hex", ...]`,
 *   encrypted with AES-256-GCM and the database name as additional data. `data` ends with the tag.
 *   The key is scrypt of the passphrase (UTF-8, NFKC) with these parameters; bytes are hex.
 * - `{v: 1, keys: [hex]}`: the form of earlier versions, replaced at the next change.
 *
 * `check` is the sha-256 in hex of the JSON text before it. It distinguishes damage from a wrong
 * passphrase. A file that doesn't match its `check` is reported as CORRUPT, and a file with a
 * higher `v` as FORMAT_NEWER. Neither file is ever overwritten.
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes, scrypt } from 'node:crypto';
import { chmod, lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { FixpointError } from '@fixpoint/protocol';
import type { KeyBag, KeyMaterials } from '../../ports/key-bag.ts';
import { replaceFile } from './durable-file.ts';
import { isMissing, storeFailure } from './failure.ts';
import { withFileLock } from './file-lock.ts';
import { fileNameOf } from './file-name.ts';
import { nodeFiles } from './node-files.ts';

const VERSION = 2;
const TAG_BYTES = 16;
/** With these parameters, each guess of a passphrase takes 32 MB of memory and about 0.3 s. */
const SCRYPT = { n: 2 ** 15, r: 8, p: 3 };
const SCRYPT_MOST = { n: 2 ** 20, r: 32, p: 16 };

interface Wrap {
  readonly kdf: 'scrypt';
  readonly n: number;
  readonly r: number;
  readonly p: number;
  readonly salt: string;
  readonly iv: string;
  readonly data: string;
}
type Content = { readonly keys: readonly string[] } | { readonly wrap: Wrap };

/**
 * Rejects an empty passphrase, which would protect nothing.
 * @throws FixpointError CONFIG_INVALID
 */
export function checkPassphrase(passphrase: unknown): void {
  if (passphrase !== undefined && (typeof passphrase !== 'string' || passphrase === ''))
    throw new FixpointError('CONFIG_INVALID', 'a passphrase must be a string that is not empty');
}

export function fileKeyBag(folder: string): KeyBag {
  const pathOf = (database: string) => join(folder, `${fileNameOf(database)}.json`);

  async function read(database: string): Promise<Content | undefined> {
    const path = pathOf(database);
    try {
      const bytes = await nodeFiles.readFile(path);
      if (bytes === undefined) return undefined;
      await keepPrivate(path, 0o600);
      return parseContent(Buffer.from(bytes).toString('utf8'));
    } catch (cause) {
      throw storeFailure(cause);
    }
  }

  async function write(database: string, keys: KeyMaterials, passphrase: string | undefined): Promise<void> {
    const texts = keys.map((key) => Buffer.from(key).toString('hex'));
    const content =
      passphrase === undefined ? { keys: texts } : { wrap: await wrap(database, texts, passphrase) };
    const body = { v: VERSION, ...content };
    const text = JSON.stringify({ ...body, check: checkOf(body) });
    await upserting(() => replaceFile(nodeFiles, pathOf(database), Buffer.from(text)));
  }

  const locked = async <T>(database: string, work: () => Promise<T>): Promise<T> => {
    await upserting(async () => {
      await nodeFiles.makeFolder(folder);
      await keepPrivate(folder, 0o700);
    });
    return withFileLock(`${pathOf(database)}.lock`, work);
  };

  const update: KeyBag['update'] = (database, change, passphrase) =>
    locked(database, async () => {
      const content = await read(database);
      const changed = change(content === undefined ? [] : await keysIn(database, content, passphrase));
      await write(database, changed, passphrase);
      return changed;
    });

  return {
    load: async (database, passphrase) => {
      const content = await read(database);
      if (content === undefined) return [];
      const isOpen = 'keys' in content && passphrase !== undefined;
      return isOpen ? update(database, (keys) => keys, passphrase) : keysIn(database, content, passphrase);
    },
    update,
    changePassphrase: (database, from, to) =>
      locked(database, async () => {
        checkPassphrase(to);
        const content = await read(database);
        if (content === undefined) throw new FixpointError('MISSING_KEYBAG', database);
        if ('keys' in content && from !== undefined)
          throw new FixpointError('KEY_BAG_LOCKED', 'it has no passphrase');
        await write(database, await keysIn(database, content, from), to);
      }),
  };
}

async function upserting<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new FixpointError('KEY_UPSERT', undefined, { cause });
  }
}

/**
 * Removes the access of other users, because anybody who can read a key can read the data. A file
 * that was copied from elsewhere may be readable by other users.
 */
async function keepPrivate(path: string, mode: number): Promise<void> {
  if (process.platform === 'win32') return;
  const found = await lstat(path).catch((cause) => (isMissing(cause) ? undefined : Promise.reject(cause)));
  if (found === undefined) return;
  if (found.isSymbolicLink()) throw new FixpointError('CORRUPT', 'key bag is a link to elsewhere');
  if ((found.mode & 0o777) !== mode) await chmod(path, mode);
}

async function keysIn(
  database: string,
  content: Content,
  passphrase: string | undefined,
): Promise<KeyMaterials> {
  const texts = 'keys' in content ? content.keys : await unwrap(database, content.wrap, passphrase);
  return texts.map((key) => Uint8Array.from(Buffer.from(key, 'hex')));
}

async function wrap(database: string, keys: readonly string[], passphrase: string): Promise<Wrap> {
  const [salt, iv] = [randomBytes(16), randomBytes(12)];
  const cipher = createCipheriv('aes-256-gcm', await derive(passphrase, salt, SCRYPT), iv);
  cipher.setAAD(Buffer.from(database));
  const data = Buffer.concat([
    cipher.update(JSON.stringify(keys), 'utf8'),
    cipher.final(),
    cipher.getAuthTag(),
  ]);
  const hex = (bytes: Buffer) => bytes.toString('hex');
  return { kdf: 'scrypt', ...SCRYPT, salt: hex(salt), iv: hex(iv), data: hex(data) };
}

/** @throws FixpointError KEY_BAG_LOCKED */
async function unwrap(
  database: string,
  wrapped: Wrap,
  passphrase: string | undefined,
): Promise<readonly string[]> {
  if (passphrase === undefined) throw new FixpointError('KEY_BAG_LOCKED', 'it needs a passphrase');
  const [salt, iv, data] = [wrapped.salt, wrapped.iv, wrapped.data].map((hex) => Buffer.from(hex, 'hex'));
  if (salt === undefined || iv === undefined || data === undefined) throw notABag();
  const decipher = createDecipheriv('aes-256-gcm', await derive(passphrase, salt, wrapped), iv, {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(Buffer.from(database));
  decipher.setAuthTag(data.subarray(-TAG_BYTES));
  let text: string;
  try {
    text = decipher.update(data.subarray(0, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
  } catch (cause) {
    throw new FixpointError('KEY_BAG_LOCKED', 'wrong passphrase', { cause });
  }
  const keys = JSON.parse(text) as unknown;
  if (!isKeys(keys)) throw notABag();
  return keys;
}

function derive(passphrase: string, salt: Buffer, { n, r, p }: Pick<Wrap, 'n' | 'r' | 'p'>): Promise<Buffer> {
  const options = { N: n, r, p, maxmem: 256 * n * r };
  return new Promise((resolve, reject) =>
    scrypt(passphrase.normalize('NFKC'), salt, 32, options, (error, key) =>
      error ? reject(error) : resolve(key),
    ),
  );
}

const checkOf = (body: object): string => createHash('sha256').update(JSON.stringify(body)).digest('hex');

const notABag = (cause?: unknown) => new FixpointError('CORRUPT', 'key bag', { cause });

/** @throws FixpointError CORRUPT, FORMAT_NEWER */
function parseContent(text: string): Content {
  let parsed: Record<string, unknown> | null;
  try {
    parsed = JSON.parse(text) as Record<string, unknown> | null;
  } catch (cause) {
    throw notABag(cause);
  }
  const { check, ...body } = parsed ?? {};
  const { v, keys, wrap: wrapped } = body;
  if (typeof v === 'number' && v > VERSION) throw new FixpointError('FORMAT_NEWER', 'key bag');
  if (v !== 1 && (v !== VERSION || check !== checkOf(body))) throw notABag();
  if (isKeys(keys)) return { keys };
  if (v === VERSION && isWrap(wrapped)) return { wrap: wrapped };
  throw notABag();
}

const isKeys = (value: unknown): value is readonly string[] =>
  Array.isArray(value) &&
  value.every((key) => typeof key === 'string' && /^([0-9a-f]{32}|[0-9a-f]{64})$/.test(key));

function isWrap(value: unknown): value is Wrap {
  if (typeof value !== 'object' || value === null) return false;
  const { kdf, n, r, p, salt, iv, data } = value as Partial<Record<keyof Wrap, unknown>>;
  const isHex = (text: unknown, bytesMin: number) =>
    typeof text === 'string' && text.length >= 2 * bytesMin && /^([0-9a-f]{2})+$/.test(text);
  const isWithin = (number: unknown, most: number) =>
    Number.isInteger(number) && (number as number) >= 1 && (number as number) <= most;
  return (
    kdf === 'scrypt' &&
    isWithin(n, SCRYPT_MOST.n) &&
    isWithin(r, SCRYPT_MOST.r) &&
    isWithin(p, SCRYPT_MOST.p) &&
    isHex(salt, 16) &&
    isHex(iv, 12) &&
    isHex(data, TAG_BYTES)
  );
}
