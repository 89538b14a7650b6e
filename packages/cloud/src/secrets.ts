import { randomBytes } from 'node:crypto';
import { link, open, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { FixpointError } from '@fixpoint/protocol';
import type { JWK } from 'jose';
import { newSigningKey } from './tokens/cloud-tokens.ts';

/** What only this server knows. Losing it signs everybody out; it opens no ledger. */
export interface Secrets {
  readonly auth: string;
  /** Hex; signs URLs of objects. */
  readonly objects: string;
  /** Private key of cloud tokens. */
  readonly tokens: JWK;
}

/** Reads the secrets of a data folder, or makes them: a file of mode 0600. @throws FixpointError CONFIG_INVALID when the file is damaged */
export async function loadSecrets(folder: string): Promise<Secrets> {
  const path = join(folder, 'secrets.json');
  const text = await readFile(path, 'utf8').catch((cause: NodeJS.ErrnoException) =>
    cause.code === 'ENOENT' ? undefined : Promise.reject(cause),
  );
  if (text === undefined) return makeSecrets(path);
  try {
    return JSON.parse(text) as Secrets;
  } catch (cause) {
    throw new FixpointError('CONFIG_INVALID', `${path} is damaged`, { cause });
  }
}

async function makeSecrets(path: string): Promise<Secrets> {
  const secrets: Secrets = {
    auth: randomBytes(32).toString('hex'),
    objects: randomBytes(32).toString('hex'),
    tokens: await newSigningKey(),
  };
  const draft = `${path}.${process.pid}`;
  const file = await open(draft, 'wx', 0o600);
  await file.writeFile(JSON.stringify(secrets));
  await file.sync();
  await file.close();
  // Never over a file that another process made meanwhile.
  await link(draft, path);
  await unlink(draft);
  return secrets;
}
