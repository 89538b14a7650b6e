/** A server process under load, whose data tests back up and restore into fresh stores. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { type BackupSummary, type CloudConfig, configFrom, defaultConfig } from '../src/index.ts';
import type { BucketConfig } from '../src/objects/bucket.ts';
import { newBucket, S3 } from '../src/objects/s3.fixture.ts';
import { newPostgresDatabase } from '../src/tables/postgres.fixture.ts';
import {
  type Client,
  carKey,
  type Ledger,
  metaEntry,
  newLedger,
  putMetas,
  putObject,
  socketClient,
  tablesOf,
  temporaryFolder,
} from './cloud.fixture.ts';
import { run } from './process.fixture.ts';

/** Where a server stores its data. `postgres` also means a bucket. */
export type Kind = 'sqlite' | 'postgres';

/** Returns the configuration of a server with empty stores. */
export async function emptyServer(kind: Kind): Promise<CloudConfig> {
  const data = join(await temporaryFolder(), 'data');
  if (kind === 'sqlite') return defaultConfig(data);
  return { ...defaultConfig(data), databaseUrl: await newPostgresDatabase(), bucket: await newBucket() };
}

/** Returns the environment of a server process with this configuration. */
function environmentOf({ data, databaseUrl, bucket }: CloudConfig): Record<string, string> {
  return {
    PORT: '0',
    FIXPOINT_DATA: data,
    RATE_PER_USER: '100000',
    RATE_PER_ADDRESS: '100000',
    ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
    ...(bucket !== undefined && bucketEnvironment(bucket)),
  };
}

const bucketEnvironment = ({ url, accessKeyId, secretAccessKey }: BucketConfig) => ({
  OBJECT_STORE: `s3://${url.slice(url.lastIndexOf('/') + 1)}?endpoint=${S3}`,
  AWS_ACCESS_KEY_ID: accessKeyId,
  AWS_SECRET_ACCESS_KEY: secretAccessKey,
});

const execute = promisify(execFile);
const CLI = fileURLToPath(new URL('../../cli/bin/fixpoint.mjs', import.meta.url));

/**
 * Runs `fixpoint backup` as a process of its own, as operators do. In the process of the writers,
 * it would hold them up.
 */
export async function runBackup(config: CloudConfig, folder: string): Promise<BackupSummary> {
  const env = { PATH: process.env['PATH'] ?? '', ...environmentOf(config) };
  const { stdout } = await execute(process.execPath, [CLI, 'backup', '--to', folder, '--json'], { env });
  return (JSON.parse(stdout) as { backup: BackupSummary }).backup;
}

/** Starts a server process on empty stores, with some ledgers. */
export async function startedServer(kind: Kind, ledgerCount: number) {
  const config = await emptyServer(kind);
  const environment = environmentOf(config);
  expect(configFrom(environment).bucket?.url).toBe(config.bucket?.url);
  const server = run(environment);
  const url = await server.ready;
  const behind = await tablesOf(config.data, config.databaseUrl);
  const ledgers: Ledger[] = [];
  for (let count = 0; count < ledgerCount; count += 1) ledgers.push(await newLedger(behind));
  await behind.db.destroy();
  return { config, server, url, ledgers };
}

/** A write that the server acknowledged. */
export interface Acknowledged {
  readonly ledger: string;
  /** CID of the entry. */
  readonly cid: string;
}

export interface Load {
  /** All acknowledged writes, in the order of their acknowledgements. */
  readonly acknowledged: readonly Acknowledged[];
  /** Makes the writers wait, or continue. */
  pause(isPaused: boolean): void;
  /** Stops the writers, and waits for their last writes. */
  stop(): Promise<void>;
}

/** Number of entries that refer to the same archive. Uploads take most of the time of a write. */
const ENTRIES_OF_ARCHIVE = 8;

/**
 * Starts writers that put entries, each of which refers to an archive that the writer has uploaded.
 * Together they aim at `perSecond` writes a second.
 */
export async function startLoad(url: string, ledgers: readonly Ledger[], perSecond: number): Promise<Load> {
  const acknowledged: Acknowledged[] = [];
  const state = { isOver: false, isPaused: false };
  const pauseMs = (1000 * ledgers.length) / perSecond;
  const write = async (client: Client, ledger: Ledger) => {
    let archive = '';
    for (let count = 0; !state.isOver; count += 1) {
      const next = performance.now() + pauseMs;
      if (count % ENTRIES_OF_ARCHIVE === 0) archive = await upload(client, ledger, `archive ${count}`);
      const entry = metaEntry([archive], String(count));
      const answer = await putMetas(client, ledger, [entry], ['zKey']);
      if (answer.type !== 'resPutMeta') throw new Error(JSON.stringify(answer));
      acknowledged.push({ ledger: ledger.ledger, cid: entry.cid });
      do await pause(Math.max(0, next - performance.now()));
      while (state.isPaused && !state.isOver);
    }
  };
  const clients = await Promise.all(ledgers.map((ledger) => socketClient({ url }, ledger)));
  const writers = Promise.all(ledgers.map((ledger, index) => write(clients[index] as Client, ledger)));
  // Without this, a failed writer would end the test before `stop` reports it.
  writers.catch(() => undefined);
  return {
    acknowledged,
    pause: (isPaused) => {
      state.isPaused = isPaused;
    },
    stop: async () => {
      state.isOver = true;
      await writers;
    },
  };
}

async function upload(client: Client, ledger: Ledger, text: string): Promise<string> {
  const bytes = new Uint8Array(Buffer.from(`${text} of ${ledger.ledger}`));
  const status = await putObject(client, ledger, carKey(bytes), bytes);
  if (status !== 200) throw new Error(`upload: ${status}`);
  return carKey(bytes);
}

/** Returns the ledgers whose number of entries differs from their entries: rows of two moments. */
export async function tornIn({ data, databaseUrl }: CloudConfig): Promise<readonly object[]> {
  const { db } = await tablesOf(data, databaseUrl);
  try {
    const rows = await db
      .selectFrom('Ledgers')
      .innerJoin('Metas', 'Metas.ledgerId', 'Ledgers.ledgerId')
      .select(({ fn }) => ['Ledgers.metaSeq', fn.max('Metas.seq').as('last'), fn.countAll().as('count')])
      .groupBy(['Ledgers.ledgerId', 'Ledgers.metaSeq'])
      .execute();
    return rows.filter(({ metaSeq, last, count }) => metaSeq !== last || metaSeq !== Number(count));
  } finally {
    await db.destroy();
  }
}

/** Returns the acknowledged writes that the tables of a server lack. */
export async function lackingIn(
  { data, databaseUrl }: CloudConfig,
  acknowledged: readonly Acknowledged[],
): Promise<readonly Acknowledged[]> {
  const { db } = await tablesOf(data, databaseUrl);
  try {
    const rows = await db.selectFrom('Metas').select(['ledgerId', 'cid']).execute();
    const stored = new Set(rows.map(({ ledgerId, cid }) => `${ledgerId} ${cid}`));
    return acknowledged.filter(({ ledger, cid }) => !stored.has(`${ledger} ${cid}`));
  } finally {
    await db.destroy();
  }
}
