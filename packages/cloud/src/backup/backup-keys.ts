/**
 * Encrypts the parts of a backup with AES-256-GCM, each under a number of its own. The keys are
 * derived from the operator's key or passphrase, and from random bytes of the backup. So no two
 * parts have the same key and number, and a part of another backup can't be opened.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  scrypt,
} from 'node:crypto';

export type BackupSecret =
  | { readonly kind: 'key'; readonly bytes: Buffer }
  | { readonly kind: 'passphrase'; readonly text: string };

/** How a backup is encrypted, as its manifest says. */
export interface Encryption {
  readonly kind: BackupSecret['kind'];
  /** Random bytes of this backup, as hex text. */
  readonly salt: string;
  /** Text that only the right key gives. */
  readonly check: string;
}

export interface BackupKeys {
  readonly parts: Buffer;
  readonly seal: Buffer;
  readonly check: string;
}

const [SALT_BYTES, KEY_BYTES, TAG_BYTES] = [32, 32, 16];
/** With these parameters, each guess of a passphrase takes 32 MB of memory and about 0.3 s. */
const COST = { N: 2 ** 15, r: 8, p: 3, maxmem: 2 ** 26 };

export const newSalt = (): string => randomBytes(SALT_BYTES).toString('hex');

export async function keysOf(secret: BackupSecret, salt: string): Promise<BackupKeys> {
  const random = Buffer.from(salt, 'hex');
  const master = secret.kind === 'key' ? secret.bytes : await stretched(secret.text, random);
  const derived = (use: string) =>
    Buffer.from(hkdfSync('sha256', master, random, `fixpoint backup ${use}`, KEY_BYTES));
  return { parts: derived('parts'), seal: derived('seal'), check: derived('check').toString('hex') };
}

const stretched = (passphrase: string, salt: Buffer): Promise<Buffer> =>
  new Promise((resolve, reject) =>
    scrypt(passphrase.normalize('NFKC'), salt, KEY_BYTES, COST, (error, key) =>
      error === null ? resolve(key) : reject(error),
    ),
  );

/** @param number of the part in its backup */
export function sealPart({ parts }: BackupKeys, id: string, number: number, bytes: Buffer): Buffer {
  const cipher = createCipheriv('aes-256-gcm', parts, nonceOf(number));
  cipher.setAAD(Buffer.from(`${id}/${number}`));
  return Buffer.concat([cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
}

/** Returns undefined for bytes that aren't this part, encrypted with this key. */
export function openPart(
  { parts }: BackupKeys,
  id: string,
  number: number,
  sealed: Buffer,
): Buffer | undefined {
  if (sealed.length < TAG_BYTES) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', parts, nonceOf(number), { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(`${id}/${number}`));
  decipher.setAuthTag(sealed.subarray(sealed.length - TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(0, sealed.length - TAG_BYTES)), decipher.final()]);
  } catch {
    return undefined;
  }
}

function nonceOf(number: number): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUInt32BE(number, 8);
  return nonce;
}

/**
 * Returns the line that proves that a manifest is unchanged. With a key, nobody else can write it.
 */
export const sealOf = (text: string, keys: BackupKeys | undefined): string =>
  keys === undefined
    ? createHash('sha256').update(text).digest('hex')
    : createHmac('sha256', keys.seal).update(text).digest('hex');
