/** Opens the stores of a server: data folder, secrets, tables, objects, and the bus of hints. */
import { access, constants, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { FixpointError } from '@fixpoint/protocol';
import { probeBus } from './bus/bus-probe.ts';
import { type HintBus, localBus } from './bus/hint-bus.ts';
import { natsBus } from './bus/nats-bus.ts';
import { postgresBus } from './bus/postgres-bus.ts';
import type { CloudConfig } from './config.ts';
import { openDiskObjects, syncFolder } from './objects/disk-objects.ts';
import { openS3Objects } from './objects/s3-objects.ts';
import { sealedKeyOf } from './objects/sealed-key.ts';
import type { StoredObjects } from './objects/stored-objects.ts';
import type { Log } from './observe/log.ts';
import { type Metrics, measureDisk } from './observe/metrics.ts';
import { outsideRequests, traceHeaders } from './observe/running-request.ts';
import { statementSpans, tracedCalls } from './observe/traced-stores.ts';
import type { Tracing } from './observe/tracing.ts';
import { loadSecrets, requireSameSecrets, type Secrets } from './secrets.ts';
import { requireFilled } from './tables/backup/fill-tables.ts';
import { openTables, type Tables } from './tables/open-tables.ts';
import type { PoolFigures } from './tables/postgres.ts';

/** Values that every part of a server uses. */
export interface Ground {
  readonly config: CloudConfig;
  /** The data folder, as an absolute path. */
  readonly data: string;
  /** The address that users see. */
  readonly url: string;
  /** The listening address. */
  readonly ownUrl: string;
  readonly now: () => number;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Undefined without a collector. */
  readonly tracing: Tracing | undefined;
  readonly report: (error: unknown) => void;
  /** Logs an event that matters to security. */
  readonly note: (event: object) => void;
}

export interface Stores {
  readonly secrets: Secrets;
  readonly tables: Tables;
  readonly stored: StoredObjects;
  readonly bus: HintBus;
}

/** @throws FixpointError CONFIG_INVALID when a store can't be used */
export async function openStores({ config, data, now, report, tracing }: Ground): Promise<Stores> {
  await requireWholeRestore(data);
  const secrets = await loadSecrets(data);
  const { databaseUrl } = config;
  const onStatement = tracing && statementSpans(databaseUrl === undefined ? 'sqlite' : 'postgresql');
  const reportAlone = outsideRequests(report);
  const tables = await openTables(databaseUrl, data, reportAlone, 'migrate', onStatement);
  try {
    await requireFilled(tables.db);
    if (tables.kind === 'postgres') await requireSameSecrets(tables.db, secrets);
    const opened = await openObjects(config, data, now);
    const stored = tracing === undefined ? opened : tracedCalls('objects', opened, TRACED);
    return { secrets, tables, stored, bus: await openBus(config, reportAlone) };
  } catch (cause) {
    await tables.db.destroy();
    throw cause;
  }
}

const TRACED = ['has', 'write', 'open', 'variants', 'remove', 'removeLedger'] as const;

/** Name of a file that says that a restore hasn't finished. */
export const UNFINISHED = 'restore-unfinished';

/** Rejects the folder of an interrupted restore, because some of its data is missing. */
export async function requireWholeRestore(data: string): Promise<void> {
  const isUnfinished = await access(join(data, UNFINISHED)).then(
    () => true,
    () => false,
  );
  if (isUnfinished)
    throw new FixpointError(
      'CONFIG_INVALID',
      `a restore into FIXPOINT_DATA=${data} was interrupted: remove the folder, and restore again`,
    );
}

/** Closes the stores of a server that couldn't start. */
export async function closeStores({ bus, tables }: Pick<Stores, 'bus' | 'tables'>): Promise<void> {
  await bus.close();
  await tables.db.destroy();
}

const openObjects = ({ bucket }: CloudConfig, data: string, now: () => number): Promise<StoredObjects> =>
  bucket === undefined
    ? openDiskObjects(join(data, 'objects'), sealedKeyOf, now)
    : openS3Objects(bucket, join(data, 'uploads'), sealedKeyOf, now, traceHeaders);

/** Measures the disk, the connections to PostgreSQL, and the bus. Returns a function that stops. */
export function measureStores(
  { config, data, now, metrics }: Ground,
  { tables: { pool }, bus }: Stores,
): () => void {
  measureDisk(metrics, data);
  const probe = probeBus(bus, config.bus.kind !== 'local', now);
  metrics.gauge('fixpoint_bus_delay_seconds', 'Time that a hint takes through the bus', probe.delay);
  const connections = (name: string, help: string, of: (figures: PoolFigures) => number) =>
    metrics.gauge(`fixpoint_postgres_${name}`, help, () => (pool === undefined ? 0 : of(pool())));
  connections('connections', 'Open connections to PostgreSQL', ({ open }) => open);
  connections('connections_busy', 'Connections that run a statement', ({ open, idle }) => open - idle);
  connections('connections_limit', 'Connections that this process may open', ({ max }) => max);
  connections('waiting', 'Statements that wait for a connection', ({ waiting }) => waiting);
  return probe.stop;
}

/** Opens the bus by which processes notify each other of new metas. */
async function openBus({ bus }: CloudConfig, report: (error: unknown) => void): Promise<HintBus> {
  if (bus.kind === 'nats') return natsBus(bus.urls, report);
  return bus.kind === 'postgres' ? postgresBus(bus.url, report) : localBus();
}

/** @throws FixpointError CONFIG_INVALID */
export async function makeDataFolder(data: string): Promise<void> {
  try {
    await makeFolders(data);
    // Because of the trailing slash, this fails if the path is that of a file.
    await access(join(data, '/'), constants.W_OK);
  } catch (cause) {
    throw new FixpointError(
      'CONFIG_INVALID',
      `FIXPOINT_DATA=${data} can't be used as a folder for data: ${(cause as Error).message}`,
      { cause },
    );
  }
}

/**
 * Creates a folder and its parents; each survives a power loss. Works folder by folder, because
 * Node's recursive mode never returns if a folder can't be created, such as below /proc.
 */
async function makeFolders(path: string): Promise<void> {
  const outcome = await mkdir(path, { mode: 0o700 }).then(() => 'created' as const, outcomeOf);
  if (outcome === 'exists') return;
  if (outcome === 'no parent') {
    await makeFolders(dirname(path));
    await mkdir(path, { mode: 0o700 });
  }
  await syncFolder(dirname(path));
}

function outcomeOf(cause: NodeJS.ErrnoException): 'exists' | 'no parent' {
  if (cause.code === 'EEXIST') return 'exists';
  if (cause.code === 'ENOENT') return 'no parent';
  throw cause;
}
