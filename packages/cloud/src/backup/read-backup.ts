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

/**
 * Opens a backup.
 * @param id the backup; undefined for the newest complete one
 * @throws FixpointError NOT_FOUND, CORRUPT, FORMAT_NEWER, KEY_INVALID
 */
export async function openBackup(
  place: BackupPlace,
  id: string | undefined,
  secret: BackupSecret | undefined,
): Promise<OpenBackup> {
  const found = await (id === undefined ? newestComplete(place) : manifestOf(place, id));
  if (found === undefined) throw new FixpointError('NOT_FOUND', 'there is no complete backup in this place');
  const { manifest, keys } = await openManifest(found.id, found.bytes, secret);
  return { manifest, records: () => recordsOf(place, manifest, keys) };
}

async function manifestOf(place: BackupPlace, id: string) {
  const bytes = await place.read(id, MANIFEST);
  return bytes === undefined ? refuseBackup(id, "isn't complete: it has no manifest") : { id, bytes };
}

async function newestComplete(place: BackupPlace) {
  for (const id of (await place.ids()).reverse()) {
    const bytes = await place.read(id, MANIFEST);
    if (bytes !== undefined) return { id, bytes };
  }
  return undefined;
}

async function* recordsOf(
  place: BackupPlace,
  { id, parts }: Manifest,
  keys: BackupKeys | undefined,
): AsyncIterable<BackupRecord> {
  for (const [index, { name, bytes, sha256: hash }] of parts.entries()) {
    if (!/^part-\d{6}$/.test(name)) refuseBackup(id, 'has a damaged manifest');
    const stored = await place.read(id, name);
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

/** Returns the newest complete backup of a server, and its other complete backups, newest first. */
export async function backupsOf(place: BackupPlace, server: string): Promise<readonly Manifest[]> {
  const found: Manifest[] = [];
  for (const id of (await place.ids()).reverse()) {
    const bytes = await place.read(id, MANIFEST);
    const manifest = bytes && readable(id, bytes);
    if (manifest?.server === server) found.push(manifest);
  }
  return found;
}

/** Returns undefined for a backup of another version, or a damaged one. Neither is ever removed. */
function readable(id: string, bytes: Buffer): Manifest | undefined {
  try {
    const { manifest } = parseManifest(id, bytes);
    return manifest.id === id ? manifest : undefined;
  } catch {
    return undefined;
  }
}
