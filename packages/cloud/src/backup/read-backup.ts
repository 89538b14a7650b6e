/** Reads backups: finds them, and checks every byte before anything is restored. */
import { FixpointError } from '@fixpoint/protocol';
import { type BackupKeys, type BackupSecret, openPart } from './backup-keys.ts';
import { type BackupPlace, MANIFEST } from './backup-place.ts';
import { type Manifest, openManifest, parseManifest, refuseBackup } from './manifest.ts';
import { type BackupRecord, recordsIn, sha256 } from './records.ts';

/** A backup whose manifest was checked. */
export interface OpenBackup {
  readonly manifest: Manifest;
  /**
   * Yields all records, checked part by part.
   * @throws FixpointError CORRUPT
   */
  records(): AsyncIterable<BackupRecord>;
}

/** Longest manifest in bytes. It has about 120 bytes for each part. */
const MANIFEST_BYTES_MAX = 64_000_000;
/** Milliseconds by which clocks may differ. Backups of a later time had a wrong clock. */
const AHEAD_MS = 3_600_000;

/**
 * Opens a backup.
 * @param id the backup; undefined for the newest complete one
 * @throws FixpointError NOT_FOUND, CORRUPT, FORMAT_NEWER, KEY_INVALID, CONFLICT when no id is given
 * and the place has backups of several servers
 */
export async function openBackup(
  place: BackupPlace,
  id: string | undefined,
  secret: BackupSecret | undefined,
  now: number,
): Promise<OpenBackup> {
  const found = await (id === undefined ? newestComplete(place, now) : manifestOf(place, id));
  if (found === undefined) throw new FixpointError('NOT_FOUND', 'there is no complete backup in this place');
  const { manifest, keys } = await openManifest(found.id, found.bytes, secret);
  return { manifest, records: () => recordsOf(place, manifest, keys) };
}

const readManifest = (place: BackupPlace, id: string) => place.read(id, MANIFEST, MANIFEST_BYTES_MAX);

async function manifestOf(place: BackupPlace, id: string) {
  const bytes = await readManifest(place, id);
  return bytes === undefined ? refuseBackup(id, "isn't complete: it has no manifest") : { id, bytes };
}

async function newestComplete(place: BackupPlace, now: number) {
  let newest: { readonly id: string; readonly bytes: Buffer } | undefined;
  /** Ids of the backups of each server, newest first. */
  const servers = new Map<string, string[]>();
  for (const id of (await place.ids()).reverse()) {
    const bytes = await readManifest(place, id);
    if (bytes === undefined) continue;
    const manifest = readable(id, bytes);
    if (manifest !== undefined && isFuture(manifest, now)) continue;
    newest ??= { id, bytes };
    if (manifest !== undefined)
      servers.set(manifest.server, [...(servers.get(manifest.server) ?? []), manifest.id]);
  }
  if (servers.size <= 1) return newest;
  const lists = [...servers].map(([server, ids]) => `server ${server}: ${ids.join(', ')}`);
  throw new FixpointError(
    'CONFLICT',
    `this place has backups of ${servers.size} servers: name the backup (${lists.join('; ')})`,
  );
}

const isFuture = ({ moment }: Manifest, now: number): boolean => Date.parse(moment) > now + AHEAD_MS;

async function* recordsOf(
  place: BackupPlace,
  { id, parts }: Manifest,
  keys: BackupKeys | undefined,
): AsyncIterable<BackupRecord> {
  for (const [index, { name, bytes, sha256: hash }] of parts.entries()) {
    if (!/^part-\d{6,}$/.test(name)) refuseBackup(id, 'has a damaged manifest');
    const stored = await place.read(id, name, bytes);
    if (stored === undefined) return refuseBackup(id, `lacks ${name}`);
    if (stored.length !== bytes)
      refuseBackup(id, `has ${stored.length} bytes in ${name}, where the manifest has ${bytes}`);
    if (sha256(stored) !== hash) refuseBackup(id, `has other bytes in ${name} than the manifest says`);
    const part = keys === undefined ? stored : openPart(keys, id, index + 1, stored);
    if (part === undefined) return refuseBackup(id, `has ${name} of another backup`);
    yield* recordsIn(id, part);
  }
}

/**
 * Reads the whole backup, and compares it with its manifest.
 * @throws FixpointError CORRUPT
 */
export async function verifyBackup(
  { manifest, records }: OpenBackup,
  isPlace: (text: string) => boolean,
): Promise<void> {
  const { id } = manifest;
  const rows = Object.fromEntries(Object.keys(manifest.rows).map((table) => [table, 0]));
  const seen = { secrets: 0, objects: 0, bytes: 0 };
  for await (const record of records()) {
    if (record.is === 'secrets') seen.secrets += 1;
    else if (record.is === 'rows' && seen.objects > 0) refuseBackup(id, 'has rows after objects');
    else if (record.is === 'rows') rows[record.table] = (rows[record.table] ?? 0) + record.rows.length;
    else {
      if (!isPlace(record.place)) refuseBackup(id, 'has an object with an impossible place');
      seen.objects += 1;
      seen.bytes += record.bytes.length;
    }
  }
  const isWhole =
    seen.secrets === 1 &&
    seen.objects === manifest.objectCount &&
    seen.bytes === manifest.objectBytes &&
    Object.keys(rows).length === Object.keys(manifest.rows).length &&
    Object.entries(rows).every(([table, count]) => manifest.rows[table] === count);
  if (!isWhole) refuseBackup(id, 'has other contents than its manifest says');
}

/**
 * Returns a function that finds the complete backups of a server, newest first. With a secret, only
 * backups that were encrypted with it count, because anybody who can write to the place can add
 * others. Ignores manifests that can't be read, and backups of a future time. None of them is ever
 * removed.
 */
export function createBackupFinder(
  place: BackupPlace,
  server: string,
  secret: BackupSecret | undefined,
): (now: number) => Promise<readonly Manifest[]> {
  // Checking a manifest with a passphrase takes 0.3 s.
  const checked = new Map<string, Manifest | undefined>();
  const check = async (id: string, bytes: Buffer): Promise<Manifest | undefined> => {
    const key = `${id} ${sha256(bytes)}`;
    if (!checked.has(key)) checked.set(key, await trusted(id, bytes, secret));
    return checked.get(key);
  };
  return async (now) => {
    const found: Manifest[] = [];
    for (const id of (await place.ids()).reverse()) {
      const bytes = await readManifest(place, id).catch(() => undefined);
      const manifest = bytes && (await check(id, bytes));
      if (manifest?.server === server && !isFuture(manifest, now)) found.push(manifest);
    }
    return found;
  };
}

async function trusted(
  id: string,
  bytes: Buffer,
  secret: BackupSecret | undefined,
): Promise<Manifest | undefined> {
  if (secret === undefined) return readable(id, bytes);
  return openManifest(id, bytes, secret).then(
    ({ manifest }) => manifest,
    () => undefined,
  );
}

/** Returns undefined for a backup of another version, or a damaged one. */
function readable(id: string, bytes: Buffer): Manifest | undefined {
  try {
    const { manifest } = parseManifest(id, bytes);
    return manifest.id === id ? manifest : undefined;
  } catch {
    return undefined;
  }
}
