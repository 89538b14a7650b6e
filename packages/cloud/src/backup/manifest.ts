/**
 * The manifest of a backup: a line of JSON, and a line that proves that the JSON is unchanged. It
 * is written last, so a backup without a manifest isn't complete.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { FixpointError } from '@fixpoint/protocol';
import * as v from 'valibot';
import { type BackupKeys, type BackupSecret, keysOf, sealOf } from './backup-keys.ts';

/** Version of the format of backups. */
export const FORMAT = 1;

const hash = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/));
const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const moment = v.pipe(v.string(), v.isoTimestamp());

const SHAPE = v.strictObject({
  format: v.literal(FORMAT),
  id: v.string(),
  /** Identifies the server, so that one server never removes backups of another. */
  server: v.pipe(v.string(), v.regex(/^[0-9a-f]{32}$/)),
  /** The backup contains every write that was acknowledged before. */
  moment,
  finished: moment,
  tables: v.picklist(['sqlite', 'postgres']),
  objects: v.picklist(['folder', 'bucket']),
  /** Name of the last migration of the tables. */
  migration: v.string(),
  /** Number of rows, by table. */
  rows: v.record(v.string(), count),
  objectCount: count,
  objectBytes: count,
  /** Number of objects that rows name and that the store lacked. */
  missing: count,
  /** Number of objects that a restore couldn't store, such as files of other programs. */
  skipped: count,
  encryption: v.nullable(
    v.strictObject({ kind: v.picklist(['key', 'passphrase']), salt: hash, check: hash }),
  ),
  /** All parts in their order. */
  parts: v.array(v.strictObject({ name: v.string(), bytes: count, sha256: hash })),
});

export type Manifest = v.InferOutput<typeof SHAPE>;

/**
 * Returns whether a backup has all parts.
 * @param sizes of its files in bytes, by name
 */
export const hasAllParts = (
  { parts }: Pick<Manifest, 'parts'>,
  sizes: ReadonlyMap<string, number>,
): boolean => parts.every(({ name, bytes }) => sizes.get(name) === bytes);

/** @throws always: FixpointError CORRUPT */
export const refuseBackup = (id: string, why: string): never => {
  throw new FixpointError('CORRUPT', `the backup ${id} ${why}`);
};

export function manifestText(manifest: Manifest, keys: BackupKeys | undefined): Buffer {
  const json = JSON.stringify(manifest);
  return Buffer.from(`${json}\n${sealOf(json, keys)}\n`);
}

/**
 * Identifies a server by its secrets, without revealing them.
 * @param restoredAs differs between a server and the servers that were restored from its backups
 */
export const serverOf = (secrets: string, restoredAs: string | undefined): string => {
  const { objects } = JSON.parse(secrets) as { objects: string };
  const text = restoredAs === undefined ? objects : `${objects} ${restoredAs}`;
  return createHash('sha256').update(`fixpoint backup of ${text}`).digest('hex').slice(0, 32);
};

/** Returns the manifest without checking who wrote it. */
export function parseManifest(id: string, bytes: Buffer): { manifest: Manifest; json: string; seal: string } {
  const [json = '', seal = '', ...rest] = bytes.toString('utf8').split('\n');
  if (rest.length !== 1 || rest[0] !== '') return refuseBackup(id, 'has a truncated manifest');
  const format = formatIn(json);
  if (typeof format === 'number' && format > FORMAT)
    throw new FixpointError('FORMAT_NEWER', `the backup ${id} has format ${format}: use a newer version`);
  const parsed = v.safeParse(SHAPE, jsonOf(json));
  if (!parsed.success) return refuseBackup(id, 'has a damaged manifest');
  return { manifest: parsed.output, json, seal };
}

const formatIn = (json: string): unknown => (jsonOf(json) as { format?: unknown } | undefined)?.format;

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Checks that the manifest is the one that the backup was made with.
 * @throws FixpointError CORRUPT, FORMAT_NEWER, KEY_INVALID
 */
export async function openManifest(
  id: string,
  bytes: Buffer,
  secret: BackupSecret | undefined,
): Promise<{ readonly manifest: Manifest; readonly keys: BackupKeys | undefined }> {
  const { manifest, json, seal } = parseManifest(id, bytes);
  const keys = await keysFor(id, manifest, secret);
  if (!isEqual(seal, sealOf(json, keys))) return refuseBackup(id, 'has a changed manifest');
  if (manifest.id !== id) return refuseBackup(id, `has the manifest of ${manifest.id}`);
  return { manifest, keys };
}

async function keysFor(
  id: string,
  { encryption }: Manifest,
  secret: BackupSecret | undefined,
): Promise<BackupKeys | undefined> {
  const refuse = (why: string): never => {
    throw new FixpointError('KEY_INVALID', `the backup ${id} ${why}`);
  };
  if (encryption === null)
    return secret === undefined ? undefined : refuse("isn't encrypted: run the command without a key");
  if (secret?.kind !== encryption.kind)
    return refuse(`is encrypted with a ${encryption.kind}: pass this ${encryption.kind}`);
  const keys = await keysOf(secret, encryption.salt);
  return isEqual(keys.check, encryption.check) ? keys : refuse(`was encrypted with another ${secret.kind}`);
}

const isEqual = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
