/** Reads where backups are stored, how often the server makes one, and how they are encrypted. */
import { resolve } from 'node:path';
import { FixpointError } from '@fixpoint/protocol';
import { readBucket } from './config-stores.ts';
import type { BucketConfig } from './objects/bucket.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** A place for backups: a folder, or the beginning of keys in a bucket. */
export type BackupTarget =
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 'bucket'; readonly bucket: BucketConfig; readonly prefix: string };

/** The operator's secret that encrypts backups. */
export type BackupSecretConfig =
  | { readonly kind: 'key'; readonly file: string }
  | { readonly kind: 'passphrase'; readonly text: string };

/** How the server itself makes backups. */
export interface BackupConfig {
  readonly to: BackupTarget;
  /** Hours between the moments of two backups. */
  readonly hours: number;
  /** Number of complete backups to keep. */
  readonly keep: number;
  readonly secret: BackupSecretConfig | undefined;
}

const HOURS_DEFAULT = 24;
const KEEP_DEFAULT = 7;

const refuse = (why: string): never => {
  throw new FixpointError('CONFIG_INVALID', why);
};

/**
 * Returns undefined if the server makes no backups itself.
 * @throws FixpointError CONFIG_INVALID
 */
export function backupFrom(env: Environment): BackupConfig | undefined {
  const to = env['BACKUP_TO'];
  if (!to) return undefined;
  return {
    to: backupTarget(env, 'BACKUP_TO', to),
    hours: numberFrom(env, 'BACKUP_HOURS', HOURS_DEFAULT, 8760),
    keep: numberFrom(env, 'BACKUP_KEEP', KEEP_DEFAULT, 1000),
    secret: backupSecretFrom(env),
  };
}

function numberFrom(env: Environment, name: string, fallback: number, max: number): number {
  const text = env[name];
  if (!text) return fallback;
  const value = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  return value >= 1 && value <= max ? value : refuse(`${name}=${text} must be a number from 1 to ${max}`);
}

/**
 * Returns the place that a text names: `s3://bucket/prefix?endpoint=...`, or the path of a folder.
 * @param source name of the setting or option, for errors
 * @throws FixpointError CONFIG_INVALID
 */
export function backupTarget(env: Environment, source: string, text: string): BackupTarget {
  if (!/^[a-z0-9]{2,}:/i.test(text)) return { kind: 'folder', path: resolve(text) };
  const { bucket, path = '' } = readBucket(env, source, text) ?? {};
  if (bucket === undefined)
    return refuse(`${source} must be a folder, or a bucket such as s3://bucket/prefix?endpoint=https://host`);
  const prefix = path.replace(/^\/+|\/+$/g, '');
  return prefix === '' || /^[A-Za-z0-9._-]{1,100}(\/[A-Za-z0-9._-]{1,100}){0,5}$/.test(prefix)
    ? { kind: 'bucket', bucket, prefix }
    : refuse(`${source}: the path in the bucket may have letters, digits, dots, dashes and underscores`);
}

/**
 * Returns the secret that encrypts backups; undefined to leave them unencrypted. Errors don't
 * repeat values.
 * @throws FixpointError CONFIG_INVALID
 */
export function backupSecretFrom(env: Environment): BackupSecretConfig | undefined {
  const [file, text] = [env['BACKUP_KEY_FILE'], env['BACKUP_PASSPHRASE']];
  if (file && text) return refuse('set BACKUP_KEY_FILE or BACKUP_PASSPHRASE, not both');
  if (file) return { kind: 'key', file };
  if (!text) return undefined;
  return text.length >= 12
    ? { kind: 'passphrase', text }
    : refuse('BACKUP_PASSPHRASE must have at least 12 characters: choose a longer one');
}
