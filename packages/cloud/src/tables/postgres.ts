import { FixpointError } from '@fixpoint/protocol';
import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { type Db, migrate } from './connection.ts';
import type { Schema } from './schema.ts';

/** Connections of one process. Each is busy for a few milliseconds. */
const CONNECTIONS_MAX = 10;
const CONNECT_MS = 10_000;
/** Idle time after which the server ends a transaction. */
const IDLE_MS = 60_000;
/**
 * An arbitrary number of ours: the lock by which the processes of one cloud take turns at start.
 */
const START_LOCK = 7_370_737_001n;

/**
 * Opens the tables on a PostgreSQL server.
 * @param report called with errors of connections that ended on their own; the next request opens
 * another one
 * @throws FixpointError CONFIG_INVALID without the address, which may contain a password
 */
export async function openPostgres(url: string, report: (error: unknown) => void): Promise<Db> {
  const pool = new pg.Pool({
    connectionString: url,
    max: CONNECTIONS_MAX,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    application_name: 'fixpoint',
    // A frozen process must not hold rows forever.
    idle_in_transaction_session_timeout: IDLE_MS,
  });
  pool.on('error', report);
  // The pool listens only to idle connections: one that breaks within a transaction would end the
  // process.
  pool.on('connect', (client) => client.on('error', report));
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
  try {
    await requireDurable(db);
    await whileAlone(url, () => migrate(db));
    return db;
  } catch (cause) {
    await db.destroy();
    if (cause instanceof FixpointError) throw cause;
    throw new FixpointError(
      'CONFIG_INVALID',
      `DATABASE_URL: the server cannot be used: ${(cause as Error).message}`,
      { cause },
    );
  }
}

/**
 * Requires durable commits: a server that confirms a write before storing it would lose
 * acknowledged data.
 */
async function requireDurable(db: Db): Promise<void> {
  for (const setting of ['fsync', 'synchronous_commit']) {
    const { rows } = await sql<{ value: string }>`select current_setting(${setting}) as value`.execute(db);
    if (rows[0]?.value === 'off')
      throw new FixpointError(
        'CONFIG_INVALID',
        `the PostgreSQL server has ${setting}=off, so that what it stored can be lost: turn it on`,
      );
  }
}

/**
 * Runs work in one process at a time. The lock belongs to a connection, and is released when the
 * process dies.
 */
export async function whileAlone<T>(url: string, work: () => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS });
  // Without a listener, an error of this connection would end the process.
  let broken: unknown;
  client.on('error', (error) => {
    broken = error;
  });
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [START_LOCK]);
    const done = await work();
    if (broken !== undefined) throw broken;
    return done;
  } finally {
    await client.end();
  }
}
