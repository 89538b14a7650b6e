/**
 * Makes a backup while the server runs. First takes the lease that keeps all objects, then reads
 * the rows of one moment, then copies the objects of these rows. The manifest is written last.
 */
import { randomBytes } from 'node:crypto';
import { FixpointError } from '@fixpoint/protocol';
import { inGroups, type ObjectInventory, readGroup } from '../objects/inventory.ts';
import { endBackupLease, renewBackupLease, takeBackupLease } from '../tables/backup/backup-lease.ts';
import { restoredAs } from '../tables/backup/fill-tables.ts';
import { withSnapshot } from '../tables/backup/snapshot.ts';
import { timestamp } from '../tables/new-row.ts';
import type { Tables } from '../tables/open-tables.ts';
import { allNamedObjects } from '../tables/sync/ledger-objects.ts';
import {
  type BackupKeys,
  type BackupSecret,
  type Encryption,
  keysOf,
  newSalt,
  sealPart,
} from './backup-keys.ts';
import { type BackupPlace, MANIFEST, newBackupId, OWNER } from './backup-place.ts';
import { FORMAT, hasAllParts, type Manifest, manifestText, serverOf } from './manifest.ts';
import { createRecordWriter, type RecordWriter, sha256 } from './records.ts';

const RENEW_MS = 30_000;

export interface BackupParts {
  readonly tables: Tables;
  readonly objects: ObjectInventory;
  /** The text of `secrets.json`. */
  readonly secrets: string;
  readonly place: BackupPlace;
  /** Encrypts the backup. */
  readonly secret: BackupSecret | undefined;
  readonly now: () => number;
  /** Stops the backup. */
  readonly signal?: AbortSignal;
}

/**
 * Resolves when the backup is complete and durable.
 * @throws FixpointError CONFLICT when another backup runs, STORE_FAILED when an object may have
 * been removed before it was copied, or when the place lost a part; CONFIG_INVALID when the place
 * doesn't exist
 */
export async function makeBackup(parts: BackupParts): Promise<Manifest> {
  const { tables, now, place } = parts;
  const { db } = tables;
  const holder = randomBytes(16).toString('hex');
  if (!(await takeBackupLease(db, holder, now())))
    throw new FixpointError('CONFLICT', 'another backup is running: try again when it has ended');
  const id = newBackupId(now());
  const timer = setInterval(() => void renewBackupLease(db, holder, now()).catch(() => undefined), RENEW_MS);
  timer.unref();
  try {
    const server = serverOf(parts.secrets, await restoredAs(db));
    await place.write(id, OWNER, Buffer.from(server));
    const { text, manifest } = await writeParts(parts, id, server);
    if (!hasAllParts(manifest, await place.sizes(id)))
      throw new FixpointError('STORE_FAILED', 'the place lost parts of the backup: try again');
    if (!(await renewBackupLease(db, holder, now())))
      throw new FixpointError('STORE_FAILED', 'the backup was interrupted for too long: try again');
    await place.write(id, MANIFEST, text);
    return manifest;
  } catch (cause) {
    await place.remove(id).catch(() => undefined);
    throw cause;
  } finally {
    clearInterval(timer);
    // The lease expires by itself if the tables don't answer now.
    await endBackupLease(db, holder).catch(() => undefined);
  }
}

async function writeParts(
  parts: BackupParts,
  id: string,
  server: string,
): Promise<{ readonly text: Buffer; readonly manifest: Manifest }> {
  const { tables, objects, secrets, place, secret, now } = parts;
  const salt = newSalt();
  const keys = secret && (await keysOf(secret, salt));
  const written: Manifest['parts'] = [];
  const writer = createRecordWriter(async (bytes) => {
    parts.signal?.throwIfAborted();
    const number = written.length + 1;
    const name = `part-${String(number).padStart(6, '0')}`;
    const stored = keys === undefined ? bytes : sealPart(keys, id, number, bytes);
    await place.write(id, name, stored);
    written.push({ name, bytes: stored.length, sha256: sha256(stored) });
  });
  await writer.add({ is: 'secrets', text: secrets });
  const moment = timestamp(now());
  const { rows, migration, ledgers } = await writeRows(tables, writer);
  const copied = { objectCount: 0, objectBytes: 0, missing: 0, skipped: 0 };
  // Listing the objects of one ledger takes a few answers of the store, so several run at once.
  await inGroups(ledgers, (some) => copyObjects(parts, some, writer, copied));
  await writer.finish();
  const manifest: Manifest = {
    format: FORMAT,
    id,
    server,
    moment,
    finished: timestamp(now()),
    tables: tables.kind,
    objects: objects.kind,
    migration,
    rows,
    ...copied,
    encryption: encryptionOf(secret, salt, keys),
    parts: written,
  };
  return { text: manifestText(manifest, keys), manifest };
}

const encryptionOf = (
  secret: BackupSecret | undefined,
  salt: string,
  keys: BackupKeys | undefined,
): Encryption | null =>
  secret === undefined || keys === undefined ? null : { kind: secret.kind, salt, check: keys.check };

/** Writes the rows of one moment. Returns the paths of the ledgers among them. */
const writeRows = (tables: Tables, writer: RecordWriter) =>
  withSnapshot(tables, async (snapshot) => {
    const rows: Record<string, number> = {};
    const ledgers: string[] = [];
    for (const table of snapshot.tables) {
      rows[table] = 0;
      for await (const some of snapshot.rows(table)) {
        rows[table] += some.length;
        if (some.length > 0) await writer.add({ is: 'rows', table, rows: some });
        if (table === 'Ledgers')
          for (const { tenantId, ledgerId } of some) ledgers.push(`${tenantId}/${ledgerId}`);
      }
    }
    return { rows, ledgers, migration: snapshot.migration };
  });

interface Copied {
  objectCount: number;
  objectBytes: number;
  missing: number;
  skipped: number;
}

/**
 * Copies all objects of some ledgers. Looks for named objects that the list lacks, because a repair
 * replaces an object while the list is read.
 */
async function copyObjects(
  { tables, objects, signal }: BackupParts,
  ledgers: readonly string[],
  writer: RecordWriter,
  copied: Copied,
): Promise<void> {
  const [done, skipped] = [new Set<string>(), new Set<string>()];
  function* proper(places: Iterable<string>) {
    for (const place of places)
      if (objects.isPlace(place)) yield place;
      else skipped.add(place);
  }
  const copy = async (places: readonly string[]) => {
    signal?.throwIfAborted();
    let index = 0;
    for await (const bytes of readGroup(objects, places)) {
      const place = places[index] ?? '';
      index += 1;
      if (bytes === undefined) continue;
      await writer.add({ is: 'object', place, bytes });
      done.add(place);
      copied.objectCount += 1;
      copied.objectBytes += bytes.length;
    }
  };
  const lists = await Promise.all(ledgers.map((ledger) => listOf(objects.places(ledger))));
  await inGroups(proper(lists.flat()), copy);
  const named = async (ledger: string) => {
    const names = await allNamedObjects(tables.db, ledger.split('/')[1] ?? '');
    return names.map((name) => objects.placeOf(`${ledger}/${name}`));
  };
  const wanted = await Promise.all(ledgers.map(named));
  const lacking = new Set(wanted.flat().filter((each) => !done.has(each)));
  await inGroups(proper(lacking), copy);
  copied.missing += [...lacking].filter((each) => !done.has(each) && !skipped.has(each)).length;
  copied.skipped += skipped.size;
}

async function listOf(places: AsyncIterable<string>): Promise<readonly string[]> {
  const list: string[] = [];
  for await (const place of places) list.push(place);
  return list;
}
